"""A clock that a jump backwards cannot hold up, so that what has a time limit ends no later than it should."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from understudy.core.clock import Clock, SystemClock


class LaterClock:
    """Tells the later of two times: what the clock on the wall says, and what must have gone by since this began.

    A wall clock that is set back would make approvals good for longer, one that is set forward ends them early, which
    does no harm. A machine that slept is caught by the wall clock.

    >>> from understudy.core.clock import FixedClock
    >>> wall = FixedClock()
    >>> clock = LaterClock(wall)
    >>> wall.advance(60)
    >>> wall.moment -= timedelta(days=1)
    >>> clock.now().isoformat()
    '2026-01-01T00:01:00+00:00'
    """

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._began = self._clock.now().astimezone(UTC)
        self._began_at = self._clock.monotonic()

    def now(self) -> datetime:
        """The later time, in UTC."""
        gone_by = timedelta(seconds=max(self._clock.monotonic() - self._began_at, 0))
        return max(self._clock.now().astimezone(UTC), self._began + gone_by)

    def monotonic(self) -> float:
        """The seconds of the clock itself."""
        return self._clock.monotonic()
