"""The pipelines that a project declares, as units, each found in its file without importing anything."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from understudy.core.errors import InputError, Problem
from understudy.core.ids import Numbering, case_id
from understudy.engine.act import CaseRef, Unit
from understudy.simulation.named_functions import find_folders, find_function
from understudy.simulation.replay.job import Job, Place
from understudy.simulation.replay.settings import PipelineSettings, ReplaySettings

ACT = "replay"


@dataclass(frozen=True, slots=True)
class Declared:
    """A pipeline of the project, ready to be run."""

    unit: Unit
    settings: PipelineSettings
    job: Job
    place: Place


def read_catalogue(root: Path, settings: ReplaySettings) -> dict[str, Declared]:
    """Every declared pipeline by the id of its unit; all problems are raised together."""
    problems: list[Problem] = []
    folders = find_folders(root, settings.path, ACT, problems)
    if problems:
        raise InputError(problems)
    numbering: dict[str, Numbering] = {}
    declared: dict[str, Declared] = {}
    for order, pipeline in enumerate(settings.pipelines):
        location = find_function(root, folders, pipeline.run, ACT, problems)
        if pipeline.world is not None:
            find_function(root, folders, pipeline.world, ACT, problems)
        module, _, function = pipeline.run.partition(":")
        file = location.file if location else module
        name = numbering.setdefault(file, Numbering())(pipeline.name or function)
        identifier = case_id(ACT, file, name)
        ref = CaseRef(identifier, name, tuple(pipeline.tags), location, order=order)
        unit = Unit(identifier, ACT, (ref,))
        place = Place(tuple(map(str, folders)), str(root), pipeline.allow_network)
        declared[identifier] = Declared(unit, pipeline, _job(pipeline, root), place)
    if problems:
        raise InputError(dict.fromkeys(problems))
    return declared


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
