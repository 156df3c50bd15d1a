"""Replay: whether a pipeline does the same again, what makes it differ if it does not, and what a crash does to it.

In: a pipeline, which is a function (plain or async) of an execution context, and of a world if it is given one. Out: a
result that names every difference, and the lines that are the likely causes. In pipeline order: `snapshot` (what a
run yielded), `record` (what is known of one run), `ledger` (its log and its writes), `effects` and `deliveries`
(the seams for pipelines that do more than call connectors); `own_code`, `stand_ins`, `swap`, `witness` (who reads
clock, ids, chance and environment), `deterministic` (or has them imposed), `execute` (one run); `judge`, `causes`,
`result`, `runner` (two runs); `disturbance`, `survival`, `exploration`, `printed_test`, `explored` (many disturbed
runs); `hash_sites`, `bench` (in a process of its own, with another hash seed).
"""
