"""Tests of policy rules where they stand: every `*.star` that pytest comes to is a file of items."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from understudy.core.errors import InputError
from understudy.core.ids import split_case_id
from understudy.core.outcome import Outcome
from understudy.engine.act import Act, Unit
from understudy.project.project import Project
from understudy.project.roots import enclosing_root
from understudy.project.rules_project import project_of_rules
from understudy.pytesting.outcome_items import ConclusionItem, UnitItem
from understudy.pytesting.running import Running
from understudy.rules.act import RulesAct
from understudy.rules.catalogue import test_files

SUFFIX = ".star"
# One file is not meant to reach all lines of the rules beside it, nor to notice all changes of them.
_CHANGES = {"coverage": 0, "measure_coverage": False, "mutation": 0}


class RuleFiles:
    """A plugin that collects test files of rules, and runs them. All of them share the cells that they run in."""

    def __init__(self, root: Path) -> None:
        self._root = enclosing_root(root)
        self._running = Running(self._rerun)
        self._project: Project | None = None
        self._act = RulesAct()

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """Take what is a test file of rules."""
        if file_path.suffix != SUFFIX:
            return None
        return RuleFile.from_parent(parent, path=file_path, plugin=self)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out files without tests that another file loads, which is not known before all are collected."""
        libraries = {file for file, is_loaded in self._act.files_without_tests.items() if is_loaded}
        items[:] = [
            item
            for item in items
            if not (isinstance(item.parent, RuleFile) and item.parent.shown in libraries)
        ]

    def pytest_sessionfinish(self) -> None:
        """End the cells that tests ran in."""
        self._running.close()

    def items(self, file: RuleFile) -> Iterable[pytest.Item]:
        """The tests of a file, and what only all of them can tell."""
        if self._project is None:
            self._project = project_of_rules([str(file.path)], str(self._root), _CHANGES)
        (file.shown,) = test_files(self._project.root, [os.path.relpath(file.path, self._project.root)])
        units = self._act.discover_file(self._project, file.shown)
        whole = _WholeFile(self._running, file.shown, frozenset(unit.id for unit in units))
        for unit in units:
            yield UnitItem.from_parent(file, name=unit.cases[0].name, items=whole, act=self._act, unit=unit)
        yield ConclusionItem.from_parent(file, name="(mocks)", items=whole, act=self._act)

    def _rerun(self, case: str) -> str:
        file = case.split("::")[1]
        return shlex.join(["understudy", "rules", "test", str(self._root / file), "--case", case])


@dataclass(frozen=True, slots=True)
class _WholeFile:
    """Runs the tests of one file, and judges what they leave when all of them have run."""

    running: Running
    file: str
    units: frozenset[str]

    def run(self, act: Act, unit: Unit) -> list[Outcome]:
        """The outcomes of a test."""
        return self.running.run(act, unit)

    def conclude(self, act: Act) -> list[Outcome]:
        """What is to be judged of this file, whatever there is to be said of others."""
        if not self.running.ran.issuperset(self.units):
            pytest.skip("not all tests of the file have run in this process; its mocks are not judged")
        return [o for o in self.running.concluded(act) if split_case_id(o.id)[1] == self.file]


class RuleFile(pytest.File):
    """A test file of rules; `shown` is its name from the root on."""

    def __init__(self, *, plugin: RuleFiles, **rest: Any) -> None:
        super().__init__(**rest)
        self._plugin = plugin
        self.shown = ""

    def collect(self) -> Iterable[pytest.Item]:
        """The file's items."""
        return list(self._plugin.items(self))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What is wrong with the file, instead of a traceback through our own code."""
        if isinstance(excinfo.value, InputError):
            return "\n".join(f"error: {problem}" for problem in excinfo.value.problems)
        return super().repr_failure(excinfo)
