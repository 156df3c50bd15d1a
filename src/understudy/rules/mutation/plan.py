"""Which rules there are below some folders, which tests concern each, and what its verdicts depend on."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from understudy import __version__
from understudy.core.errors import InputError
from understudy.engine.cells.cell import CellDied
from understudy.engine.cells.pool import CellPool
from understudy.rules.catalogue import test_files
from understudy.rules.coverage.folders import rule_folders
from understudy.rules.mutation.bench import RuleListed, Seen, TestFile, TestName
from understudy.rules.settings import RulesSettings

_LOADING = 60.0


@dataclass(slots=True)
class RulePlan:
    """A rule and the tests that evaluate it, in the order of their files, with what each took and reached.

    `bad` are those of them that fail with the rule as it is; `key` tells when what was found out still holds.
    """

    folder: str
    name: str
    file: str
    tests: list[TestName] = field(default_factory=list)
    bad: list[str] = field(default_factory=list)
    seconds: float = 0.0
    reached: dict[TestName, frozenset[int]] = field(default_factory=dict)
    key: str = ""

    def nearest_first(self, line: int) -> list[TestName]:
        """Its tests, those first that reach a line."""
        return sorted(self.tests, key=lambda test: line not in self.reached.get(test, frozenset()))

    def nearest(self, line: int) -> list[TestName]:
        """The tests that reach a line, or all of them if none does."""
        return [test for test in self.tests if line in self.reached.get(test, frozenset())] or self.tests


@dataclass(slots=True)
class Plan:
    """All rules, sorted by their files, and what could not be read.

    `not_loaded` are files of tests and why, some of which may be `libraries`, which only others can load.
    """

    rules: list[RulePlan] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    not_loaded: dict[str, str] = field(default_factory=dict)
    libraries: set[str] = field(default_factory=set)


async def make_plan(
    root: Path, settings: RulesSettings, pool: CellPool, wanted: Callable[[str], bool]
) -> Plan:
    """Look at every test once, and at every rule beside them; `wanted` says which rules, by name, are meant."""
    plan = Plan()
    files = test_files(root, settings.dirs)
    whole = {_as_prefix(folder) for folder in rule_folders(root, settings.dirs, files)}
    by_folder: dict[str, list[str]] = {folder: [] for folder in whole}
    for file in files:
        by_folder.setdefault(os.path.dirname(file), []).append(file)
    for folder, tests in sorted(by_folder.items()):
        look = _Look(root, folder, settings, pool, plan, is_whole=folder in whole)
        await look.all(tests, wanted)
    plan.rules.sort(key=lambda rule: rule.file)
    plan.problems += [
        f"{file}: {error}" for file, error in plan.not_loaded.items() if file not in plan.libraries
    ]
    return plan


class _Look:
    """A look at one folder: its rules, and each of its tests with the rules as they are."""

    def __init__(
        self,
        root: Path,
        folder: str,
        settings: RulesSettings,
        pool: CellPool,
        plan: Plan,
        *,
        is_whole: bool,
    ) -> None:
        self._root = root
        self._folder = folder
        self._settings = settings
        self._pool = pool
        self._plan = plan
        self._is_whole = is_whole
        self._rules: dict[str, RulePlan] = {}
        self._beside: dict[str, set[str]] = {}
        self._opened: set[str] = set()

    async def all(self, files: Sequence[str], wanted: Callable[[str], bool]) -> None:
        """Look at everything; of a folder that is not meant as a whole, only rules that have tests are."""
        try:
            listed: list[RuleListed] = await _one(self._pool.call("rules", self._folder, seconds=_LOADING))
        except (InputError, CellDied) as error:
            self._plan.problems.append(str(error))
            return
        self._rules = {
            rule.file: RulePlan(self._folder, rule.name, rule.file) for rule in listed if rule.file
        }
        self._plan.problems += [rule.error for rule in listed if rule.error and wanted(rule.name)]
        chosen = [rule for rule in self._rules.values() if wanted(rule.name)]
        if not chosen:
            return
        for file in files:
            await self._file(file)
        others = _digest(self._root, sorted(self._opened - self._rules.keys()))
        for rule in chosen:
            if self._is_whole or rule.tests or rule.bad:
                rule.key = self._key(rule, others)
                self._plan.rules.append(rule)

    async def _file(self, file: str) -> None:
        """Run the tests of a file, and note what they opened."""
        seconds = self._settings.test_timeout
        try:
            found: TestFile = await _one(self._pool.call("list_tests", file, seconds=seconds))
        except CellDied as died:
            found = TestFile(error=str(died))
        if found.error:
            self._plan.not_loaded[file] = found.error
        libraries = {library for library in found.libraries if not library.startswith("<")}
        self._plan.libraries |= libraries
        for name in found.tests:
            try:
                seen: Seen = await _one(self._pool.call("look", file, name, seconds=seconds))
            except CellDied as died:
                self._plan.problems.append(f"{file}::{name}: {died}")
                continue
            for shown, lines in seen.lines.items():
                if rule := self._rules.get(shown):
                    _add(rule, (file, name), seen, lines)
                    self._beside.setdefault(shown, set()).update(seen.lines)
        self._opened |= {file} | libraries
        self._opened |= set(await _one(self._pool.call("opened", seconds=seconds)))

    def _key(self, rule: RulePlan, others: str) -> str:
        """The same as long as the rule, its tests, all that they open and what they may use are the same."""
        names = "\n".join(f"{file}::{name}" for file, name in rule.tests)
        rules = _digest(self._root, sorted({rule.file, *self._beside.get(rule.file, ())}))
        bounds = [self._settings.test_timeout, self._settings.memory, self._settings.providers]
        return _hash([__version__, others, names, rules, json.dumps(bounds, sort_keys=True)])


def _as_prefix(folder: str) -> str:
    """A folder as the beginning of the names in it; the root is none."""
    return "" if folder == "." else folder


def _add(rule: RulePlan, test: TestName, seen: Seen, lines: Iterable[int]) -> None:
    if seen.bad:
        rule.bad.append("::".join(test))
        return
    rule.tests.append(test)
    rule.seconds += seen.seconds
    rule.reached[test] = frozenset(lines)


async def _one(items: AsyncIterator[Any]) -> Any:
    """The only item of a call."""
    async with aclosing(items) as stream:  # type: ignore[type-var]  # it is a generator, which can be closed
        found = [item async for item in stream]
    return found[0]


def _digest(root: Path, names: Iterable[str]) -> str:
    pieces: list[str] = []
    for name in names:
        try:
            content = (root / name).read_bytes()
        except OSError:
            content = b""
        pieces += [name, hashlib.sha256(content).hexdigest()]
    return _hash(pieces)


def _hash(pieces: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(pieces).encode("utf-8", "surrogatepass")).hexdigest()[:32]
