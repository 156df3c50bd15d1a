"""What works in a cell: loads test files, lists their tests and runs them, with everything kept warm."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from understudy.core.events import Evidence
from understudy.engine.act import CaseRef, Item
from understudy.rules.listing import Listed
from understudy.rules.outcomes import load_error, outcomes_of
from understudy.rules.rehearsal import Rehearsal
from understudy.rules.starlark.cases import run_test
from understudy.rules.starlark.host import Host
from understudy.rules.starlark.modules import LoadFailed, Modules, TestModule


class Workbench:
    """The servant of a cell; also of use in one's own process, for files that are trusted."""

    def __init__(self, root: str, providers: Mapping[str, str] | None = None, cover: bool = False) -> None:
        self._root = Path(root).resolve()
        self._rehearsal = Rehearsal(self._root, providers or {}, cover=cover)
        self._host = Host(self._rehearsal)
        self._modules = Modules(self._root, self._host)
        self._loaded: dict[str, TestModule | LoadFailed] = {}

    def list_tests(self, file: str) -> Iterator[Listed]:
        """What is in a test file."""
        try:
            module = self._module(file)
        except LoadFailed as failed:
            yield Listed(file, error=failed.error)
            return
        yield Listed(file, module.tests, module.libraries)

    def run_test(self, file: str, ref: CaseRef) -> Iterator[Item]:
        """Run one test function: its outcomes, and the evidence of what it reached."""
        started = time.perf_counter()
        try:
            module = self._module(file)
        except LoadFailed as failed:
            yield load_error(failed.error, ref)
            return
        self._rehearsal.begin(module)
        ran = run_test(module, ref.name, self._host)
        duration = (time.perf_counter() - started) * 1000
        bad = (
            ran.error is not None
            or bool(ran.turn.failures)
            or any(row.error or row.failures for row in ran.turn.rows.values())
        )
        explained = self._rehearsal.explained(ran.turn) if bad else ()
        yield from outcomes_of(ran, ref, file, duration, explained)
        yield Evidence(self._rehearsal.evidence(module, ran))

    def measure_rules(self, folder: str) -> Iterator[Evidence]:
        """What there is to be reached in the rules of a folder."""
        yield Evidence(self._rehearsal.measured(self._root / folder))

    def glance_at_rules(self, folder: Path) -> None:
        """Find out which rules are in a folder, before a test asks."""
        self._rehearsal.glance(folder)

    @property
    def used(self) -> list[Path]:
        """The files of the rules that tests evaluated, and of the data sources that they asked for."""
        return self._rehearsal.used

    def _module(self, file: str) -> TestModule:
        if file not in self._loaded:
            try:
                self._rehearsal.begin(None)
                self._loaded[file] = self._modules.load(self._root / file, file)
            except LoadFailed as failed:
                self._loaded[file] = failed
        found = self._loaded[file]
        if isinstance(found, LoadFailed):
            raise found
        return found
