"""Holds Ctrl-C and a polite kill back for the moment in which a process is started and nobody knows of it yet."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def held_signals() -> Iterator[Callable[[], None]]:
    """Keep the signals that would end us; the function that is given lets them go, as the end of the block does.

    Blocking them would have the new process begin with them blocked, too.
    """
    before: dict[signal.Signals, Any] = {}
    held: list[tuple[int, FrameType | None]] = []

    def let_go() -> None:
        while before:
            signal.signal(*before.popitem())
        while held:
            number, frame = held.pop(0)
            handler = signal.getsignal(number)
            if callable(handler):
                handler(number, frame)
            else:
                os.kill(os.getpid(), number)

    if threading.current_thread() is threading.main_thread():
        for number in _SIGNALS:
            if signal.getsignal(number) not in (signal.SIG_IGN, None):
                before[number] = signal.signal(number, lambda *arrived: held.append(arrived))
    try:
        yield let_go
    finally:
        let_go()
