"""The pipelines that a project declares, as units, each found in its file without importing anything."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from understudy.core.errors import InputError, Problem
from understudy.core.ids import Numbering, case_id
from understudy.engine.act import CaseRef, Unit
from understudy.simulation.named_functions import find_folders, find_function
from understudy.simulation.replay.explore_job import ExploreJob, explore_job
from understudy.simulation.replay.job import Job, Place
from understudy.simulation.replay.settings import ExploreSettings, PipelineSettings, ReplaySettings

ACT = "replay"


@dataclass(frozen=True, slots=True)
class Declared:
    """A pipeline of the project, ready to be run."""

    unit: Unit
    settings: PipelineSettings
    job: Job
    place: Place
    exploration: ExploreJob | None = None


def read_catalogue(root: Path, settings: ReplaySettings, seed: int = 0) -> dict[str, Declared]:
    """Every declared pipeline by the id of its unit, and again if it is explored; all problems are raised together."""
    problems: list[Problem] = []
    folders = find_folders(root, settings.path, ACT, problems)
    if problems:
        raise InputError(problems)
    numbering: dict[str, Numbering] = {}
    declared: dict[str, Declared] = {}
    for order, pipeline in enumerate(settings.pipelines):
        location = find_function(root, folders, pipeline.run, ACT, problems)
        for other in _others(pipeline):
            find_function(root, folders, other, ACT, problems)
        module, _, function = pipeline.run.partition(":")
        file = location.file if location else module
        place = Place(tuple(map(str, folders)), str(root), pipeline.allow_network)
        job = _job(pipeline, root)
        exploration = explore_job(job, pipeline, seed)
        for part in (None,) if exploration is None else (None, exploration):
            wanted = pipeline.name or function
            wanted = wanted if part is None else f"{wanted} (explored)"
            name = numbering.setdefault(file, Numbering())(wanted)
            identifier = case_id(ACT, file, name)
            ref = CaseRef(identifier, name, tuple(pipeline.tags), location, order=order)
            declared[identifier] = Declared(Unit(identifier, ACT, (ref,)), pipeline, job, place, part)
    if problems:
        raise InputError(dict.fromkeys(problems))
    return declared


def _others(pipeline: PipelineSettings) -> list[str]:
    """The functions that are named beside the pipeline itself."""
    explored = pipeline.explore if isinstance(pipeline.explore, ExploreSettings) else ExploreSettings()
    return [name for name in (pipeline.world, explored.state, explored.ignore) if name is not None]


def _job(pipeline: PipelineSettings, root: Path) -> Job:
    return Job(
        pipeline.run,
        pipeline.world or "",
        pipeline.workspace,
        pipeline.compare,
        pipeline.ordered,
        pipeline.impose.deterministic() if pipeline.impose else None,
        pipeline.max_objects,
        str(root),
    )
