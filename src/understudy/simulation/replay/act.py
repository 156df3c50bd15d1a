"""Replay as an act: each pipeline that the project declares is run, and run again, in a process that can be killed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import aclosing
from time import perf_counter
from typing import Any

from understudy.core.errors import UnderstudyError
from understudy.core.events import Evidence
from understudy.core.outcome import Outcome
from understudy.engine.act import CaseRef, Item, ProjectView, Unit
from understudy.engine.cells.cell import Cell, CellOverdue, CellPlan
from understudy.engine.stage import Stage
from understudy.simulation.replay.catalogue import ACT, Declared, read_catalogue
from understudy.simulation.replay.explore_job import ExploreJob
from understudy.simulation.replay.hash_seeds import BENCH, SeedsResult, compare_seeds
from understudy.simulation.replay.job import Job, Judgement
from understudy.simulation.replay.judge import Finding, failing_of
from understudy.simulation.replay.outcomes import errored, to_outcome
from understudy.simulation.replay.settings import ReplaySettings

_RUNS = 2


class ReplayAct:
    """Pipelines that must yield the same again, and write nothing twice."""

    name = ACT
    settings = ReplaySettings

    def __init__(self) -> None:
        self._declared: Mapping[str, Declared] = {}

    def discover(self, project: ProjectView) -> Iterable[Unit]:
        """One unit for every declared pipeline."""
        self._declared = read_catalogue(project.root, project.settings(ACT), project.seed)
        return [declared.unit for declared in self._declared.values()]

    async def run(self, unit: Unit, stage: Stage) -> AsyncIterator[Item]:
        """Run a pipeline, replay it, and run it under other hash seeds."""
        declared = self._declared[unit.id]
        (ref,) = unit.cases
        began = perf_counter()
        if declared.exploration is not None:
            yield await _explored(ref, declared, declared.exploration)
            return
        try:
            judgement = await _judged(declared)
        except CellOverdue:
            limit = declared.settings.timeout
            reason = (
                f"its process was killed: a run and its replay took longer than the {limit:g} s that each may take; "
                "does the pipeline end? allow more with timeout under its [[replay.pipelines]]"
            )
            yield errored(ref, ACT, reason, duration_ms=1000 * (perf_counter() - began))
            return
        except UnderstudyError as error:
            yield errored(ref, ACT, str(error), duration_ms=1000 * (perf_counter() - began))
            return
        seeds = await _with_seeds(declared, judgement)
        failing = (*judgement.failing, *self._failing(declared, seeds.findings))
        yield to_outcome(ref, ACT, judgement, seeds, failing, 1000 * (perf_counter() - began))
        if not judgement.error:
            yield Evidence({"replayed": {ref.id: {"objects": judgement.objects, "writes": judgement.writes}}})

    def conclude(self, evidence: Mapping[str, Any]) -> Iterable[Outcome]:
        """Nothing is known only of the whole: every pipeline is judged by itself."""
        return ()

    @staticmethod
    def _failing(declared: Declared, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        return failing_of(findings, declared.settings.compare, ordered=declared.settings.ordered)


async def _judged(declared: Declared) -> Judgement:
    """The first run and the replay, in a process of their own, which is gone afterwards."""
    answer = await _answered(declared, "judge", declared.job, _RUNS * declared.settings.timeout)
    if not isinstance(answer, Judgement):
        raise UnderstudyError("its process answered nothing")
    return answer


async def _explored(ref: CaseRef, declared: Declared, asked: ExploreJob) -> Outcome:
    """The outcome of an exploration, done in a process of its own, which is gone afterwards."""
    # imported here: most projects explore nothing, and it brings all that runs pipelines
    from understudy.simulation.replay.explored import Explored
    from understudy.simulation.replay.explored_elsewhere import explored_outcome

    began = perf_counter()
    try:
        answer = await _answered(declared, "explore", asked, asked.seconds)
        if not isinstance(answer, Explored):
            raise UnderstudyError("its process answered nothing")
    except CellOverdue:
        reason = (
            f"its process was killed: exploring it took longer than {asked.seconds:g} s; does every run of it end? "
            "allow more with max_seconds under its [replay.pipelines.explore]"
        )
        return errored(ref, ACT, reason, duration_ms=1000 * (perf_counter() - began))
    except UnderstudyError as error:
        return errored(ref, ACT, str(error), duration_ms=1000 * (perf_counter() - began))
    return explored_outcome(ref, ACT, answer, 1000 * (perf_counter() - began))


async def _answered(declared: Declared, method: str, job: Job | ExploreJob, seconds: float) -> object:
    """What a process of its own answers to a job; None if it answers nothing."""
    plan = CellPlan(BENCH, {"place": declared.place}, declared.settings.memory, {"PYTHONHASHSEED": "0"})
    cell = Cell(plan)
    try:
        async with aclosing(cell.call_async(method, job, seconds=seconds)) as answers:
            async for answer in answers:
                return answer
    finally:
        cell.kill()
    return None


async def _with_seeds(declared: Declared, judgement: Judgement) -> SeedsResult:
    """The same under other hash seeds, unless it differs anyway."""
    if not declared.settings.hash_seeds or judgement.error or judgement.is_different:
        return SeedsResult()
    settings = declared.settings
    return await compare_seeds(
        declared.job,
        declared.place,
        judgement.hash_sites,
        judgement.site,
        seconds=settings.timeout,
        memory=settings.memory,
    )
