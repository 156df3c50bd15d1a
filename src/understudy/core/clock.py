"""Time and fresh identifiers, injected so that nothing in a run depends on the moment it happens."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Where a run gets the time from."""

    def now(self) -> datetime:
        """The present moment, in UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds that never go backwards, for measuring durations."""
        ...


class SystemClock:
    """The real time."""

    def now(self) -> datetime:
        """The present moment, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds that never go backwards."""
        return time.perf_counter()


@dataclass(slots=True)
class FixedClock:
    """A clock that stands until it is told to move.

    >>> clock = FixedClock(datetime(2026, 1, 1, tzinfo=UTC))
    >>> clock.advance(90)
    >>> clock.now().isoformat()
    '2026-01-01T00:01:30+00:00'
    """

    moment: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    elapsed: float = 0.0

    def now(self) -> datetime:
        """The moment at which the clock stands."""
        return self.moment

    def monotonic(self) -> float:
        """The seconds it was advanced in all."""
        return self.elapsed

    def advance(self, seconds: float) -> None:
        """Move the clock forward."""
        self.moment += timedelta(seconds=seconds)
        self.elapsed += seconds


IdSource = Callable[[], str]


def random_ids() -> str:
    """A fresh random identifier."""
    return str(uuid.uuid4())


@dataclass(slots=True)
class CountingIds:
    """Identifiers that are the same in every run.

    >>> ids = CountingIds("run")
    >>> ids(), ids()
    ('run-1', 'run-2')
    """

    prefix: str = "id"
    count: int = field(default=0)

    def __call__(self) -> str:
        self.count += 1
        return f"{self.prefix}-{self.count}"
