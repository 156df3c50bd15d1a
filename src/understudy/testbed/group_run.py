"""Runs a group of tied cases in its order, and whole suites as such groups."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import aclosing
from typing import Any

from understudy.testbed.case_run import CaseResult, run_case
from understudy.testbed.items import Item
from understudy.testbed.session import Session
from understudy.testbed.ties import Group, is_last


async def run_group(group: Group, session: Session) -> AsyncGenerator[CaseResult, None]:
    """The results of a group's cases, as they come. `finally` cases run even when the group is cancelled."""
    results: dict[int, CaseResult] = {}
    try:
        for item in group:
            results[item.index] = result = await _run_tied(item, results, session)
            yield result
    except (asyncio.CancelledError, GeneratorExit):
        for item in group:
            if item.case.finally_ and item.index not in results:
                results[item.index] = await _run_tied(item, results, session)
        raise


async def _run_tied(item: Item, results: dict[int, CaseResult], session: Session) -> CaseResult:
    captured: dict[str, Any] = {}
    for name, index in item.sources.items():
        source = results.get(index)
        if source is None or name not in source.captured:
            whose = repr(source.item.case.name) if source is not None else "its case"
            reason = f"${{{name}}} was not captured: {whose} did not get that far"
            return CaseResult(item, item.case, reason, skipped=True)
        captured[name] = source.captured[name]
    if not item.case.finally_:
        for index in (*item.needs, *item.sources.values()):
            needed = results[index]
            if not needed.passed:
                how = "was skipped" if needed.skipped else "could not be judged" if needed.error else "failed"
                reason = f"needs {needed.item.case.name!r}, which {how}"
                return CaseResult(item, item.case, reason, skipped=True)
    return await run_case(item, session, captured)


async def run_groups(
    groups: Sequence[Group], session: Session, concurrency: int, keep: Callable[[CaseResult], None]
) -> None:
    """Run groups, side by side if asked to; those that come last run after all others, whatever happened."""
    last = [group for group in groups if is_last(group)]
    first = [group for group in groups if not is_last(group)] if last else groups
    try:
        if concurrency <= 1:
            await _run_in_turn(first, session, keep)
        else:
            waiting = iter(first)
            async with asyncio.TaskGroup() as tasks:
                for _ in range(min(concurrency, len(first))):
                    tasks.create_task(_run_in_turn(waiting, session, keep))
    finally:
        await _run_in_turn(last, session, keep)


async def _run_in_turn(groups: Iterable[Group], session: Session, keep: Callable[[CaseResult], None]) -> None:
    for group in groups:
        if len(group) == 1:
            keep(await run_case(group[0], session, {}))
            continue
        async with aclosing(run_group(group, session)) as results:
            async for result in results:
                keep(result)
