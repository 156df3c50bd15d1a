"""Plan, execute, emit: from the acts' units to a stream of events and one report.

In: acts (known only as a Protocol), what the user selected, and an executor. Out: events for every reporter and
a report whose outcomes are read from a spool on disk. In pipeline order: `act` (what a room must offer), `stage`
(resources with a scope), `selection` and `shards` (what is run), `plan`, `trouble` (what goes wrong outside of any
case), `unit` (one unit, whatever it does), `executors`, `known`, `evidence_book`, `conclusion`, `spool`,
`broadcast`, `run`.
"""
