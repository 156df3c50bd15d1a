"""What is kept beyond a run: tables, their migrations, and writers that lose nothing that they acknowledged.

In: rows of plain data. Out: the same rows, from SQLite (by default, one file, in WAL mode) or PostgreSQL (for teams),
also after the process that wrote them was killed. The rooms above say what the rows mean. `address` and `engines`
say where a store is and how it is reached, `tables` what is in it, `schema` and `migrations` how it comes to be,
`store`, `rows` and `batches` write, `retention` deletes what is old, `quick` adds a run to a SQLite file without
importing SQLAlchemy.

The names below are imported when they are first asked for, so that one of them does not cost all of them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from understudy.store.batches import BatchWriter, Ticket
    from understudy.store.errors import StoreError
    from understudy.store.store import Store, open_store

_HOME = {
    "BatchWriter": "batches",
    "Store": "store",
    "StoreError": "errors",
    "Ticket": "batches",
    "open_store": "store",
}

__all__ = ["BatchWriter", "Store", "StoreError", "Ticket", "open_store"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
