"""Tests of policy rules where they stand: every `*.star` that pytest comes to is a file of items."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from understudy.core.errors import InputError
from understudy.core.outcome import Outcome
from understudy.engine.act import Act, Unit
from understudy.engine.plan import discover
from understudy.project.project import Project
from understudy.project.roots import enclosing_root
from understudy.project.rules_project import project_of_rules
from understudy.pytesting.outcome_items import ConclusionItem, UnitItem
from understudy.pytesting.running import Running

SUFFIX = ".star"
# One file is not meant to reach all lines of the rules beside it.
_CHANGES = {"coverage": 0, "measure_coverage": False}


class RuleFiles:
    """A plugin that collects test files of rules, and runs them."""

    def __init__(self, root: Path) -> None:
        self._root = enclosing_root(root)
        self._running = Running(self._rerun)
        self._project: Project | None = None
        self._units: dict[Act, set[str]] = {}

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """Take what is a test file of rules."""
        if file_path.suffix != SUFFIX:
            return None
        return RuleFile.from_parent(parent, path=file_path, plugin=self)

    def pytest_sessionfinish(self) -> None:
        """End the cells that tests ran in."""
        self._running.close()

    def items(self, file: RuleFile) -> Iterable[pytest.Item]:
        """The tests of a file, and what only all of them can tell."""
        project = project_of_rules([str(file.path)], str(self._root), _CHANGES)
        (act,) = project.acts.values()
        units = discover([act], project)
        if not units:
            return []
        self._units[act] = {unit.id for unit in units}
        tests = [
            UnitItem.from_parent(file, name=unit.cases[0].name, items=self, act=act, unit=unit)
            for unit in units
        ]
        return [*tests, ConclusionItem.from_parent(file, name="(mocks)", items=self, act=act)]

    def run(self, act: Act, unit: Unit) -> list[Outcome]:
        """The outcomes of a test."""
        return self._running.run(act, unit)

    def conclude(self, act: Act) -> list[Outcome]:
        """What the tests of a file leave to be judged, if all of them have run."""
        if not self._running.ran.issuperset(self._units[act]):
            pytest.skip("not all tests of the file have run in this process; its mocks are not judged")
        return self._running.concluded(act)

    def _rerun(self, case: str) -> str:
        file = case.split("::")[1]
        return shlex.join(["understudy", "rules", "test", str(self._root / file), "--case", case])


class RuleFile(pytest.File):
    """A test file of rules."""

    def __init__(self, *, plugin: RuleFiles, **rest: Any) -> None:
        super().__init__(**rest)
        self._plugin = plugin

    def collect(self) -> Iterable[pytest.Item]:
        """The file's items."""
        return list(self._plugin.items(self))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What is wrong with the file, instead of a traceback through our own code."""
        if isinstance(excinfo.value, InputError):
            return "\n".join(f"error: {problem}" for problem in excinfo.value.problems)
        return super().repr_failure(excinfo)
