"""Waits, when the interpreter ends, until pyreqwest's thread rests: it aborts the process if it is still at work.

pyreqwest's runtime thread gives Python objects back shortly after a response was delivered. If the interpreter is
being taken down at that moment, Python stops the whole process with "PyGILState_Release: thread state must be
current when releasing" and exit code 134: in about every third process that ends right after its last request.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
from functools import cache

_STEP = 0.002
_PATIENCE = 0.5
_BLIND_PATIENCE = 0.05


@cache
def ensure_quiet_exit() -> None:
    """Register the wait, once in a process."""
    atexit.register(wait_until_threads_rest)


def wait_until_threads_rest(patience: float = _PATIENCE) -> bool:
    """Let other threads have the interpreter until none of them is running; False if they go on all the time."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        time.sleep(_STEP)
        running = _is_a_thread_running()
        if running is None:
            time.sleep(_BLIND_PATIENCE)
            return True
        if not running:
            return True
    return False


def _is_a_thread_running() -> bool | None:
    """Whether another thread of this process is on a processor or waits for one; None where that is not told."""
    own = str(threading.get_native_id())
    try:
        threads = [name for name in os.listdir("/proc/self/task") if name != own]
    except OSError:
        return None
    return any(_state(name) == "R" for name in threads)


def _state(thread: str) -> str:
    try:
        with open(f"/proc/self/task/{thread}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return "gone"
