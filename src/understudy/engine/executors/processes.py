"""Units in worker processes that can be killed: the only way to stop what never yields or eats all memory."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress

from understudy.core.errors import InputError, UnderstudyError
from understudy.core.outcome import Outcome
from understudy.engine.act import Unit
from understudy.engine.executors import Job
from understudy.engine.executors.channel import Channel
from understudy.engine.trouble import trouble
from understudy.engine.unit import errored

GRACE = 5.0


class ProcessExecutor:
    """Hands units to worker processes, one unit at a time each; a worker that dies or hangs is replaced."""

    async def execute(self, units: Sequence[Unit], job: Job) -> None:
        """Run the units."""
        if job.workshop is None:
            raise InputError(
                "the processes executor needs a workshop, so that workers can load the acts again"
            )
        waiting = iter(units)
        count = min(job.limits.workers or os.cpu_count() or 1, len(units))
        async with asyncio.TaskGroup() as group:
            for _ in range(count):
                group.create_task(_keep_busy(waiting, job))


async def _keep_busy(waiting: Iterator[Unit], job: Job) -> None:
    """Draw units for one worker slot, with a new process whenever the last one is gone."""
    worker: _Worker | None = None
    try:
        for unit in waiting:
            if job.should_stop():
                break
            if worker is None:
                worker = await _Worker.start(job)
            if not await worker.run(unit, job):
                await worker.kill()
                worker = None
        if worker is not None:
            await worker.dismiss(job)
            worker = None
    finally:
        if worker is not None:
            await worker.give_up(job)


class _Worker:
    def __init__(self, process: asyncio.subprocess.Process, channel: Channel) -> None:
        self._process = process
        self._channel = channel
        self._unit: Unit | None = None

    @classmethod
    async def start(cls, job: Job) -> _Worker:
        ours, theirs = socket.socketpair()
        with theirs:
            command = (sys.executable, "-m", "understudy.engine.executors.worker", str(theirs.fileno()))
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=sys.stderr if _is_real(sys.stderr) else asyncio.subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        worker = cls(process, await Channel.open(ours))
        try:
            worker._channel.put((job.workshop, job.limits))
            kind, value = await worker._channel.get()
        except EOFError:
            raise UnderstudyError(f"a worker process {await worker._epitaph()} before it was ready") from None
        except BaseException:
            await worker.kill()
            raise
        if kind == "broken":
            await worker._let_end()
            raise UnderstudyError(f"a worker process could not load the acts: {value}")
        return worker

    async def run(self, unit: Unit, job: Job) -> bool:
        """Run one unit; False if the process is of no use afterwards."""
        open_cases = {case.id: case for case in unit.cases}
        self._unit = unit
        try:
            async with asyncio.timeout(job.limits.unit_timeout):
                self._channel.put(("unit", unit))
                while True:
                    kind, value = await self._channel.get()
                    if kind == "done":
                        return True
                    if kind == "need":
                        self._channel.put(("value", await _fetch(value, job)))
                        continue
                    if isinstance(value, Outcome):
                        open_cases.pop(value.id, None)
                    job.emit(unit, value)
        except TimeoutError:
            seconds = f"{job.limits.unit_timeout:g} s"
            reason = f"its worker process was killed: the unit ran longer than the {seconds} allowed"
        except EOFError:
            reason = f"its worker process {await self._epitaph()}"
        for case in open_cases.values():
            job.emit(unit, errored(unit.act, case, reason))
        return False

    async def dismiss(self, job: Job) -> None:
        """Let the process tear down what it made, and end."""
        try:
            async with asyncio.timeout(GRACE):
                self._channel.put(("end", None))
                while (message := await self._channel.get())[0] == "trouble":
                    job.trouble(message[1])
        except TimeoutError:
            await self.kill()
            reason = f"its worker process was killed: it did not tear down within {GRACE:g} s"
            job.trouble(trouble("teardown", "a worker", reason))
        except EOFError:
            reason = f"its worker process {await self._epitaph()} while it tore down"
            job.trouble(trouble("teardown", "a worker", reason))
        await self._let_end()

    async def give_up(self, job: Job) -> None:
        """Have the process cancel its unit and tear down, and take what it tells; kill it if it takes too long."""
        self._channel.finish()
        try:
            async with asyncio.timeout(GRACE):
                while True:
                    kind, value = await self._channel.get()
                    if kind == "item" and self._unit is not None:
                        job.emit(self._unit, value)
                    elif kind == "trouble":
                        job.trouble(value)
        except EOFError:
            await self._let_end()
        except TimeoutError:
            await self.kill()
        except BaseException:  # interrupted once more
            await self.kill()
            raise

    async def _let_end(self) -> None:
        """Kill the process, but first let it run what is registered for its exit."""
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(GRACE):
                    await self._process.wait()
        finally:
            await self.kill()

    async def kill(self) -> None:
        """End the process and whatever it started."""
        self._channel.close()
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        await self._process.wait()

    async def _epitaph(self) -> str:
        """How a process ended that hung up; one that only hung up is not waited for long."""
        try:
            async with asyncio.timeout(GRACE):
                code = await self._process.wait()
        except TimeoutError:
            await self.kill()
            return "hung up and was killed"
        if code < 0:
            name = signal.Signals(-code).name
            return f"was killed by {name}" + (" (out of memory?)" if name == "SIGKILL" else "")
        return f"ended with exit code {code}"


async def _fetch(name: str, job: Job) -> tuple[str, object, str]:
    """The value of a resource of the whole run for a worker that asked, or why there is none."""
    resource = job.shared.get(name)
    if resource is None:
        return (
            name,
            None,
            f"resource {name!r} is not shared between processes; known: {', '.join(job.shared)}",
        )
    try:
        return name, await job.stage.get(resource), ""
    except UnderstudyError as error:
        return name, None, str(error)


def _is_real(stream: object) -> bool:
    """True if the stream has a file descriptor (pytest's capture has none)."""
    try:
        return bool(stream.fileno() >= 0)  # type: ignore[attr-defined]  # whatever stands at sys.stderr
    except (AttributeError, OSError, ValueError):
        return False
