"""What a process is asked when a declared pipeline is to be explored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from understudy.simulation.replay.job import Job
from understudy.simulation.replay.settings import ExploreSettings, PipelineSettings


@dataclass(frozen=True, slots=True)
class ExploreJob:
    """A pipeline to be explored elsewhere; `state` and `ignore` read `module:function`."""

    job: Job
    options: Mapping[str, Any]
    state: str = ""
    ignore: str = ""
    seconds: float = 0.0


def explore_job(job: Job, pipeline: PipelineSettings, seed: int) -> ExploreJob | None:
    """What a process is asked, if the pipeline is to be explored; `seed` is that of the run."""
    asked = pipeline.explore
    if asked is False:
        return None
    settings = asked if isinstance(asked, ExploreSettings) else ExploreSettings()
    options: dict[str, Any] = settings.model_dump(exclude={"state", "ignore", "seed"})
    options["seed"] = seed if settings.seed is None else settings.seed
    options["timeout"] = pipeline.timeout
    # the last trial may begin when the time is nearly over, and none is longer than that
    last_trial = (settings.max_steps + 1) * pipeline.timeout
    return ExploreJob(
        job, options, settings.state or "", settings.ignore or "", settings.max_seconds + 2 * last_trial
    )
