"""What works in a cell for mutation: looks at tests as they are, and runs them against one mutant after the other."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from understudy.core.errors import InputError
from understudy.core.files import read_text
from understudy.rules.mutation.difference import difference
from understudy.rules.mutation.mutant import Mutant
from understudy.rules.mutation.mutants import mutants
from understudy.rules.mutation.opened import OpenedFiles
from understudy.rules.mutation.validity import is_rule
from understudy.rules.prepared import PreparedRule
from understudy.rules.rehearsal import Record, Rehearsal
from understudy.rules.rule_files import RULE_LIMIT, RuleFile
from understudy.rules.rulebook import Rulebook
from understudy.rules.starlark.cases import Ran, run_test
from understudy.rules.starlark.host import Host
from understudy.rules.starlark.modules import LoadFailed, Modules, TestModule
from understudy.rules.starlark.turn import Turn

TestName = tuple[str, str]


@dataclass(frozen=True, slots=True)
class TestFile:
    """A test file: its tests, and what it loads; `error` says why it cannot be loaded."""

    tests: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    error: str = ""

    __test__ = False


@dataclass(frozen=True, slots=True)
class Seen:
    """One test with the rules as they are: in which way it is bad, '' if it is not.

    `lines` are the lines that it reaches of each rule file that it evaluates.
    """

    bad: str
    seconds: float
    lines: Mapping[str, Sequence[int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RuleListed:
    """A rule of a folder: where its file is, or why it cannot be read."""

    name: str
    file: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class MutantListed:
    """A mutant as it is shown; `digest` tells it from all others of its rule, `id` is short and for users."""

    id: str
    kind: str
    line: int
    column: int
    before: str
    after: str
    digest: str
    diff: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a mutant, and which test noticed it in which way.

    One with which the tests did not end in time is `overdue`: it counts as noticed, and is told apart.
    """

    result: Literal["noticed", "overdue", "survived", "invalid"]
    by: str = ""
    how: str = ""


class _Room:
    """The tests of one folder with everything that they need kept warm."""

    def __init__(self, root: Path, providers: Mapping[str, str], *, cover: bool) -> None:
        self._root = root
        self.rehearsal = Rehearsal(root, providers, cover=cover)
        self.host = Host(self.rehearsal)
        self._modules = Modules(root, self.host)
        self._loaded: dict[str, tuple[TestModule, list[Record]]] = {}

    def load(self, file: str, *, again: bool = False) -> tuple[TestModule, list[Record]]:
        """A test file, and the evaluations that were made while it was loaded; raises LoadFailed."""
        if again and self._loaded.get(file, (None, [True]))[1]:
            # What was evaluated while it was loaded is part of it, so it must be loaded with the mutant.
            self._loaded.pop(file, None)
            self._modules = Modules(self._root, self.host)
        if file not in self._loaded:
            self.host.turn = turn = Turn({})
            self.rehearsal.begin(None)
            module = self._modules.load(self._root / file, file)
            self._loaded[file] = module, list(turn.evaluations)
        return self._loaded[file]

    def run(self, file: str, name: str, *, again: bool = False) -> tuple[Ran, list[Record]]:
        """Run a test; what it and its file evaluated."""
        module, at_load = self.load(file, again=again)
        self.rehearsal.begin(module)
        ran = run_test(module, name, self.host)
        return ran, [*at_load, *ran.turn.evaluations]


class MutationBench:
    """The servant of a cell. Files are named relative to the root."""

    def __init__(self, root: str, providers: Mapping[str, str] | None = None) -> None:
        self._root = Path(root).resolve()
        self._providers = providers or {}
        self._opened = OpenedFiles(self._root)
        self._looking: tuple[Path, _Room] | None = None
        self._trying: dict[Path, _Room] = {}
        self._listed: dict[tuple[str, str], tuple[RuleFile, list[Mutant]]] = {}

    def list_tests(self, file: str) -> Iterator[TestFile]:
        """What is in a test file."""
        try:
            module, _ = self._room_to_look(file).load(file)
        except LoadFailed as failed:
            yield TestFile(error=str(failed.error.message))
            return
        yield TestFile(tuple(module.tests), module.libraries)

    def look(self, file: str, name: str) -> Iterator[Seen]:
        """Run one test with the rules as they are."""
        started = time.perf_counter()
        ran, records = self._room_to_look(file).run(file, name)
        seconds = time.perf_counter() - started
        lines: dict[str, set[int]] = {}
        for record in records:
            found = lines.setdefault(record.prepared.source.shown, set())
            if record.evaluation.policy is not None:
                found |= record.evaluation.policy.covered
        shown = {rule: sorted(found) for rule, found in lines.items()}
        yield Seen(_badness(ran), seconds, shown)

    def opened(self) -> Iterator[list[str]]:
        """The files that were opened for the tests of the folder that was looked at last."""
        yield self._opened.names

    def rules(self, folder: str) -> Iterator[list[RuleListed]]:
        """The rules of a folder."""
        book = Rulebook(self._root / folder, self._root)
        found: list[RuleListed] = []
        for name in book.names:
            try:
                found.append(RuleListed(name, book.rule(name).shown))
            except InputError as error:
                found.append(RuleListed(name, error=str(error)))
        yield [*found, *(RuleListed(file, error=str(error)) for file, error in book.broken.items())]

    def mutants(self, folder: str, rule: str, skip: Collection[str]) -> Iterator[list[MutantListed]]:
        """The mutants of a rule, whether or not they compile."""
        source, found = self._mutants(folder, rule, skip)
        lines = read_text(source.path, limit=RULE_LIMIT).splitlines()
        yield [_listed(source, lines, mutant) for mutant in found]

    def check(self, folder: str, rule: str, skip: Collection[str], number: int) -> Iterator[bool]:
        """Whether a mutant of a rule compiles."""
        source, found = self._mutants(folder, rule, skip)
        yield is_rule(found[number].apply(source), _engine())

    def attempt(
        self, folder: str, rule: str, skip: Collection[str], number: int, tests: Sequence[TestName]
    ) -> Iterator[Verdict]:
        """Run tests against a mutant until one notices it."""
        source, found = self._mutants(folder, rule, skip)
        mutated = found[number].apply(source)
        engine = _engine()
        if not is_rule(mutated, engine):
            yield Verdict("invalid")
            return
        room = self._room_to_try(self._root / folder)
        room.rehearsal.replace(PreparedRule(mutated, lambda: engine))
        reloaded: set[str] = set()
        try:
            yield self._first_to_notice(room, tests, reloaded)
        finally:
            room.rehearsal.replace(PreparedRule(source, _engine))

    @staticmethod
    def _first_to_notice(room: _Room, tests: Sequence[TestName], reloaded: set[str]) -> Verdict:
        for file, name in tests:
            again = file not in reloaded
            reloaded.add(file)
            try:
                ran, _ = room.run(file, name, again=again)
            except LoadFailed:
                return Verdict("noticed", f"{file}::{name}", "errored")
            if bad := _badness(ran):
                return Verdict("noticed", f"{file}::{name}", bad)
        return Verdict("survived")

    def _mutants(self, folder: str, rule: str, skip: Collection[str]) -> tuple[RuleFile, list[Mutant]]:
        key = (folder, rule)
        if key not in self._listed:
            source = Rulebook(self._root / folder, self._root).rule(rule)
            self._listed[key] = source, mutants(source, skip)
        return self._listed[key]

    def _room_to_look(self, file: str) -> _Room:
        """The room of a file's folder; only the last is kept, since a folder is looked at once."""
        folder = (self._root / file).parent
        if self._looking is None or self._looking[0] != folder:
            self._opened.forget()
            self._looking = folder, _Room(self._root, self._providers, cover=True)
        return self._looking[1]

    def _room_to_try(self, folder: Path) -> _Room:
        if folder not in self._trying:
            self._trying[folder] = _Room(self._root, self._providers, cover=False)
        return self._trying[folder]


def _listed(source: RuleFile, lines: Sequence[str], mutant: Mutant) -> MutantListed:
    digest = mutant.changed.digest
    return MutantListed(
        f"{source.rule.name}-{digest[:8]}",
        mutant.kind,
        mutant.line,
        mutant.column,
        mutant.before,
        mutant.after,
        digest,
        difference(source, lines, mutant),
    )


def _engine() -> Any:
    """An engine of its own for every mutant: one keeps all that it compiled."""
    from understudy.rules.evaluate.rego_engine import open_engine

    return open_engine()


def _badness(ran: Ran) -> str:
    """In which way a test is bad, '' if it is not."""
    rows = ran.turn.rows.values()
    if ran.error is not None or any(row.error for row in rows):
        return "errored"
    return "failed" if ran.turn.failures or any(row.failures for row in rows) else ""
