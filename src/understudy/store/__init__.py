"""What is kept beyond a run: tables, their migrations, and writers that lose nothing that they acknowledged.

In: rows of plain data. Out: the same rows, from SQLite (by default, one file, in WAL mode) or PostgreSQL (for teams),
also after the process that wrote them was killed. The rooms above say what the rows mean. `address` and `engines`
say where a store is and how it is reached, `tables` what is in it, `schema` and `migrations` how it comes to be,
`store`, `rows` and `batches` write. `reach` and `quick` do it in plain SQL, for a SQLite file without importing
SQLAlchemy; on them stand `runs` (what came of every run), `case_history` (one case over time, and the flaky ones)
and `retention` (what is deleted because it is old).

The names below are imported when they are first asked for, so that one of them does not cost all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from understudy.core.late_names import late_names

if TYPE_CHECKING:
    from understudy.store.batches import BatchWriter, Ticket
    from understudy.store.errors import StoreError
    from understudy.store.retention import Retention, prune
    from understudy.store.store import Store, open_store

_HOME = {
    "BatchWriter": "batches",
    "Retention": "retention",
    "Store": "store",
    "StoreError": "errors",
    "Ticket": "batches",
    "open_store": "store",
    "prune": "retention",
}

__all__ = ["BatchWriter", "Retention", "Store", "StoreError", "Ticket", "open_store", "prune"]


__getattr__, __dir__ = late_names(__name__, _HOME)
