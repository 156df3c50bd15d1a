"""Where a context writes down what was done: a log in memory, and the face that every log has."""

from __future__ import annotations

import copy
import threading
from collections.abc import Mapping
from typing import Any, Protocol

Entry = dict[str, Any]


class ExecutionLog(Protocol):
    """A log of what contexts did, and of what about them was suspicious.

    An entry is a dict with the columns of the store's table `execution_log`; an event one with those of
    `security_events`. What is given out has a `sequence`, its number within the log.
    """

    def append(self, entry: Mapping[str, Any]) -> None:
        """Add an entry."""
        ...

    def query(self, context_id: str) -> list[Entry]:
        """The entries of one context, oldest first."""
        ...

    def security_event(self, event: Mapping[str, Any]) -> None:
        """Add a security event."""
        ...

    def security_events(self, context_id: str | None = None) -> list[Entry]:
        """The security events of one context or of all, oldest first."""
        ...


class MemoryLog:
    """A log that lives as long as the object does. Threads may share it.

    >>> log = MemoryLog()
    >>> log.append({"context_id": "a", "operation": "list_objects"})
    >>> log.query("a")
    [{'context_id': 'a', 'operation': 'list_objects', 'sequence': 1}]
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._entries: dict[str, list[Entry]] = {}
        self._events: list[Entry] = []

    def append(self, entry: Mapping[str, Any]) -> None:
        """Add an entry."""
        with self._lock:
            self._count += 1
            kept = {**entry, "sequence": self._count}
            self._entries.setdefault(entry["context_id"], []).append(kept)

    def query(self, context_id: str) -> list[Entry]:
        """The entries of one context, oldest first: copies, which may be changed."""
        with self._lock:
            entries = list(self._entries.get(context_id, ()))
        return [_copied(entry) for entry in entries]

    def security_event(self, event: Mapping[str, Any]) -> None:
        """Add a security event."""
        with self._lock:
            self._events.append({**event, "sequence": len(self._events) + 1})

    def security_events(self, context_id: str | None = None) -> list[Entry]:
        """The security events of one context or of all, oldest first."""
        with self._lock:
            events = list(self._events)
        return [_copied(event) for event in events if context_id in (None, event.get("context_id"))]


def _copied(entry: Entry) -> Entry:
    """A copy that shares nothing that can be changed; only `details` can be."""
    details = entry.get("details")
    return {**entry, "details": copy.deepcopy(details)} if details else dict(entry)
