"""Runs a group of tied cases in its order, and whole suites as such groups."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass
from typing import Any

from understudy.testbed.case_run import CaseResult, run_case
from understudy.testbed.items import Item
from understudy.testbed.session import Session
from understudy.testbed.ties import Group, is_last, needed_by

Keep = Callable[[CaseResult], None]


@dataclass(frozen=True, slots=True)
class _Done:
    """What later cases of a group have to know of a result, which is far less than its response."""

    name: str
    trouble: str
    captured: Mapping[str, Any]

    @classmethod
    def of(cls, result: CaseResult) -> _Done:
        how = "was skipped" if result.skipped else "could not be judged" if result.error else "failed"
        return cls(result.item.case.name, "" if result.passed else how, result.captured)


async def run_group(group: Group, session: Session) -> AsyncGenerator[CaseResult, None]:
    """The results of a group's cases, as they come. `finally` cases run even when the group is cancelled."""
    done: dict[int, _Done] = {}
    try:
        for item in group:
            fresh = [await _run_tied(item, done, session)]
            done[item.index] = _Done.of(fresh[0])
            # Given away whole: while this waits for its next turn, it must not hold on to a response.
            yield fresh.pop()
    except (asyncio.CancelledError, GeneratorExit):
        for item in group:
            if item.case.finally_ and item.index not in done:
                done[item.index] = _Done.of(await _run_tied(item, done, session))
        raise


async def _run_tied(item: Item, done: Mapping[int, _Done], session: Session) -> CaseResult:
    captured: dict[str, Any] = {}
    for name, index in item.sources.items():
        source = done.get(index)
        if source is None or name not in source.captured:
            whose = repr(source.name) if source is not None else "its case"
            reason = f"${{{name}}} was not captured: {whose} did not get that far"
            return CaseResult(item, item.case, reason, skipped=True)
        captured[name] = source.captured[name]
    if not item.case.finally_:
        for index in sorted(needed_by(item)):
            needed = done[index]
            if needed.trouble:
                reason = f"needs {needed.name!r}, which {needed.trouble}"
                return CaseResult(item, item.case, reason, skipped=True)
    return await run_case(item, session, captured)


async def run_groups(groups: Sequence[Group], session: Session, concurrency: int, keep: Keep) -> None:
    """Run groups, side by side if asked to; those that come last run after all others, whatever happened."""
    last = [group for group in groups if is_last(group)]
    first = [group for group in groups if not is_last(group)] if last else groups
    try:
        if concurrency > 1:
            waiting = iter(first)
            async with asyncio.TaskGroup() as tasks:
                for _ in range(min(concurrency, len(first))):
                    tasks.create_task(_run_in_turn(waiting, session, keep))
        elif any(len(group) > 1 for group in first):
            await _run_in_suite_order(first, session, keep)
        else:
            await _run_in_turn(first, session, keep)
    finally:
        await _run_in_turn(last, session, keep)


async def _run_in_turn(groups: Iterable[Group], session: Session, keep: Keep) -> None:
    for group in groups:
        if len(group) == 1:
            keep(await run_case(group[0], session, {}))
            continue
        async with aclosing(run_group(group, session)) as results:
            async for result in results:
                keep(result)


async def _run_in_suite_order(groups: Sequence[Group], session: Session, keep: Keep) -> None:
    """One case at a time, as the suite has them; only what ties demand stands elsewhere in this order."""
    waiting = [(group[0].index, number, 0) for number, group in enumerate(groups)]
    heapq.heapify(waiting)
    begun: dict[int, AsyncGenerator[CaseResult, None]] = {}
    try:
        while waiting:
            _, number, position = heapq.heappop(waiting)
            group = groups[number]
            if number not in begun:
                begun[number] = run_group(group, session)
            keep(await anext(begun[number]))
            if position + 1 < len(group):
                heapq.heappush(waiting, (group[position + 1].index, number, position + 1))
            else:
                await begun.pop(number).aclose()
    finally:
        async with AsyncExitStack() as closing:
            for results in begun.values():
                closing.push_async_callback(results.aclose)
