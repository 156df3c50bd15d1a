"""One run of a pipeline: in a context of its own, heard by a witness, and known afterwards however it ended."""

from __future__ import annotations

import asyncio
import inspect
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from understudy.context import ExecutionContext
from understudy.core.clock import FixedClock, SystemClock
from understudy.core.portal import run_blocking
from understudy.simulation.replay.deterministic import Deterministic, Imposed
from understudy.simulation.replay.ledger import RunLog, writes_of
from understudy.simulation.replay.own_code import OwnCode, package_of
from understudy.simulation.replay.pipelines import Pipeline, functions_of, is_async, name_of
from understudy.simulation.replay.record import Run, Site
from understudy.simulation.replay.snapshot import MOST_OBJECTS, gathered, ids_of, objects_of, snapshots
from understudy.simulation.replay.thread_carrying import carried_into_threads
from understudy.simulation.replay.time_limit import PipelineTimeout, within
from understudy.simulation.replay.witness import Witness

INITIATED_BY = "test-replay-runner"
DOMAIN = "ingestion"
_CANCELLING = 1.0
NOTHING: Any = object()
RETURNED_NONE = "returned None, so only what it wrote was compared"


@dataclass(frozen=True, slots=True)
class Conditions:
    """Under which a pipeline is run. `world` is given to it as its second argument, if there is one."""

    workspace_id: str = "default"
    is_replay: bool = False
    keep_contents: bool = False
    world: Any = NOTHING
    impose: Deterministic | None = None
    imposed: Imposed | None = None
    timeout: float | None = None
    max_objects: int = MOST_OBJECTS
    root: str | None = None
    watch: bool = True
    log: RunLog = field(default_factory=RunLog)


class Execution:
    """A run in the making. Afterwards `run` is what is known of it, and `raised` what the pipeline raised."""

    def __init__(self, pipeline: Pipeline, conditions: Conditions) -> None:
        self._pipeline = pipeline
        self._conditions = conditions
        self._own = OwnCode(conditions.root, package_of(pipeline))
        conditions.log.site = conditions.log.site or self._own.here
        self._objects: list[Mapping[str, Any]] = []
        self._notes: list[str] = []
        self.raised: BaseException | None = None
        self.run = Run()

    def execute(self) -> Run:
        """Run the pipeline from blocking code; the portal runs it if it is async."""
        if is_async(self._pipeline) and self._conditions.timeout is None:
            return run_blocking(self.execute_async)
        with self._observed() as context:
            grace = _CANCELLING if is_async(self._pipeline) else 0.0
            within(self._conditions.timeout, lambda: self._take(self._call(context)), self._name, grace)
        return self.run

    async def execute_async(self) -> Run:
        """Run the pipeline from async code, in a thread of its own if it is not async itself."""
        if not is_async(self._pipeline):
            return await asyncio.to_thread(self.execute)
        with self._observed() as context:
            await self._take_in_time(lambda: self._call(context))
        return self.run

    @property
    def _name(self) -> str:
        return name_of(self._pipeline)

    def _call(self, context: ExecutionContext) -> Any:
        world = self._conditions.world
        return self._pipeline(context) if world is NOTHING else self._pipeline(context, world)

    def _take(self, produced: Any) -> None:
        if inspect.isawaitable(produced) or hasattr(produced, "__aiter__"):
            if self._conditions.timeout is None:
                run_blocking(self._take_async, produced)
            else:  # in a loop of its own, so that one which hangs takes no other with it
                asyncio.run(self._take_in_time(lambda: produced))
        else:
            self._keep(produced, objects_of(produced, self._conditions.max_objects))

    async def _take_in_time(self, produce: Callable[[], Any]) -> None:
        """Take what is produced, and cancel the pipeline if that takes too long."""
        seconds = self._conditions.timeout
        try:
            async with asyncio.timeout(seconds) as limit:
                await self._take_async(produce())
        except TimeoutError:
            if not limit.expired():
                raise
            raise PipelineTimeout(f"{self._name} ran longer than the {seconds:g} s allowed") from None

    async def _take_async(self, produced: Any) -> None:
        if inspect.isawaitable(produced):
            produced = await produced
        if hasattr(produced, "__aiter__"):
            self._keep(produced, await gathered(produced, self._conditions.max_objects))
        else:
            self._keep(produced, objects_of(produced, self._conditions.max_objects))

    def _keep(self, produced: Any, objects: list[Mapping[str, Any]]) -> None:
        self._objects = objects
        if produced is None:
            self._notes.append(f"{self._name} {RETURNED_NONE}")

    @contextmanager
    def _observed(self) -> Iterator[ExecutionContext]:
        """The context to run in; whatever happens within, the run is logged and known afterwards."""
        conditions = self._conditions
        imposed = conditions.imposed or (conditions.impose.begin() if conditions.impose else None)
        witness = Witness(self._own, imposed)
        context = ExecutionContext.create(
            INITIATED_BY,
            DOMAIN,
            conditions.workspace_id,
            is_replay=conditions.is_replay,
            log=conditions.log,
            clock=FixedClock(conditions.impose.clock.now()) if conditions.impose else SystemClock(),
        )
        error, site = "", None
        try:
            with context.use(), carried_into_threads():
                if conditions.watch or imposed is not None:
                    with witness.listening(functions_of(self._pipeline)):
                        yield context
                else:
                    yield context
        except BaseException as raised:
            # a crash may come in a group, or as what a pipeline made of it
            if isinstance(raised, KeyboardInterrupt) or not (
                conditions.log.has_crashed or isinstance(raised, Exception | SystemExit)
            ):
                raise
            self.raised, error = raised, f"{type(raised).__name__}: {raised}"
            site = self._raised_at(raised)
        crashed = conditions.log.has_crashed
        if not crashed:
            self._log_run(context, error)
        elif self.raised is None:
            self._notes.append(f"{self._name} went on after a crash, which only a bare except can do")
        self.run = self._known(context, witness, error, site)
        self.run = replace(self.run, is_crashed=crashed)

    def _log_run(self, context: ExecutionContext, error: str) -> None:
        details = {"objects": len(self._objects), **({"error": error} if error else {})}
        context.record(
            "run", subject=self._name, kind="run", status="failed" if error else "ok", details=details
        )

    def _known(self, context: ExecutionContext, witness: Witness, error: str, site: Site | None) -> Run:
        log = self._conditions.log
        names = dict(snapshots(self._objects)) if self._conditions.keep_contents else {}
        for place in witness.unfinished_threads():
            where = f"that {place} started" if place else "that it started"
            self._notes.append(
                f"a thread {where} was still running when {self._name} ended; what it does is not judged: join it"
            )
        return Run(
            ids=tuple(ids_of(self._objects)),
            contents=names,
            count=len(self._objects),
            log=tuple(log.entries),
            writes=writes_of(log.entries),
            reads=witness.reads(),
            notes=tuple(dict.fromkeys(self._notes)),
            error=error,
            error_site=site,
            context_id=context.context_id,
        )

    def _raised_at(self, error: BaseException) -> Site | None:
        for frame in reversed(traceback.extract_tb(error.__traceback__)):
            if self._own.is_own(frame.filename):
                return self._own.named(frame.filename, frame.lineno or 1)
        return None
