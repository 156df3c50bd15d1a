"""The exploration of a declared pipeline: done in a process of its own, and what comes of it as an outcome."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from understudy.core.outcome import Attachment, Failure, Outcome, Status
from understudy.core.plain import plain
from understudy.engine.act import CaseRef
from understudy.simulation.replay.disturbance import described
from understudy.simulation.replay.exploration import explore
from understudy.simulation.replay.explore_job import ExploreJob
from understudy.simulation.replay.explored import Explored, Find
from understudy.simulation.replay.pipelines import Pipeline, load_pipeline
from understudy.simulation.replay.trial import Trial


def explored_here(asked: ExploreJob, pipeline: Pipeline, world: Callable[..., Any] | None) -> Explored:
    """Explore a pipeline in this process; only what another process can read is answered."""
    job = asked.job
    explored = explore(
        pipeline,
        world=world,
        state=load_pipeline(asked.state) if asked.state else None,
        ignore=load_pipeline(asked.ignore) if asked.ignore else None,
        impose=job.impose,
        max_objects=job.max_objects,
        root=job.root or None,
        **asked.options,
    )
    return replace(explored, clean=Trial(), finds=tuple(map(_plain, explored.finds)))


def explored_outcome(ref: CaseRef, act: str, explored: Explored, duration_ms: float) -> Outcome:
    """The outcome of an exploration: a failure for each find, with the test of it."""
    tests = [
        Attachment(f"the test of find {number}", find.test) for number, find in enumerate(explored.finds, 1)
    ]
    said = [str(tally) for tally in explored.tallies if tally.possible]
    said += [f"stopped by {explored.stopped}"] if explored.stopped else []
    return Outcome(
        id=ref.id,
        act=act,
        name=ref.name,
        status=Status.PASSED if explored.ok else Status.FAILED,
        failures=tuple(_failure(find, ref) for find in explored.finds),
        duration_ms=duration_ms,
        location=ref.location,
        tags=ref.tags,
        notes=(*said, *explored.notes),
        attachments=tuple(tests),
        details={"tried": explored.tried, "left": explored.left, "finds": len(explored.finds)},
    )


def _failure(find: Find, ref: CaseRef) -> Failure:
    first = find.damages[0]
    more = len(find.damages) - 1
    rest = f" (and {more} more, told beside its test)" if more else ""
    message = f"it does not survive {described(find.disturbance)}: {first}{rest}"
    return Failure(message, first.expected, first.actual, "", ref.location)


def _plain(find: Find) -> Find:
    return replace(
        find,
        damages=tuple(
            replace(damage, expected=plain(damage.expected), actual=plain(damage.actual))
            for damage in find.damages
        ),
    )
