"""A log in the store: it outlives the process, and other processes see it."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from understudy.context.log import Entry
from understudy.core.redact import Numbered, Redactor
from understudy.store import BatchWriter

if TYPE_CHECKING:
    from sqlalchemy import Table

    from understudy.store import Store


class StoredLog:
    """A log that writes to the store in batches. What was appended before a `flush` is on disk after it.

    `query` and `security_events` flush first. Closing the store closes its logs. Secrets in the details of an entry
    are not written.

    >>> from understudy.context import ExecutionContext
    >>> from understudy.store import open_store
    >>> with open_store("sqlite://") as store:
    ...     context = ExecutionContext.create("ann", "ingestion", log=StoredLog(store))
    ...     entry = context.record("list_objects", units=1)
    ...     context.log.query(context.context_id) == [entry | {"sequence": 1}]
    True
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._redactor = Redactor()
        self._entries = BatchWriter(store, store.tables.execution_log)
        self._events = BatchWriter(store, store.tables.security_events)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def append(self, entry: Mapping[str, Any]) -> None:
        """Add an entry; it is on disk a moment later, or after `flush`."""
        self._entries.add(self._without_secrets(entry))

    def security_event(self, event: Mapping[str, Any]) -> None:
        """Add a security event, and wait until it is on disk: who is up to something may kill us next."""
        self._events.add(self._without_secrets(event)).wait()

    def query(self, context_id: str) -> list[Entry]:
        """The entries of one context, oldest first."""
        return self._rows(self._store.tables.execution_log, context_id)

    def security_events(self, context_id: str | None = None) -> list[Entry]:
        """The security events of one context or of all, oldest first."""
        return self._rows(self._store.tables.security_events, context_id)

    def flush(self) -> None:
        """Wait until all that was appended is on disk; raises the first thing that is not."""
        self._entries.flush()
        self._events.flush()

    def close(self) -> None:
        """Write what is left; the store stays open."""
        try:
            self._entries.close()
        finally:
            self._events.close()

    def _without_secrets(self, entry: Mapping[str, Any]) -> Mapping[str, Any]:
        details = entry.get("details")
        if not details:
            return entry
        return {**entry, "details": Numbered().data(self._redactor.data(details))}

    def _rows(self, table: Table, context_id: str | None) -> list[Entry]:
        self.flush()
        query = table.select().order_by(table.c.sequence)
        if context_id is not None:
            query = query.where(table.c.context_id == context_id)
        with self._store.read() as connection:
            return [dict(row) for row in connection.execute(query).mappings()]
