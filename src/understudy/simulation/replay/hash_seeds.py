"""Runs a pipeline under several hash seeds, each in a process of its own, and names what comes out differently."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from understudy.core.errors import UnderstudyError
from understudy.engine.cells.cell import Cell, CellPlan
from understudy.simulation.replay.causes import likely_causes
from understudy.simulation.replay.job import Job, Place
from understudy.simulation.replay.judge import Finding, judge_contents, judge_ids, judge_unnamed
from understudy.simulation.replay.record import Read, Run, Site, Write

BENCH = "understudy.simulation.replay.bench:Bench"
# A set of two has the same order under half of all seeds, so that one more would often show nothing.
SEEDS = ("1", "2", "3", "4")
SEEDS_WITHOUT_SITES = ("1", "2")
PATIENCE = 60.0
_SIDE_BY_SIDE = 2


@dataclass(frozen=True, slots=True)
class SeedsResult:
    """What other hash seeds changed, and why."""

    findings: tuple[Finding, ...] = ()
    causes: tuple[Read, ...] = ()
    notes: tuple[str, ...] = ()


async def compare_seeds(
    job: Job,
    place: Place,
    sites: Sequence[Read],
    pipeline: Site,
    *,
    seconds: float = PATIENCE,
    memory: int = 0,
) -> SeedsResult:
    """Run the job once under each seed; a run that differs from the first is told apart by its kind of cause.

    The processes are compared with one another and not with this one, whose modules may have been changed by what
    it did before.
    """
    seeds = SEEDS if sites else SEEDS_WITHOUT_SITES
    free = asyncio.Semaphore(_SIDE_BY_SIDE)

    async def run(seed: str, job: Job = job) -> Run | str:
        async with free:
            return await _one(job, place, seed, seconds, memory)

    runs = await asyncio.gather(*map(run, seeds))
    raised = [one for one in runs if isinstance(one, Run) and one.error]
    if raised and len(raised) < len(runs):
        text = f"under some hash seeds only, it raised {raised[0].error}"
        return SeedsResult((Finding("error", text, "no error", raised[0].error),), tuple(sites))
    for seed, one in zip(seeds, runs, strict=True):
        if isinstance(one, str) or one.error:
            why = one if isinstance(one, str) else f"it raised {one.error}"
            return SeedsResult(
                notes=(f"not compared with other hash seeds: under PYTHONHASHSEED={seed} {why}",)
            )
    known = [one for one in runs if isinstance(one, Run)]
    for seed, other in zip(seeds[1:], known[1:], strict=True):
        found = [*_differences(job, known[0], other)]
        if found:
            again = await run(seeds[0], replace(job, traced=tuple(sites)))
            if isinstance(again, Run) and not [*_differences(job, known[0], again)]:
                where = f"under another hash seed (PYTHONHASHSEED={seed})"
                return SeedsResult(_prefixed(found, where), _run_ones(again, sites))
            texts = [text for finding in found for text in finding.texts]
            causes = likely_causes(known[0], other, texts, pipeline)
            return SeedsResult(_prefixed(found, "in another process"), causes)
    return SeedsResult()


def _prefixed(found: Iterable[Finding], where: str) -> tuple[Finding, ...]:
    return tuple(replace(finding, message=f"{where}, {finding.message}") for finding in found)


def _run_ones(run: Run, sites: Sequence[Read]) -> tuple[Read, ...]:
    """The sites that the run came by; all of them if it came by none, so that a library did the harm."""
    return tuple(read for read in run.reads if read.kind == "order") or tuple(sites)


def _differences(job: Job, first: Run, other: Run) -> Iterator[Finding]:
    yield from judge_ids(first.ids, other.ids, ordered=job.ordered)
    yield from judge_contents(first.contents, other.contents)
    yield from judge_unnamed(first.contents, other.contents)
    yield from _judge_same_writes(first.writes, other.writes)


def _judge_same_writes(first: Sequence[Write], other: Sequence[Write]) -> Iterator[Finding]:
    """Writes that only one of two runs makes which should be the same."""
    before = Counter((one.name, one.content_hash) for one in first)
    after = Counter((one.name, one.content_hash) for one in other)
    gone, come = before - after, after - before
    for write in other:
        identity = (write.name, write.content_hash)
        if not come[identity]:
            continue
        come[identity] -= 1
        was = next((one for one in gone if one[0] == write.name and gone[one]), None)
        if was is not None:
            gone[was] -= 1
            text = f"{write} wrote something else ({write.content_hash[:19]}, was {was[1][:19]})"
            yield Finding("write", text, was[1], write.content_hash, "", (write.key,))
        else:
            yield Finding(
                "write", f"{write} was made, and not before", "no such write", write.name, "", (write.key,)
            )
    for name, digest in gone.elements():
        yield Finding("write", f"{name} was not made", f"{name} {digest[:19]}", "no such write", "", (name,))


async def _one(job: Job, place: Place, seed: str, seconds: float, memory: int) -> Run | str:
    """The run under one seed, or why there is none."""
    cell = Cell(CellPlan(BENCH, {"place": place}, memory, {"PYTHONHASHSEED": seed}))
    try:
        async with aclosing(cell.call_async("run_once", job, seconds=seconds)) as runs:
            async for run in runs:
                return run if isinstance(run, Run) else "it answered with something else"
    except UnderstudyError as error:
        return str(error)
    except Exception as error:  # whatever pickling a job of unknown make may raise
        return f"{type(error).__name__}: {error}"
    finally:
        cell.kill()
    return "it answered nothing"
