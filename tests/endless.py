"""Stops what would take forever, so that a test of hostile input fails where it would hang.

It bounds the processor time of this process, not the clock's: what else runs on the machine does not count. How
fast something is has no place in a test; that is measured in `benchmarks/`.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

# What is quadratic takes minutes, what is linear a second or two, and coverage a few times that.
ENOUGH = 60


@contextmanager
def ends() -> Iterator[None]:
    """Fail if the block has used up so much processor time that it cannot be linear."""

    def stop(*_: object) -> None:
        pytest.fail(f"it was still busy after {ENOUGH} s of processor time")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, ENOUGH)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
