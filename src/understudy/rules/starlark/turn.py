"""One run of one test function: what held, what failed, what was printed, and which guarded calls it made.

Starlark has no way to catch an error, so `check.fails` and `test(label, fn)` are done by running again: an error
inside such a call ends the attempt, is noted for that call, and in the next attempt the call is not made. Starlark
is deterministic, so that the attempt comes to the same place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from understudy.core.outcome import Failure
from understudy.rules.listing import LoadError

PRINT_LIMIT = 64 << 10
FAILURE_LIMIT = 1_000

GuardPath = tuple[int, ...]


@dataclass(slots=True)
class Row:
    """A labelled part of a test: what failed in it, and the error that ended it."""

    label: str
    failures: list[Failure] = field(default_factory=list)
    error: LoadError | None = None
    held: int = 0


@dataclass(slots=True)
class _Guard:
    path: GuardPath
    kind: str
    label: str
    inner: int = 0


class Turn:
    """One attempt; `known` are the errors that guarded calls of earlier attempts ended with."""

    def __init__(self, known: Mapping[GuardPath, LoadError]) -> None:
        self.known = known
        self.failures: list[Failure] = []
        self.rows: dict[str, Row] = {}
        self.prints: list[str] = []
        self.held = 0
        self.evaluations: list[Any] = []
        self.last_error: LoadError | None = None
        self._printed = 0
        self._lost = 0
        self._open: list[_Guard] = []
        self._count = 0

    @property
    def open_guard(self) -> GuardPath | None:
        """The innermost guarded call that is being made."""
        return self._open[-1].path if self._open else None

    @property
    def checks(self) -> int:
        """How many checks were made."""
        return (
            self.held + len(self.failures) + sum(row.held + len(row.failures) for row in self.rows.values())
        )

    def enter(self, kind: str, label: str) -> bool:
        """Begin a guarded call; false if it is known to end with an error, which is `last_error` then."""
        path = (*(guard.path[-1] for guard in self._open), self._next())
        row = self._place(label) if kind == "row" else None
        if path in self.known:
            self.last_error = self.known[path]
            if row is not None:
                row.error = self.last_error
            return False
        self._open.append(_Guard(path, kind, label))
        return True

    def leave(self) -> None:
        """A guarded call ended well."""
        self._open.pop()

    def hold(self, label: str | None) -> None:
        """A check held."""
        row = self._place(label)
        if row is None:
            self.held += 1
        else:
            row.held += 1

    def fail(self, failure: Failure, label: str | None) -> None:
        """A check did not hold."""
        row = self._place(label)
        failures = self.failures if row is None else row.failures
        if len(failures) < FAILURE_LIMIT:
            failures.append(failure)

    def print(self, text: str) -> None:
        """Keep what was printed, up to a limit."""
        room = PRINT_LIMIT - self._printed
        if len(text) > room:
            self._lost += len(text) - max(room, 0)
        if room > 0:
            self.prints.append(text[:room])
            self._printed += len(text) + 1

    @property
    def printed(self) -> str:
        """All that was printed, and how much of it was not kept."""
        lost = [f"… {self._lost:,} more characters were printed"] if self._lost else []
        return "\n".join([*self.prints, *lost])

    def _next(self) -> int:
        if self._open:
            self._open[-1].inner += 1
            return self._open[-1].inner
        self._count += 1
        return self._count

    def _place(self, label: str | None) -> Row | None:
        labels = [guard.label for guard in self._open if guard.kind == "row"]
        labels += [label] if label is not None else []
        return self._row(" / ".join(labels)) if labels else None

    def _row(self, label: str) -> Row:
        row = self.rows.get(label)
        if row is None:
            row = self.rows[label] = Row(label)
        return row
