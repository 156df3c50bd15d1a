"""Rules as an act: finds the test files, runs each test function in a cell, and judges what only the whole tells."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any

from understudy.core.events import Evidence
from understudy.core.outcome import Outcome
from understudy.engine.act import CaseRef, Item, ProjectView, Unit
from understudy.engine.cells.cell import Call, Cell, CellDied, CellPlan
from understudy.engine.cells.pool import CellPool
from understudy.engine.cells.process import CellProcess
from understudy.engine.stage import Resource, Scope, Stage
from understudy.rules.catalogue import LOADING, test_files, units_of
from understudy.rules.cells import ENVIRONMENT, SERVANT
from understudy.rules.check.conclusions import check_conclusions
from understudy.rules.conclusions import conclusions_from
from understudy.rules.listing import Listed, LoadError
from understudy.rules.outcomes import ACT, load_error
from understudy.rules.settings import RulesSettings

if TYPE_CHECKING:
    from understudy.rules.check.checking import Checking
    from understudy.rules.mutation.case import MutationCase

_MEASURING = 60.0
NO_TEST = (
    "no test was found in it: write a function named test_... that takes no arguments, or load it from a test"
)


class RulesAct:
    """Starlark tests of policy rules."""

    name = ACT
    settings = RulesSettings

    def __init__(self) -> None:
        self.servant = SERVANT
        self._project: ProjectView | None = None
        self._listed: Mapping[str, Listed] = {}
        self._told: set[str] = set()
        self._spare: Cell | None = None
        self._started: CellProcess | None = None
        self._checking: Checking | None = None
        self._mutation: MutationCase | None = None
        self._to_measure: list[str] | None = None

    def begin_in(self, started: CellProcess) -> None:
        """Load the test files in a process that was started before there was a project to tell it of."""
        self._started = started

    def discover(self, project: ProjectView) -> Iterable[Unit]:
        """One unit for every test function, whose file is loaded in a cell, and for every check of a repository."""
        self._project = project
        self._told.clear()
        settings: RulesSettings = project.settings(ACT)
        units = self._tests(project, settings) if settings.tests else []
        if settings.tests and settings.mutation and units:
            from understudy.rules.mutation.case import MutationCase

            self._mutation = MutationCase(project.root, settings)
            units.append(self._mutation.unit)
        if settings.check is not None:
            from understudy.rules.check.checking import Checking

            self._checking = Checking(project.root, settings)
            units += self._checking.units()
        return units

    def discover_file(self, project: ProjectView, file: str) -> list[Unit]:
        """The units of one more test file, for whoever comes to files one by one, as pytest does."""
        self._project = project
        units, listed = units_of([file], self._list)
        self._listed = {**self._listed, **listed}
        return units

    @property
    def files_without_tests(self) -> Mapping[str, bool]:
        """The files found so far that have no tests, and whether another of those found loads it: a library."""
        libraries = {name for entry in self._listed.values() for name in entry.libraries}
        return {file: file in libraries for file, entry in self._listed.items() if not entry.tests}

    def _tests(self, project: ProjectView, settings: RulesSettings) -> list[Unit]:
        files = test_files(project.root, settings.dirs)
        units, self._listed = units_of(files, self._list)
        if settings.is_measured:
            from understudy.rules.coverage.folders import rule_folders

            self._to_measure = rule_folders(project.root, settings.dirs, files)
        return units

    async def foresee(self, units: Sequence[Unit], worker: Stage) -> None:
        """Have a cell run these tests without coming back for each of them."""
        calls = [_call(unit.cases[0]) for unit in units if self._is_test(unit)]
        if len(calls) > 1:
            (await self._cells(worker)).foresee(calls)

    async def run(self, unit: Unit, stage: Stage) -> AsyncIterator[Item]:
        """Run a unit's test or check."""
        if self._checking is not None and self._checking.has(unit):
            async with aclosing(self._checking.run(unit, stage)) as items:
                async for item in items:
                    yield item
            return
        if self._mutation is not None and unit.id == self._mutation.unit.id:
            yield await self._mutation.run()
            return
        settings: RulesSettings = self._found().settings(ACT)
        (ref,) = unit.cases
        file = ref.location.file if ref.location else ""
        listed = self._listed[file]
        if not self._is_test(unit):
            yield load_error(listed.error or LoadError(NO_TEST, 1), ref)
            return
        pool = await self._cells(stage)
        # First, since a foreseen test may leave no cell for anything else until the tests behind it were run as well.
        async for evidence in self._measured(pool, settings):
            yield evidence
        method, arguments = _call(ref)
        try:
            async with aclosing(pool.call(method, *arguments, seconds=settings.test_timeout)) as items:
                async for item in items:
                    yield item
        except CellDied as died:
            yield load_error(LoadError(str(died), ref.location.line if ref.location else None), ref)
        if file not in self._told:
            self._told.add(file)
            yield Evidence({"tests": {file: sorted(listed.tests)}})

    def _is_test(self, unit: Unit) -> bool:
        """True if a cell runs the unit: not a check, nor the score of mutation, nor a file that cannot be loaded."""
        (ref,) = unit.cases
        listed = self._listed.get(ref.location.file if ref.location else "")
        return listed is not None and (ref.name != LOADING or ref.name in listed.tests)

    async def _cells(self, stage: Stage) -> CellPool:
        return await stage.get(Resource("cells of rules", Scope.WORKER, self._open_cells))

    async def _measured(self, pool: CellPool, settings: RulesSettings) -> AsyncIterator[Evidence]:
        """What all rules have to reach, told once by every process that runs tests."""
        folders, self._to_measure = self._to_measure, None
        if folders is None:
            return
        yield Evidence({"coverageWanted": [settings.coverage]})
        for folder in folders:
            try:
                async with aclosing(pool.call("measure_rules", folder, seconds=_MEASURING)) as items:
                    async for item in items:
                        yield item
            except CellDied as died:
                yield Evidence({"broken": {folder: [str(died)]}})

    def conclude(self, evidence: Mapping[str, Any]) -> Iterable[Outcome]:
        """Fail for mocks that no test hits, and for lines that no test reaches if so many are demanded."""
        return chain(conclusions_from(evidence), check_conclusions(evidence))

    def _list(self, file: str) -> Listed:
        settings: RulesSettings = self._found().settings(ACT)
        if self._spare is None:
            started, self._started = self._started, None
            self._spare = Cell(self._plan(), started)
        try:
            (listed,) = self._spare.call("list_tests", file, seconds=settings.test_timeout)
        except CellDied as died:
            self._spare = None
            return Listed(file, error=LoadError(str(died)))
        found: Listed = listed
        return found

    @asynccontextmanager
    async def _open_cells(self, stage: Stage) -> AsyncIterator[CellPool]:
        pool = CellPool(self._plan())
        if self._spare is not None:
            pool.adopt(self._spare)
            self._spare = None
        try:
            yield pool
        finally:
            pool.close()

    def _plan(self) -> CellPlan:
        project = self._found()
        settings: RulesSettings = project.settings(ACT)
        arguments = {
            "root": str(project.root),
            "providers": dict(settings.providers),
            "cover": settings.is_measured,
        }
        return CellPlan(self.servant, arguments, settings.memory, ENVIRONMENT)

    def _found(self) -> ProjectView:
        assert self._project is not None, "discover comes first"  # noqa: S101 - the engine's order
        return self._project


def _call(ref: CaseRef) -> Call:
    return "run_test", (ref.location.file if ref.location else "", ref)
