"""Replay: whether a pipeline does the same again, what makes it differ if it does not, and what a crash does to it.

In: a pipeline, which is a function (plain or async) of an execution context, and of a world if it is given one. Out: a
result that names every difference, and the lines that are the likely causes. In pipeline order:

- One run: `pipelines` (how one is named and found), `snapshot` (what a run yielded), `record` (what is known of it),
  `ledger` (its log and its writes), `effects` and `deliveries` (the seams for pipelines that do more than call
  connectors); `own_code`, `stand_ins`, `swap`, `witness` (who reads clock, ids, chance and environment),
  `deterministic` (or has them imposed); `thread_carrying`, `time_limit`, `execute`.
- Two runs: `judge`, `causes`, `result`, `runner`.
- Many disturbed runs: `disturbance` and `disturbance_kinds` (what can go wrong, as data), `disturber` (does it to a
  run), `world_state` and `drawn_ids` (what is left behind), `quiet_crashes`, `trial` (a run and those after its
  crashes), `survival` (judged against the clean run), `clean_run`, `disturbance_plan`, `shrinking`, `tried` (a file of
  what was), `search`, `printed_test`, `explored`, `exploration`.
- In a process of its own, with another hash seed: `own_modules`, `hash_sites`, `line_trace`, `offline`, `bench`,
  `hash_seeds`, `other_process`.
- In the run of a project: `settings`, `job`, `explore_job`, `catalogue`, `outcomes`, `explored_elsewhere`, `act`.
"""
