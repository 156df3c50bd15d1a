"""Runs the tests against all mutants that are not known yet, several at a time, within a budget."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from understudy.core.errors import InputError
from understudy.engine.cells.cell import CellDied, CellOverdue, CellPlan
from understudy.engine.cells.pool import CellPool
from understudy.rules.cells import ENVIRONMENT
from understudy.rules.mutation.bench import MutantListed, Verdict
from understudy.rules.mutation.ledger import Ledger
from understudy.rules.mutation.plan import RulePlan, make_plan
from understudy.rules.settings import RulesSettings

SERVANT = "understudy.rules.mutation.bench:MutationBench"
_LISTING = 60.0
_CHECKING = 5.0
_GRACE = 5.0
_SLOWER = 10.0


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a user asked for: names of rules and ids of mutants (none: all), kinds to leave out.

    `budget` are the seconds to spend, `workers` the processes to use; 0 is no limit, and one per processor.
    """

    rules: tuple[str, ...] = ()
    mutants: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    budget: float = 0.0
    workers: int = 0


@dataclass(slots=True)
class Tried:
    """A mutant and what came of it, None if it was not tried."""

    mutant: MutantListed
    number: int
    verdict: Verdict | None = None


@dataclass(slots=True)
class RuleTried:
    """A rule with all its mutants. `problem` says why they were not tried."""

    plan: RulePlan
    mutants: list[Tried] = field(default_factory=list)
    problem: str = ""


class MutationSession:
    """One run. `rules` and `problems` are right at any moment, so that an interrupted run can be told of.

    `names` and `ids` are those of all rules and mutants that were seen, whichever were wanted.
    """

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
        self._side_by_side = wanted.workers or min(os.cpu_count() or 1, 8)
        self.rules: list[RuleTried] = []
        self.problems: list[str] = []
        self.names: set[str] = set()
        self.ids: set[str] = set()

    async def list_mutants(self) -> None:
        """Find the rules and their mutants, without those that do not compile, and try none."""
        async with self._cells() as pool:
            await self._prepare(pool)
            every = [(rule, tried) for rule in self.rules for tried in rule.mutants]
            good: set[str] = set()

            async def check(rule: RuleTried, tried: Tried) -> None:
                if await self._compiles(rule.plan, tried.number, pool):
                    good.add(_key(rule.plan, tried.mutant))

            await self._side_by_side_for(every, check)
            for rule in self.rules:
                rule.mutants = [tried for tried in rule.mutants if _key(rule.plan, tried.mutant) in good]

    async def run(self) -> None:
        """Try every mutant, until the budget is spent."""
        async with self._cells() as pool:
            try:
                async with asyncio.timeout(self._wanted.budget or None):
                    await self._prepare(pool)
                    await self._try_all(pool)
            except TimeoutError:
                if not self.rules:
                    self.problems.append(
                        f"the budget of {self._wanted.budget:g} s was spent before every test was run once; "
                        "give it more time, or fewer folders"
                    )
            finally:
                self._ledger.save()

    async def _prepare(self, pool: CellPool) -> None:
        names = set(self._wanted.rules)

        def is_wanted(name: str) -> bool:
            self.names.add(name)
            return not names or name in names

        found = await make_plan(self._root, self._settings, pool, is_wanted)
        self.problems += found.problems
        rules = [RuleTried(rule) for rule in found.rules]
        for rule in rules:
            listed = [Tried(mutant, number) for number, mutant in enumerate(await self._listed(rule, pool))]
            self.ids.update(tried.mutant.id for tried in listed)
            wanted = self._wanted.mutants
            rule.mutants = [tried for tried in listed if not wanted or tried.mutant.id in wanted]
            for tried in rule.mutants:
                tried.verdict = self._ledger.find(_key(rule.plan, tried.mutant))
            if rule.plan.bad:
                rule.problem = f"its tests fail without any change: {', '.join(rule.plan.bad)}"
        self.rules = [rule for rule in rules if rule.mutants or not self._wanted.mutants]

    async def _listed(self, rule: RuleTried, pool: CellPool) -> Sequence[MutantListed]:
        """The mutants of a rule."""
        names = (rule.plan.folder, rule.plan.name, self._wanted.skip)
        try:
            async with aclosing(pool.call("mutants", *names, seconds=_LISTING)) as items:
                found: list[Sequence[MutantListed]] = [item async for item in items]
            return found[0]
        except (CellDied, InputError) as error:
            rule.problem = str(error)
            return []

    async def _try_all(self, pool: CellPool) -> None:
        left = [
            (rule, tried)
            for rule in self.rules
            for tried in rule.mutants
            if tried.verdict is None and not rule.problem
        ]
        done = 0

        async def attempt(rule: RuleTried, tried: Tried) -> None:
            nonlocal done
            tried.verdict = await self._attempt(rule.plan, tried, pool)
            self._ledger.add(_key(rule.plan, tried.mutant), tried.verdict)
            done += 1
            self._progress(done, len(left))

        await self._side_by_side_for(left, attempt)

    async def _side_by_side_for(
        self,
        entries: Sequence[tuple[RuleTried, Tried]],
        work: Callable[[RuleTried, Tried], Awaitable[None]],
    ) -> None:
        queue = iter(entries)

        async def worker() -> None:
            for rule, tried in queue:
                await work(rule, tried)

        async with asyncio.TaskGroup() as group:
            for _ in range(self._side_by_side):
                group.create_task(worker())

    async def _compiles(self, plan: RulePlan, number: int, pool: CellPool) -> bool:
        arguments = (plan.folder, plan.name, self._wanted.skip, number)
        try:
            async with aclosing(pool.call("check", *arguments, seconds=_CHECKING)) as items:
                return all([item async for item in items])
        except CellDied:
            return True  # it was compiled, and is being evaluated without end

    async def _attempt(self, plan: RulePlan, tried: Tried, pool: CellPool) -> Verdict:
        tests = plan.nearest_first(tried.mutant.line)
        seconds = min(_GRACE + _SLOWER * plan.seconds, max(self._settings.test_timeout * len(tests), 1.0))
        arguments = (plan.folder, plan.name, self._wanted.skip, tried.number, tests)
        try:
            async with aclosing(pool.call("attempt", *arguments, seconds=seconds)) as items:
                verdicts: list[Verdict] = [item async for item in items]
        except CellOverdue as died:
            return Verdict("overdue", how=str(died))
        except CellDied as died:
            return Verdict("noticed", how=str(died))
        return verdicts[0]

    @asynccontextmanager
    async def _cells(self) -> AsyncIterator[CellPool]:
        arguments = {"root": str(self._root), "providers": dict(self._settings.providers)}
        pool = CellPool(CellPlan(SERVANT, arguments, self._settings.memory, ENVIRONMENT), self._side_by_side)
        try:
            yield pool
        finally:
            pool.close()


def _key(plan: RulePlan, mutant: MutantListed) -> str:
    return f"{plan.key}-{mutant.digest}"
