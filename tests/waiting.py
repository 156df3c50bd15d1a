"""Waits for a condition, without guessing how long it takes."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 60.0


def wait_for(condition: Callable[[], bool]) -> None:
    """Return when the condition is true; a test whose condition never comes true fails."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.01)
