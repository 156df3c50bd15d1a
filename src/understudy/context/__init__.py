"""Who does what on whose behalf, at what cost: the execution context, its budget, and the log of what was done.

In: who began it, in which domain and workspace, how far they are trusted and how much they may spend. Out: an
immutable context that travels through calls, threads and tasks, and an execution log of every step. `trust` and
`budget` are what a context has, `context` is the context itself, `record` reads one from outside, `carrying` hands it
on, `log` and `stored_log` keep what was done.

The names below are imported when they are first asked for, so that one of them does not cost all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from understudy.core.late_names import late_names

if TYPE_CHECKING:
    from understudy.context.budget import BudgetExceeded, QueryBudget
    from understudy.context.carrying import carry, current_context
    from understudy.context.context import TRUST_CLAIM, ExecutionContext, moment_text
    from understudy.context.log import ExecutionLog, MemoryLog
    from understudy.context.stored_log import StoredLog
    from understudy.context.trust import TrustLevel

_HOME = {
    "BudgetExceeded": "budget",
    "ExecutionContext": "context",
    "ExecutionLog": "log",
    "MemoryLog": "log",
    "QueryBudget": "budget",
    "StoredLog": "stored_log",
    "TRUST_CLAIM": "context",
    "TrustLevel": "trust",
    "carry": "carrying",
    "current_context": "carrying",
    "moment_text": "context",
}

__all__ = [
    "TRUST_CLAIM",
    "BudgetExceeded",
    "ExecutionContext",
    "ExecutionLog",
    "MemoryLog",
    "QueryBudget",
    "StoredLog",
    "TrustLevel",
    "carry",
    "current_context",
    "moment_text",
]


__getattr__, __dir__ = late_names(__name__, _HOME)
