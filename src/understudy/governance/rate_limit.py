"""How often somebody may act: so many times within any window of so many seconds."""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Callable

from understudy.core.brief import brief
from understudy.core.errors import InputError

LONGEST_WINDOW = 366 * 24 * 3600
_SWEEP = 10_000


class SlidingWindow:
    """Counts per name, over a clock that may jump.

    What counts is progress: a step back is no progress, and a leap forward is at most one window of it. So a jump
    of the clock neither keeps the gate closed for longer than a window nor leaves it open.

    >>> from understudy.core.clock import FixedClock
    >>> clock = FixedClock()
    >>> window = SlidingWindow(2, 60, clock.monotonic)
    >>> window.enter("ann"), window.enter("ann"), window.enter("ann")
    (0.0, 0.0, 60.0)
    >>> clock.advance(60)
    >>> window.enter("ann")
    0.0
    """

    def __init__(self, limit: int, seconds: float, monotonic: Callable[[], float]) -> None:
        if isinstance(limit, bool) or not isinstance(limit, int) or limit < 0:
            raise InputError(f"max_calls_per_window must be a whole number of at least 0, not {brief(limit)}")
        if (
            isinstance(seconds, bool)
            or not isinstance(seconds, int | float)
            or not 0 < seconds <= LONGEST_WINDOW
        ):
            most = f"at most {LONGEST_WINDOW:,}"
            raise InputError(f"window_seconds must be a number above 0 and {most}, not {brief(seconds)}")
        self.limit = limit
        self.seconds = float(seconds)
        self._monotonic = monotonic
        self._seen = math.nan
        self._progress = 0.0
        self._entered: dict[str, deque[float]] = {}
        self._sweep_at = _SWEEP
        self._lock = threading.Lock()

    def enter(self, name: str) -> float:
        """Count one call of that name: 0, or if it has reached its limit (and is not counted) the seconds to wait."""
        with self._lock:
            now = self._now()
            calls = self._entered.get(name)
            if calls is None:
                calls = self._begin(name, now)
            oldest = now - self.seconds
            while calls and calls[0] <= oldest:
                calls.popleft()
            if len(calls) >= self.limit:
                return calls[0] - oldest if calls else math.inf
            calls.append(now)
            return 0.0

    def _now(self) -> float:
        told = self._monotonic()
        if math.isfinite(told):
            step = told - self._seen
            if step > 0:
                self._progress += step if step < self.seconds else self.seconds
            self._seen = told
        return self._progress

    def _begin(self, name: str, now: float) -> deque[float]:
        if len(self._entered) >= self._sweep_at:
            # Names that have not acted for a window cost nothing; the rest are at least kept apart by a doubling.
            self._entered = {n: c for n, c in self._entered.items() if c and c[-1] > now - self.seconds}
            self._sweep_at = max(_SWEEP, 2 * len(self._entered))
        return self._entered.setdefault(name, deque())
