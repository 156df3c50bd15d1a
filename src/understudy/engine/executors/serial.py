"""One unit after the other, in the order of the plan."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from understudy.engine.act import ForeseeingAct, Unit
from understudy.engine.executors import Job
from understudy.engine.executors.turns import Turns
from understudy.engine.stage import Stage
from understudy.engine.trouble import close_stage
from understudy.engine.unit import run_unit


class SerialExecutor:
    """Runs units one by one on one worker's stage."""

    async def execute(self, units: Sequence[Unit], job: Job) -> None:
        """Run the units."""
        worker = job.stage.narrower()
        try:
            await take_turns(Turns(units, job.acts, 1), worker, job)
        finally:
            await close_stage(worker, "a worker", job.trouble)


async def take_turns(turns: Turns, worker: Stage, job: Job) -> None:
    """Run unit after unit until none is left for us or the job should stop."""
    while not job.should_stop() and (units := turns.take()):
        act = job.acts[units[0].act]
        if len(units) > 1 and isinstance(act, ForeseeingAct):
            with suppress(Exception):  # whatever keeps it from foreseeing, its units meet too, and tell
                await act.foresee(units, worker)
        for unit in units:
            if job.should_stop():
                return
            await run_unit(act, unit, worker, job.emit, job.limits.unit_timeout)
