"""Which rules there are below some folders, which tests concern each, and what its verdicts depend on."""

from __future__ import annotations

import hashlib
import os
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from understudy import __version__
from understudy.core.errors import InputError
from understudy.engine.cells.cell import CellDied
from understudy.engine.cells.pool import CellPool
from understudy.rules.catalogue import test_files
from understudy.rules.mutation.bench import RuleListed, Seen, TestFile, TestName
from understudy.rules.rule_files import SUFFIXES

_LOADING = 60.0
_PASSED_OVER = frozenset({".git", ".venv", "node_modules", "__pycache__", ".understudy"})


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
    """All rules, sorted by their files, and what could not be read."""

    rules: list[RulePlan] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


async def make_plan(
    root: Path, dirs: Sequence[str], pool: CellPool, seconds: float, wanted: Callable[[str], bool]
) -> Plan:
    """Look at every test once, and at every rule beside them; `wanted` says which rules, by name, are meant."""
    plan = Plan()
    by_folder: dict[str, list[str]] = {folder: [] for folder in _folders_with_rules(root, dirs)}
    for file in test_files(root, dirs):
        by_folder.setdefault(os.path.dirname(file), []).append(file)
    for folder, files in sorted(by_folder.items()):
        await _folder(root, folder, files, pool, seconds, wanted, plan)
    plan.rules.sort(key=lambda rule: rule.file)
    return plan


async def _folder(
    root: Path,
    folder: str,
    files: Sequence[str],
    pool: CellPool,
    seconds: float,
    wanted: Callable[[str], bool],
    plan: Plan,
) -> None:
    try:
        listed: list[RuleListed] = await _one(pool.call("rules", folder, seconds=_LOADING))
    except (InputError, CellDied) as error:
        if files:
            plan.problems.append(str(error))
        return
    rules = {rule.file: RulePlan(folder, rule.name, rule.file) for rule in listed if rule.file}
    plan.problems += [f"{rule.name}: {rule.error}" for rule in listed if rule.error and wanted(rule.name)]
    if not any(wanted(rule.name) for rule in rules.values()):
        return
    opened: set[str] = set()
    for file in files:
        opened |= await _file(file, rules, pool, seconds, plan)
    digest = _digest(root, sorted(opened - rules.keys()))
    for rule in rules.values():
        if wanted(rule.name):
            names = "\n".join(f"{file}::{name}" for file, name in rule.tests)
            rule.key = _hash([__version__, digest, names, rule.file, (root / rule.file).read_text("utf-8")])
            plan.rules.append(rule)


async def _file(
    file: str, rules: Mapping[str, RulePlan], pool: CellPool, seconds: float, plan: Plan
) -> set[str]:
    """Run the tests of a file; the files that they opened."""
    opened = {file}
    try:
        found: TestFile = await _one(pool.call("list_tests", file, seconds=seconds))
    except CellDied as died:
        found = TestFile(error=str(died))
    if found.error:
        plan.problems.append(f"{file}: {found.error}")
    opened |= {library for library in found.libraries if not library.startswith("<")}
    for name in found.tests:
        try:
            seen: Seen = await _one(pool.call("look", file, name, seconds=seconds))
        except CellDied as died:
            plan.problems.append(f"{file}::{name}: {died}")
            continue
        for shown, lines in seen.lines.items():
            if rule := rules.get(shown):
                _add(rule, (file, name), seen, lines)
    return opened | set(await _one(pool.call("opened", seconds=seconds)))


def _add(rule: RulePlan, test: TestName, seen: Seen, lines: Iterable[int]) -> None:
    if seen.bad:
        rule.bad.append("::".join(test))
        return
    rule.tests.append(test)
    rule.seconds += seen.seconds
    rule.reached[test] = frozenset(lines)


def _folders_with_rules(root: Path, dirs: Sequence[str]) -> list[str]:
    found: set[str] = set()
    for name in dirs:
        for here, folders, names in os.walk(root / name):
            folders[:] = [folder for folder in folders if folder not in _PASSED_OVER]
            if any(entry.endswith(SUFFIXES) for entry in names):
                relative = os.path.relpath(here, root)
                found.add("" if relative == "." else Path(relative).as_posix())
    return sorted(found)


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
