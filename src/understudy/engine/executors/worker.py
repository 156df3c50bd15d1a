"""A worker process: gets the acts again from the workshop, then runs the units that it is handed.

Started as `python -m understudy.engine.executors.worker FD` by the `processes` executor.
"""

from __future__ import annotations

import asyncio
import resource
import socket
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any, cast

from understudy.engine.act import Act, Item, Unit
from understudy.engine.executors import Limits, Workshop
from understudy.engine.executors.channel import Channel
from understudy.engine.stage import ResourceFailed, Scope, Stage
from understudy.engine.trouble import close_stage
from understudy.engine.unit import run_unit


class Line:
    """The worker's end of the channel: units to run come in, and answers to what was asked for."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._answers: dict[str, asyncio.Future[Any]] = {}
        self.units: asyncio.Queue[Unit | None] = asyncio.Queue()

    async def ask(self, name: str) -> Any:
        """The value of a resource of the whole run, which only the parent can make."""
        answer = self._answers[name] = asyncio.get_running_loop().create_future()
        self._channel.put(("need", name))
        return await answer

    async def listen(self, serving: asyncio.Task[None]) -> None:
        """Hand on what comes in; when the parent hangs up, what is running has nobody to run for."""
        try:
            while True:
                kind, value = await self._channel.get()
                if kind == "unit":
                    self.units.put_nowait(value)
                elif kind == "end":
                    self.units.put_nowait(None)
                else:
                    self._answer(*value)
        except EOFError:
            serving.cancel()

    def _answer(self, name: str, value: Any, error: str) -> None:
        answer = self._answers.pop(name)
        if error:
            answer.set_exception(ResourceFailed(error))
        else:
            answer.set_result(value)


async def serve(channel: Channel) -> None:
    """Run units until told that there are no more."""
    workshop, limits = await channel.get()
    _bound_memory(limits)
    try:
        acts = _load(workshop)
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        if isinstance(error, MemoryError) and limits.memory:
            why = f"{limits.memory} MiB of memory are not enough for that; allow it more"
        channel.put(("broken", why))
        await channel.drain()
        return
    channel.put(("ready", None))
    line = Line(channel)
    listening = asyncio.create_task(line.listen(cast("asyncio.Task[None]", asyncio.current_task())))
    stage = Stage(Scope.RUN, remote=line.ask)
    worker = stage.narrower()

    def emit(_: Unit, item: Item) -> None:
        channel.put(("item", item))

    try:
        while (unit := await line.units.get()) is not None:
            # The parent enforces the time limit: only it can stop a unit that never yields to the loop.
            await run_unit(acts[unit.act], unit, worker, emit)
            channel.put(("done", None))
            await channel.drain()
    finally:
        await close_stage(worker, "a worker", lambda outcome: channel.put(("trouble", outcome)))
        await stage.aclose()  # its resources are the parent's, which tears them down
        listening.cancel()
    channel.put(("closed", None))
    await channel.drain()


def _load(workshop: Workshop) -> Mapping[str, Act]:
    module, _, attribute = workshop.loader.partition(":")
    return cast("Mapping[str, Act]", getattr(import_module(module), attribute)(**workshop.arguments))


def _bound_memory(limits: Limits) -> None:
    if limits.memory:
        bound = limits.memory << 20
        resource.setrlimit(resource.RLIMIT_AS, (bound, bound))


async def main(descriptor: int) -> None:
    """Serve the parent at the other end of an inherited socket."""
    channel = await Channel.open(socket.socket(fileno=descriptor))
    try:
        await serve(channel)
    except (asyncio.CancelledError, EOFError):
        pass  # the parent wants no more, or is gone
    finally:
        await channel.aclose()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
