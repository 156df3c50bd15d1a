"""Keeps threads of a pipeline quiet that end by a simulated crash, as they would be if the process had died."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from understudy.simulation.replay.ledger import SimulatedCrash

_Hook = Callable[[threading.ExceptHookArgs], object]


class _Quiet:
    """The hook of this process for threads that raise, exchanged while anybody needs it; trials may overlap."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._before: _Hook = threading.excepthook

    def enter(self) -> None:
        with self._lock:
            if not self._users:
                self._before = threading.excepthook
                threading.excepthook = self._hook
            self._users += 1

    def leave(self) -> None:
        with self._lock:
            self._users -= 1
            if not self._users and threading.excepthook == self._hook:
                threading.excepthook = self._before

    def _hook(self, args: threading.ExceptHookArgs) -> None:
        if not issubclass(args.exc_type, SimulatedCrash):
            self._before(args)


_quiet = _Quiet()


@contextmanager
def quiet_crashes() -> Iterator[None]:
    """In the block, no thread that a simulated crash ends is reported."""
    _quiet.enter()
    try:
        yield
    finally:
        _quiet.leave()
