"""Has the threads of a run work in its context, so that what they write is in its ledger and not in nobody's."""

from __future__ import annotations

import concurrent.futures.thread
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from understudy.context import carry, current_context
from understudy.simulation.replay.ledger import RunLog

_WORKER = getattr(concurrent.futures.thread, "_worker", None)
T = TypeVar("T")


class _Carrier:
    """How threads are started in this process, exchanged while a run needs it; runs may overlap."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._undo: list[Callable[[], None]] = []

    def enter(self) -> None:
        with self._lock:
            if not self._users:
                self._undo = [_carry_into_threads(), _carry_into_pools()]
            self._users += 1

    def leave(self) -> None:
        with self._lock:
            self._users -= 1
            if not self._users:
                for undo in self._undo:
                    undo()


_carrier = _Carrier()


@contextmanager
def carried_into_threads() -> Iterator[None]:
    """In the block, a thread that a run starts, and what it submits to a pool, has the run's context.

    Elsewhere threads have none unless it is carried into them. A pipeline that forgets to would write past its
    ledger, and a replay that writes twice would be judged to be well.
    """
    _carrier.enter()
    try:
        yield
    finally:
        _carrier.leave()


def _in_run() -> bool:
    context = current_context()
    return context is not None and isinstance(context.log, RunLog)


def _carry_into_threads() -> Callable[[], None]:
    real = threading.Thread.start

    def start(self: threading.Thread) -> None:
        # What a pool's worker does is carried piece by piece: it may serve others when the run is over.
        if _in_run() and getattr(self, "_target", None) is not _WORKER:
            self.run = carry(self.run)  # type: ignore[method-assign]  # of this one thread
        real(self)

    return _exchanged(threading.Thread, "start", start)


def _carry_into_pools() -> Callable[[], None]:
    real = ThreadPoolExecutor.submit

    def submit(
        self: ThreadPoolExecutor, function: Callable[..., T], /, *args: Any, **kwargs: Any
    ) -> Future[T]:
        return real(self, carry(function) if _in_run() else function, *args, **kwargs)

    return _exchanged(ThreadPoolExecutor, "submit", submit)


def _exchanged(owner: type, name: str, stand_in: Callable[..., Any]) -> Callable[[], None]:
    """Exchange a method; what is returned puts it back, unless somebody else has exchanged it since."""
    real = getattr(owner, name)
    setattr(owner, name, stand_in)

    def undo() -> None:
        if getattr(owner, name) is stand_in:
            setattr(owner, name, real)

    return undo
