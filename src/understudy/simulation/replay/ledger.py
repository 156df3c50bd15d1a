"""The log of one run of a pipeline, in which its side effects can be counted, and cut short by a crash."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from operator import itemgetter
from typing import Any, Protocol, TypeVar

from understudy.context.log import ExecutionLog
from understudy.simulation.replay.record import Write

SUPPRESSED = "suppressed"
WRITE = "write"
_NOT_MADE = frozenset({SUPPRESSED, "error"})
_COLUMNS = ("subject", "operation", "target_ref", "content_hash", "details")
_OF_A_CONTEXT = itemgetter(*_COLUMNS)
T = TypeVar("T")


class SimulatedCrash(BaseException):
    """The process dies here, as far as the pipeline can tell; no `except Exception` catches it."""


class Disturber(Protocol):
    """What disturbs a run: where it crashes, and what becomes of what is delivered to it."""

    def crashes_before(self, write: int) -> bool:
        """True if the process dies when the write with this number is about to be made."""
        ...

    def crashes_after(self, write: int) -> bool:
        """True if the process dies when the write with this number has been made."""
        ...

    def deliver(self, batch: list[T], source: str, is_ordered: bool) -> list[T]:
        """What the pipeline gets of a batch; one that was asked for in an order is not to be put in another."""
        ...


class RunLog:
    """An execution log that remembers the entries of all contexts of a run, and passes them on if told to.

    `site` tells which line of the pipeline is at work, for the entries of writes. Where the disturber says so, and
    at everything that is done from then on, it crashes.
    """

    def __init__(self, passed_on: ExecutionLog | None = None, disturber: Disturber | None = None) -> None:
        self.entries: list[dict[str, Any]] = []
        self.disturber = disturber
        self.has_crashed = False
        self.written = 0
        self.site: Callable[[], str] | None = None
        self._events: list[dict[str, Any]] = []
        self._passed_on = passed_on
        self._lock = threading.Lock()

    def about_to_write(self) -> None:
        """Whoever makes a side effect and logs it says so before; without a disturber nothing comes of it."""
        if self.disturber is None:
            return
        with self._lock:
            self._refuse_if_crashed()
            self.has_crashed = self.disturber.crashes_before(self.written + 1)
        if self.has_crashed:
            raise SimulatedCrash(f"before write {self.written + 1}")

    def append(self, entry: Mapping[str, Any]) -> None:
        """Keep an entry; its number within the log is its `sequence`."""
        site = self.site() if self.site is not None and entry.get("kind") == WRITE else ""
        with self._lock:
            if self.has_crashed:
                self._refuse_if_crashed()
            kept = {**entry, "sequence": len(self.entries) + 1}
            if site:
                kept["site"] = site
            self.entries.append(kept)
            if is_write(kept):
                self.written += 1
                self.has_crashed = self.disturber is not None and self.disturber.crashes_after(self.written)
        if self._passed_on is not None:
            self._passed_on.append(dict(entry))
        if self.has_crashed:
            raise SimulatedCrash(f"after write {self.written}")

    def query(self, context_id: str) -> list[dict[str, Any]]:
        """The entries of one context, in order."""
        with self._lock:
            return [dict(entry) for entry in self.entries if entry.get("context_id") == context_id]

    def security_event(self, event: Mapping[str, Any]) -> None:
        """Keep a security event."""
        with self._lock:
            self._events.append({**event, "sequence": len(self._events) + 1})
        if self._passed_on is not None:
            self._passed_on.security_event(dict(event))

    def security_events(self, context_id: str | None = None) -> list[dict[str, Any]]:
        """The security events of one context, or all."""
        with self._lock:
            return [dict(e) for e in self._events if context_id in (None, e.get("context_id"))]

    def _refuse_if_crashed(self) -> None:
        if self.has_crashed:
            raise SimulatedCrash("the process has crashed before this")


def is_write(entry: Mapping[str, Any]) -> bool:
    """True for an entry of a side effect that was really made."""
    return entry.get("kind") == WRITE and entry.get("status") not in _NOT_MADE


def writes_of(entries: Iterable[Mapping[str, Any]]) -> tuple[Write, ...]:
    """The side effects in a log, in the order in which they were made.

    >>> entries = [{"kind": "read"}, {"kind": "write", "operation": "upsert_object", "target_ref": "a"}]
    >>> print(*writes_of(entries))
    write 1, upsert_object(a)
    """
    made: list[Write] = []
    for entry in entries:
        # As `is_write` has it; of the many entries of a log, most are not.
        if entry.get("kind") == WRITE and entry.get("status") not in _NOT_MADE:
            made.append(_write(len(made) + 1, entry))
    return tuple(made)


def _write(step: int, entry: Mapping[str, Any]) -> Write:
    try:
        subject, operation, key, content, details = _OF_A_CONTEXT(entry)
    except KeyError:  # an entry that no context wrote may have less in it
        subject, operation, key, content, details = map(entry.get, _COLUMNS)
    return Write(
        step,
        str(subject or ""),
        str(operation or ""),
        str(key or ""),
        str(content or ""),
        str(entry.get("site") or ""),
        bool(details) and _is_once_only(details),
    )


def _is_once_only(details: Any) -> bool:
    """True if whoever wrote the entry says that making the effect again is not the same as making it once."""
    return isinstance(details, Mapping) and details.get("idempotent") is False
