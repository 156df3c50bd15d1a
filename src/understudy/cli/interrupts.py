"""Ctrl-C and a polite kill while a run is on: each cancels the run, and none is lost wherever it arrives."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def cancelling(task: asyncio.Task[object]) -> Iterator[None]:
    """Have the signals that end a command cancel a task of the running loop: the first one, and every other.

    asyncio alone would raise KeyboardInterrupt from the second Ctrl-C wherever the program happens to be, and take
    the report along. That is left for a loop that does not listen, because a case blocks it.
    """
    before: dict[signal.Signals, object] = {}
    handle = _handler(task)
    for number in _SIGNALS:
        if signal.getsignal(number) is signal.SIG_IGN:
            continue  # whoever started us wants it so, as a shell does for what runs in the background
        with suppress(ValueError):  # only the main thread can
            before[number] = signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in before.items():
            if signal.getsignal(number) is handle:
                signal.signal(number, handler)  # type: ignore[arg-type]  # as it came from there


def _handler(task: asyncio.Task[object]) -> Callable[[int, FrameType | None], None]:
    loop = task.get_loop()
    unheard = 0

    def deliver() -> None:
        nonlocal unheard
        unheard = 0
        task.cancel()

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal unheard
        unheard += 1
        if unheard > 1:
            raise KeyboardInterrupt
        loop.call_soon_threadsafe(deliver)

    return handle
