"""Cells: child processes for what cannot be trusted to end or to stay small, such as a rule file from outside.

In: the name of a servant (an importable class), how much memory and time one call of it may take. Out: what the
call yields, or a `CellDied` that says why the process is gone. Files in order: `frames` (messages over a socket
pair), `child` (the process), `process` (how it is started and ended), `cell` (one of them, seen from here, for
blocking and for async code), `pool`.
"""
