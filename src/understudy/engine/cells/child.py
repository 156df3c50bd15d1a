"""The process of a cell: makes its servant once, then answers calls until the other end hangs up.

Started as `python -m understudy.engine.cells.child FD [MODULE]`; the module is imported before anything is asked. A
call is the name of a generator method and its arguments; what it yields is sent in batches, so that many small items
cost little and a long call still shows its first ones.
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
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any

from understudy.engine.cells.frames import Frames, frame

FLUSH_AFTER = 0.05
_PIECE = 1 << 18


class _Line:
    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._frames = Frames()

    def receive(self) -> Any:
        while (message := self._frames.take()) is None:
            data = self._end.recv(_PIECE)
            if not data:
                raise EOFError
            self._frames.feed(data)
        return message[0]

    def send(self, message: Any) -> None:
        self._end.sendall(frame(message))

    @contextmanager
    def ending_with_owner(self) -> Iterator[None]:
        """Meanwhile the kernel ends this process if the owner dies: a loop in native code would never look.

        Nothing may be sent or received within it: any event on the line counts as the end, as none is expected.
        """
        flags = fcntl.fcntl(self._end, fcntl.F_GETFL)
        fcntl.fcntl(self._end, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(self._end, fcntl.F_SETFL, flags | os.O_ASYNC)
        try:
            if select.select([self._end], [], [], 0)[0]:
                raise EOFError  # it died before we listened
            yield
        finally:
            fcntl.fcntl(self._end, fcntl.F_SETFL, flags)


def serve(end: socket.socket, preload: str = "") -> None:
    """Make the servant, then answer calls."""
    line = _Line(end)
    if preload:
        with suppress(Exception):  # whoever needs it is told when the servant cannot be made
            import_module(preload)
    target, arguments, memory = line.receive()
    try:
        module, _, name = target.partition(":")
        servant = getattr(import_module(module), name)(**arguments)
        _bound_memory(memory)
    except Exception as error:
        line.send(("broken", f"{type(error).__name__}: {error}"))
        return
    line.send(("ready", None))
    while True:
        method, arguments = line.receive()
        _answer(line, getattr(servant, method), arguments)


def _answer(line: _Line, method: Any, arguments: tuple[Any, ...]) -> None:
    items: list[Any] = []
    sent_at = time.monotonic()
    results = method(*arguments)
    try:
        is_over = False
        while not is_over:
            with line.ending_with_owner():
                for item in results:
                    items.append(item)
                    if time.monotonic() - sent_at > FLUSH_AFTER:
                        break
                else:
                    is_over = True
            if not is_over:
                line.send(("items", items))
                items, sent_at = [], time.monotonic()
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


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's, which ends us
    signal.signal(signal.SIGIO, signal.SIG_DFL)  # which ends the process, at least on Linux
    with suppress(EOFError, ConnectionError):  # the parent is gone
        serve(socket.socket(fileno=int(sys.argv[1])), *sys.argv[2:])
