"""One unit after the other, in the order of the plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from understudy.engine.act import Unit
from understudy.engine.executors import Job
from understudy.engine.stage import Stage
from understudy.engine.trouble import close_stage
from understudy.engine.unit import run_unit


class SerialExecutor:
    """Runs units one by one on one worker's stage."""

    async def execute(self, units: Sequence[Unit], job: Job) -> None:
        """Run the units."""
        worker = job.stage.narrower()
        try:
            await take_turns(iter(units), worker, job)
        finally:
            await close_stage(worker, "a worker", job.trouble)


async def take_turns(units: Iterator[Unit], worker: Stage, job: Job) -> None:
    """Run unit after unit from a shared iterator until it is empty or the job should stop."""
    for unit in units:
        if job.should_stop():
            return
        await run_unit(job.acts[unit.act], unit, worker, job.emit, job.limits.unit_timeout)
