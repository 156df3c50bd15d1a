"""The act's side of a check: its units, which are listed in a cell, and how each of them is run in one."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

from understudy.core.errors import InputError, Problem
from understudy.engine.act import CaseRef, Item, Unit
from understudy.engine.cells.cell import Cell, CellDied, CellPlan
from understudy.engine.cells.pool import CellPool
from understudy.engine.stage import Resource, Scope, Stage
from understudy.rules.cells import ENVIRONMENT
from understudy.rules.listing import LoadError
from understudy.rules.outcomes import ACT, load_error
from understudy.rules.settings import CheckSettings, RulesSettings

SERVANT = "understudy.rules.check.bench:CheckBench"
LISTING_SECONDS = 60.0


class Checking:
    """The checks of a project."""

    def __init__(self, root: Path, settings: RulesSettings) -> None:
        self._settings = settings
        self._check = settings.check or CheckSettings()
        self._plan = CellPlan(
            SERVANT, {"root": str(root), "settings": settings.model_dump()}, settings.memory, ENVIRONMENT
        )
        self._ids: frozenset[str] = frozenset()
        self._spare: Cell | None = None

    def units(self) -> list[Unit]:
        """One for every check. Raises InputError if repository, profile, mocks or entity are wrong."""
        self._spare = Cell(self._plan)
        seconds = max(LISTING_SECONDS, self._check.timeout)
        try:
            refs: list[CaseRef] = list(self._spare.call("list_checks", seconds=seconds))
        except CellDied as died:
            self._spare = None
            hint = "name a smaller folder of rules, or allow more memory"
            raise InputError([Problem(f"the rules could not be read: {died}", hint=hint)]) from None
        except InputError:
            self._spare.kill()
            self._spare = None
            raise
        self._ids = frozenset(ref.id for ref in refs)
        return [Unit(ref.id, ACT, (ref,)) for ref in refs]

    def has(self, unit: Unit) -> bool:
        """Is this unit a check?"""
        return unit.id in self._ids

    async def run(self, unit: Unit, stage: Stage) -> AsyncGenerator[Item, None]:
        """Run a check."""
        (ref,) = unit.cases
        pool = await stage.get(Resource("cells of rule checks", Scope.WORKER, self._open_cells))
        try:
            async with aclosing(pool.call("run_check", ref, seconds=self._check.timeout)) as items:
                async for item in items:
                    yield item
        except CellDied as died:
            yield load_error(LoadError(str(died), ref.location.line if ref.location else None), ref)

    @asynccontextmanager
    async def _open_cells(self, stage: Stage) -> AsyncIterator[CellPool]:
        pool = CellPool(self._plan)
        if self._spare is not None:
            pool.adopt(self._spare)
            self._spare = None
        try:
            yield pool
        finally:
            pool.close()
