"""Who does what on whose behalf, at what cost: the execution context, its budget, and the log of what was done.

In: who began it, in which domain and workspace, how far they are trusted and how much they may spend. Out: an
immutable context that travels through calls, threads and tasks, and an execution log of every step.
"""
