"""Runs the tests against all mutants that are not known yet, several at a time, within a budget."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from understudy.core.errors import InputError
from understudy.engine.cells.cell import CellDied, CellPlan
from understudy.engine.cells.pool import CellPool
from understudy.rules.mutation.bench import MutantListed, Verdict
from understudy.rules.mutation.ledger import Ledger
from understudy.rules.mutation.plan import RulePlan, make_plan
from understudy.rules.settings import RulesSettings

SERVANT = "understudy.rules.mutation.bench:MutationBench"
_LISTING = 120.0
_GRACE = 5.0
_SLOWER = 10.0
_SIDE_BY_SIDE = min(os.cpu_count() or 1, 8)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a user asked for: names of rules (none: all), kinds to leave out, seconds to spend (0: no limit)."""

    rules: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    budget: float = 0.0


@dataclass(slots=True)
class Tried:
    """A mutant and what came of it, None if it was not tried."""

    mutant: MutantListed
    verdict: Verdict | None = None


@dataclass(slots=True)
class RuleTried:
    """A rule with all its mutants. `problem` says why they were not tried."""

    plan: RulePlan
    mutants: list[Tried] = field(default_factory=list)
    problem: str = ""


class MutationSession:
    """One run. `rules` and `problems` are right at any moment, so that an interrupted run can be told of."""

    def __init__(
        self,
        root: Path,
        settings: RulesSettings,
        wanted: Wanted,
        ledger: Ledger,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> None:
        self._root = root
        self._settings = settings
        self._wanted = wanted
        self._ledger = ledger
        self._progress = progress
        self._ends = time.monotonic() + wanted.budget if wanted.budget else float("inf")
        self.rules: list[RuleTried] = []
        self.problems: list[str] = []
        self.known_rules: list[str] = []

    async def list_mutants(self) -> None:
        """Find the rules and their mutants, without those that do not compile, and try none."""
        async with _cells(self._plan()) as pool:
            await self._prepare(pool)
            for rule in self.rules:
                checked = await self._listed(rule, pool, "check")
                rule.mutants = [tried for tried, good in zip(rule.mutants, checked, strict=True) if good]

    async def run(self) -> None:
        """Try every mutant."""
        async with _cells(self._plan()) as pool:
            try:
                await self._prepare(pool)
                await self._try_all(pool)
            finally:
                self._ledger.save()

    async def _prepare(self, pool: CellPool) -> None:
        names = set(self._wanted.rules)

        def is_wanted(name: str) -> bool:
            self.known_rules.append(name)
            return not names or name in names

        found = await make_plan(self._root, self._settings.dirs, pool, self._settings.test_timeout, is_wanted)
        self.problems += found.problems
        self.rules += [RuleTried(rule) for rule in found.rules]
        for rule in self.rules:
            listed = await self._listed(rule, pool, "mutants")
            rule.mutants = [Tried(mutant) for mutant in listed]
            if rule.plan.bad:
                rule.problem = f"its tests fail without any change: {', '.join(rule.plan.bad)}"

    async def _listed(self, rule: RuleTried, pool: CellPool, method: str) -> Sequence[Any]:
        """What a cell says of each mutant of a rule."""
        names = (rule.plan.folder, rule.plan.name, self._wanted.skip)
        try:
            async with aclosing(pool.call(method, *names, seconds=_LISTING)) as items:
                found: list[Sequence[Any]] = [item async for item in items]
            return found[0]
        except (CellDied, InputError) as error:
            rule.problem = str(error)
            return []

    async def _try_all(self, pool: CellPool) -> None:
        left = list(self._left())
        total, done = len(left), 0
        queue = iter(left)

        async def work() -> None:
            nonlocal done
            for rule, number in queue:
                if time.monotonic() > self._ends:
                    return
                tried = rule.mutants[number]
                tried.verdict = await self._attempt(rule.plan, tried.mutant, number, pool)
                self._ledger.add(_key(rule.plan, tried.mutant), tried.verdict)
                done += 1
                self._progress(done, total)

        async with asyncio.TaskGroup() as group:
            for _ in range(_SIDE_BY_SIDE):
                group.create_task(work())

    def _left(self) -> Iterator[tuple[RuleTried, int]]:
        """The mutants that nothing is known of, of rules that can be tried."""
        for rule in self.rules:
            for number, tried in enumerate(rule.mutants):
                tried.verdict = self._ledger.find(_key(rule.plan, tried.mutant))
                if tried.verdict is None and not rule.problem:
                    yield rule, number

    async def _attempt(self, plan: RulePlan, mutant: MutantListed, number: int, pool: CellPool) -> Verdict:
        tests = plan.nearest_first(mutant.line)
        seconds = min(_GRACE + _SLOWER * plan.seconds, max(self._settings.test_timeout * len(tests), 1.0))
        arguments = (plan.folder, plan.name, self._wanted.skip, number, tests)
        try:
            async with aclosing(pool.call("attempt", *arguments, seconds=seconds)) as items:
                verdicts: list[Verdict] = [item async for item in items]
        except CellDied as died:
            return Verdict("noticed", how=str(died))
        return verdicts[0]

    def _plan(self) -> CellPlan:
        arguments = {"root": str(self._root), "providers": dict(self._settings.providers)}
        return CellPlan(SERVANT, arguments, self._settings.memory)


def _key(plan: RulePlan, mutant: MutantListed) -> str:
    return f"{plan.key}-{mutant.digest}"


@asynccontextmanager
async def _cells(plan: CellPlan) -> AsyncIterator[CellPool]:
    pool = CellPool(plan, _SIDE_BY_SIDE)
    try:
        yield pool
    finally:
        pool.close()
