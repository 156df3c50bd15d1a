"""Several units side by side in one process, on one event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from understudy.engine.act import Unit
from understudy.engine.executors import Job
from understudy.engine.executors.serial import take_turns
from understudy.engine.executors.turns import Turns
from understudy.engine.trouble import close_stage

DEFAULT_WORKERS = 16


class ConcurrentExecutor:
    """Runs as many units at once as there are workers; all share one worker's stage, so connections are pooled."""

    async def execute(self, units: Sequence[Unit], job: Job) -> None:
        """Run the units."""
        worker = job.stage.narrower()
        count = min(job.limits.workers or DEFAULT_WORKERS, max(len(units), 1))
        turns = Turns(units, job.acts, count)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(count):
                    group.create_task(take_turns(turns, worker, job))
        finally:
            await close_stage(worker, "a worker", job.trouble)
