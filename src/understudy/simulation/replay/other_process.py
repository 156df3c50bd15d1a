"""Decides whether a pipeline is also replayed in processes with other hash seeds, and describes that as a job."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from understudy.core.errors import InputError, Problem
from understudy.simulation.replay.hash_seeds import PATIENCE, SeedsResult, compare_seeds
from understudy.simulation.replay.hash_sites import hash_sites, sites_of_function
from understudy.simulation.replay.job import Job, Place
from understudy.simulation.replay.own_code import OwnCode
from understudy.simulation.replay.pipelines import Pipeline, folder_of, importable_name, site_of
from understudy.simulation.replay.record import Read


@dataclass(frozen=True, slots=True)
class OtherProcess:
    """What it takes to replay a pipeline elsewhere; `job` is None if it cannot be, or need not, and `notes` say so."""

    job: Job | None
    place: Place
    sites: tuple[Read, ...]
    pipeline: Pipeline
    own: OwnCode
    seconds: float
    notes: tuple[str, ...] = ()

    async def compare(self) -> SeedsResult:
        """Replay it under several hash seeds."""
        if self.job is None:
            return SeedsResult(notes=self.notes)
        where = site_of(self.pipeline, self.own)
        return await compare_seeds(self.job, self.place, self.sites, where, seconds=self.seconds)


def other_process(
    pipeline: Pipeline,
    make_world: Callable[[], Any] | None,
    own: OwnCode,
    job: Job,
    *,
    wanted: bool | None,
    timeout: float | None,
) -> OtherProcess:
    """How a pipeline is replayed elsewhere, if it is.

    Unless that is said (`wanted`), it is if another process can import it, and a line of it depends on a hash.
    """
    name = importable_name(pipeline)
    world_name = importable_name(make_world) if make_world is not None else ""
    can_travel = bool(name) and (make_world is None or bool(world_name))
    if wanted and not can_travel:
        what = "the pipeline" if not name else "its world"
        hint = "define it at the top level of a module, or leave out other_process=True"
        raise InputError([Problem(f"{what} cannot be imported by another process", hint=hint)])
    sites = hash_sites(pipeline, own) if can_travel and wanted is not False else ()
    is_due = can_travel and (bool(sites) if wanted is None else wanted)
    folders = (folder_of(pipeline), folder_of(make_world) if make_world is not None else "")
    path = tuple(dict.fromkeys(os.path.abspath(folder) for folder in (*folders, *sys.path) if folder))
    described = replace(job, pipeline=name, world=world_name)
    notes = (
        () if can_travel or wanted is False else _not_compared(pipeline, own, "its world" if name else "it")
    )
    return OtherProcess(
        described if is_due else None, Place(path), sites, pipeline, own, timeout or PATIENCE, notes
    )


def _not_compared(pipeline: Pipeline, own: OwnCode, what: str) -> tuple[str, ...]:
    """That a pipeline which may differ elsewhere was not tried there."""
    sites = sites_of_function(pipeline, own)
    if not sites:
        return ()
    said = f"not compared with other hash seeds, although {sites[0]}: {what} cannot be imported by another process"
    return (f"{said}; define it at the top level of a module that can be",)
