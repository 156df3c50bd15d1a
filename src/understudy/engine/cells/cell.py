"""One cell as its owner sees it: started, called from blocking or async code, and killed when it must be."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import subprocess
import time
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from typing import Any

from understudy.core.errors import UnderstudyError
from understudy.engine.cells.frames import Frames, frame
from understudy.engine.cells.process import CellProcess

START_PATIENCE = 60.0
LOOK_AFTER = 0.05
_PIECE = 1 << 18
_TOGETHER = 64 << 10
_LAST_WORDS = 2_000

Call = tuple[str, tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class CellPlan:
    """What runs in a cell: an importable class (`module:Class`), its arguments, and the MiB that calls may add.

    `environment` are variables that the process has beyond ours, or with other values.
    """

    servant: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    memory: int = 0
    environment: Mapping[str, str] = field(default_factory=dict)


class CellDied(UnderstudyError):
    """The process did not survive a call, or had to be killed; the message says why."""


class CellOverdue(CellDied):
    """The process was killed because a call took longer than it may."""


class Cell:
    """A child process with a servant in it. After `CellDied` it is of no further use.

    `started` is a process that was started beforehand, without the variables of the plan.
    """

    def __init__(self, plan: CellPlan, started: CellProcess | None = None) -> None:
        self._plan = plan
        self._frames = Frames()
        self._is_ready = False
        self._unsent = b""
        self._unanswered = 0
        self.is_alive = True
        self._child = started or CellProcess(environment=plan.environment)
        self._end, self._bell = self._child.end, self._child.bell
        # A socket buffer takes this at once, whatever the process is doing.
        with suppress(ConnectionError):  # it is gone already, which the first call tells
            self._end.send(frame((plan.servant, dict(plan.arguments), plan.memory)))

    def call(self, method: str, *arguments: Any, seconds: float) -> Iterator[Any]:
        """Call a generator method of the servant from blocking code; yields what it yields, raises what it raises."""
        deadline = time.monotonic() + seconds + (0 if self._is_ready else START_PATIENCE)
        data = frame((method, arguments))
        is_over = False
        try:
            while data:
                self._wait(deadline, seconds, write=True)
                data = data[self._end.send(data) :]
            while not is_over:
                while (message := self._frames.take()) is None:
                    self._wait(deadline, seconds)
                    self._frames.feed(self._end.recv(_PIECE) or self._hung_up())
                if self._is_start(message[0]):
                    deadline = time.monotonic() + seconds
                    continue
                items, is_over, error = self._understood(message[0])
                yield from items
                if error is not None:
                    raise error
        except (ConnectionError, EOFError):
            raise self._epitaph() from None
        finally:
            if not is_over:
                self.kill()  # what it would still say belongs to nobody

    async def call_async(self, method: str, *arguments: Any, seconds: float) -> AsyncGenerator[Any, None]:
        """The same from async code."""
        self.ask([(method, arguments)])
        async with aclosing(self.answer(seconds)) as items:
            async for item in items:
                yield item

    @property
    def is_asked(self) -> bool:
        """True if there are calls that were not answered yet."""
        return self._unanswered > 0

    def ask(self, calls: Iterable[Call]) -> None:
        """Make calls one after the other: the first, and of the others as many as fit into one message.

        Their answers are then taken one by one. A cell need not wait for its owner between them, nor wake it.
        """
        for call in calls:
            data = frame(call)
            if self._unsent and len(self._unsent) + len(data) > _TOGETHER:
                return  # both sides would wait for the other to read
            self._unsent += data
            self._unanswered += 1

    async def answer(self, seconds: float) -> AsyncGenerator[Any, None]:
        """What the first of the calls asked for yields and raises; its time counts from when its turn came."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds + (0 if self._is_ready else START_PATIENCE)
        is_over = False
        try:
            if self._unsent:
                async with asyncio.timeout_at(deadline):
                    await loop.sock_sendall(self._end, self._unsent)
                self._unsent = b""
            while not is_over:
                while (message := self._frames.take()) is None:
                    await self._listen(loop, deadline)
                if self._is_start(message[0]):
                    deadline = loop.time() + seconds
                    continue
                items, is_over, error = self._understood(message[0])
                for item in items:
                    yield item
                if error is not None:
                    raise error
        except TimeoutError:
            raise self._overdue(seconds) from None
        except (ConnectionError, EOFError):
            raise self._epitaph() from None
        finally:
            if is_over:
                self._unanswered -= 1
            else:
                self.kill()

    async def _listen(self, loop: asyncio.AbstractEventLoop, deadline: float) -> None:
        """Take what has come; if nothing has, wait until the cell rings.

        It rings when it has nothing to do, or after a while. With another call to make it may never come to that:
        then somebody has to look whether this one is answered.
        """
        if self._take_in():
            return
        until = min(deadline, loop.time() + LOOK_AFTER) if self._unanswered > 1 else deadline
        try:
            async with asyncio.timeout_at(until):
                await loop.sock_recv(self._bell, _PIECE)
        except TimeoutError:
            if not self._take_in() and until == deadline:
                raise

    def _take_in(self) -> bool:
        try:
            data = self._end.recv(_PIECE)
        except BlockingIOError:
            return False
        self._frames.feed(data or self._hung_up())
        return True

    def kill(self) -> None:
        """End the process and everything that it started."""
        self.is_alive = False
        self._child.kill()

    def _wait(self, deadline: float, seconds: float, *, write: bool = False) -> None:
        ends = [self._end]
        left = max(deadline - time.monotonic(), 0)
        if not any(select.select([] if write else ends, ends if write else [], [], left)):
            raise self._overdue(seconds)

    def _is_start(self, message: tuple[str, Any]) -> bool:
        if message[0] == "ready":
            self._is_ready = True
            return True
        return False

    def _understood(self, message: tuple[str, Any]) -> tuple[list[Any], bool, Exception | None]:
        """What was yielded, whether the call is over, and what it raised."""
        kind, value = message
        if kind == "items":
            return value, False, None
        if kind == "done":
            return value, True, None
        if kind == "failed":
            return value[0], True, value[1]
        self.kill()
        if kind == "broken":
            raise CellDied(f"its process could not start: {value}")
        return value, True, CellDied(self._too_large())

    def _too_large(self) -> str:
        return f"it needs more than the {self._plan.memory} MiB of memory allowed"

    def _hung_up(self) -> bytes:
        raise EOFError

    def _overdue(self, seconds: float) -> CellOverdue:
        self.kill()
        return CellOverdue(f"its process was killed: it ran longer than the {seconds:g} s allowed")

    def _epitaph(self) -> CellDied:
        """Why a process is gone that nobody killed."""
        if not self.is_alive:
            return CellDied("its process is gone")
        try:
            code = self._child.process.wait(5)
            with suppress(ProcessLookupError, PermissionError):
                # What it started outlives it otherwise. The number of a group is nobody else's while one of it lives.
                os.killpg(self._child.process.pid, signal.SIGKILL)
        except subprocess.TimeoutExpired:
            code = 0
        self._child.said.seek(0, os.SEEK_END)
        self._child.said.seek(max(self._child.said.tell() - _LAST_WORDS, 0))
        words = self._child.said.read().decode("utf-8", "replace").strip()
        self.kill()
        if "memory allocation of" in words or "MemoryError" in words or "out of memory" in words.lower():
            return CellDied(self._too_large())
        how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        if code in (-signal.SIGSEGV, -signal.SIGBUS, -signal.SIGABRT) or "overflowed its stack" in words:
            return CellDied(f"its process {how}: it is nested too deeply, or needs too much memory")
        last = words.splitlines()[-1] if words else ""
        return CellDied(f"its process {how}" + (f": {last}" if last else ""))
