"""The process of a cell: makes its servant once, then answers calls until the other end hangs up.

Started as `python -m understudy.engine.cells.child FD LIFELINE BELL [MODULE]`; the module is imported before anything
is asked. A call is the name of a generator method and its arguments; what it yields is sent in batches, so that many
small items cost little and a long call still shows its first ones.

Several calls may wait here. What each one yields is sent as soon as it is over, so that nothing of it is lost should
the next one be the end of this process; but the owner listens for the bell, which rings when no call is left, or after
a while: to be woken for each of a thousand short calls would cost more than the calls.
"""

from __future__ import annotations

import fcntl
import os
import resource
import select
import signal
import socket
import sys
import time
import traceback
from contextlib import suppress
from importlib import import_module
from typing import Any

from understudy.core.errors import UnderstudyError
from understudy.engine.cells.frames import Frames, frame

FLUSH_AFTER = 0.05
_PIECE = 1 << 18


class _Line:
    def __init__(self, end: socket.socket, bell: socket.socket) -> None:
        self._end = end
        self._bell = bell
        self._frames = Frames()
        self._quiet_since = time.monotonic()

    @property
    def is_quiet(self) -> bool:
        """True if it is long since the owner was told anything."""
        return time.monotonic() - self._quiet_since > FLUSH_AFTER

    def receive(self) -> Any:
        if (message := self._frames.take()) is None:
            self.ring()
            while (message := self._frames.take()) is None:
                data = self._end.recv(_PIECE)
                if not data:
                    raise EOFError
                self._frames.feed(data)
            self._quiet_since = time.monotonic()
        return message[0]

    def send(self, message: Any) -> None:
        data = memoryview(frame(message))
        while data:
            try:
                data = data[self._end.send(data, socket.MSG_DONTWAIT) :]
            except BlockingIOError:
                self.ring()
                select.select([], [self._end], [])
        if self.is_quiet:
            self.ring()

    def ring(self) -> None:
        """Have the owner look at what was sent."""
        self._quiet_since = time.monotonic()
        with suppress(BlockingIOError):  # so much was rung already that nobody listened to
            self._bell.send(b"!")


def serve(end: socket.socket, bell: socket.socket, preload: str = "") -> None:
    """Make the servant, then answer calls."""
    line = _Line(end, bell)
    if preload:
        with suppress(Exception):  # whoever needs it is told when the servant cannot be made
            import_module(preload)
    target, arguments, memory = line.receive()
    try:
        module, _, name = target.partition(":")
        servant = getattr(import_module(module), name)(**arguments)
        _bound_memory(memory)
    except Exception as error:
        kind = "" if isinstance(error, UnderstudyError) else f"{type(error).__name__}: "
        line.send(("broken", f"{kind}{error}"))
        return
    line.send(("ready", None))
    line.ring()  # the time of a call that is waiting already counts from here
    while True:
        method, arguments = line.receive()
        _answer(line, getattr(servant, method), arguments)


def _answer(line: _Line, method: Any, arguments: tuple[Any, ...]) -> None:
    items: list[Any] = []
    try:
        for item in method(*arguments):
            items.append(item)
            if line.is_quiet:
                line.send(("items", items))
                items = []
    except MemoryError:
        line.send(("exhausted", items))
    except Exception as error:
        line.send(("failed", (items, error if _travels(error) else _described(error))))
    else:
        line.send(("done", items))


def _travels(error: Exception) -> bool:
    try:
        return bool(frame(error))
    except Exception:  # whatever pickling an error of unknown make may raise
        return False


def _described(error: Exception) -> RuntimeError:
    return RuntimeError("".join(traceback.format_exception(error)))


def _bound_memory(mebibytes: int) -> None:
    """So much more than the process has now."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if mebibytes:
        with open("/proc/self/statm", encoding="ascii") as file:
            pages = int(file.read().split()[0])
        bound = pages * resource.getpagesize() + (mebibytes << 20)
        resource.setrlimit(resource.RLIMIT_AS, (bound, bound))


def _end_with_owner(lifeline: int) -> None:
    """Have the kernel end this process when the owner dies: in a loop of native code nothing here would ever look.
    What this process started ends with it, unless it left our group: we lead one, as in a session of our own.

    The lifeline is a pipe that nobody writes to; its only event is that the other end is closed.
    """
    signal.signal(signal.SIGIO, signal.SIG_DFL)  # which ends the process, on Linux at least
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([lifeline], [], [], 0)[0]:
        sys.exit()  # it died before we listened


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's, which ends us
    _end_with_owner(int(sys.argv[2]))
    with suppress(EOFError, ConnectionError):  # the parent is gone
        serve(socket.socket(fileno=int(sys.argv[1])), socket.socket(fileno=int(sys.argv[3])), *sys.argv[4:])
