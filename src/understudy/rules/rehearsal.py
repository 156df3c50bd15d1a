"""`eval(...)` as tests call it: arguments are checked, mocks and files made ready, and what was reached is kept."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from understudy.core.brief import brief, json_type
from understudy.core.errors import InputError
from understudy.core.nearness import closest_name
from understudy.core.outcome import Attachment
from understudy.rules.data_sources.mocked import mocked_functions
from understudy.rules.evaluate.functions import HostFunction
from understudy.rules.evaluate.policy import PolicyEngine
from understudy.rules.evaluation import Evaluation, Inputs, evaluate
from understudy.rules.explain.replay import recorded
from understudy.rules.mocks import MockError, MockTable, MockWeb
from understudy.rules.prepared import PreparedRule
from understudy.rules.rulebook import Rulebook
from understudy.rules.starlark.cases import Ran
from understudy.rules.starlark.errors import Misuse
from understudy.rules.starlark.modules import TestModule
from understudy.rules.starlark.turn import Turn
from understudy.rules.web import UnmatchedRequest
from understudy.trees import Tree, memory_tree

if TYPE_CHECKING:
    from understudy.rules.coverage.measure import Measures
    from understudy.rules.data_sources.loading import DataSource

PROVIDERS = {"github": "https://api.github.com", "gitlab": "https://gitlab.com/api/v4"}
TRAITS = ("github", "gitlab", "git", "rest", "repo-lister", "oci", "image-lister")
_EXPLAINED = 20
_EXPLAINING = 2.0
# Tests write the same few mocks again and again: so many tables are kept, of mocks of so many characters.
_KEPT_TABLES = 512
_KEPT_MOCKS = 64 << 10


@dataclass(slots=True)
class Record:
    """One evaluation of a test: what was asked and what came of it."""

    prepared: PreparedRule
    inputs: Inputs
    evaluation: Evaluation
    web: MockWeb
    table: MockTable


@dataclass(slots=True)
class _Reached:
    """What the tests of the current file have reached so far, beside what is counted per turn."""

    mocks: Counter[str] = field(default_factory=Counter)
    optional: set[str] = field(default_factory=set)


class Rehearsal:
    """Evaluates rules for the tests of a root; folders' rules and data sources are read once."""

    def __init__(self, root: Path, providers: Mapping[str, str], *, cover: bool = False) -> None:
        self._root = root
        self._providers = {**PROVIDERS, **providers}
        self._cover = cover
        self._engine: PolicyEngine | None = None
        self._rulebooks: dict[Path, Rulebook | InputError] = {}
        self._prepared: dict[tuple[Path, str], PreparedRule] = {}
        self._sources: dict[Path, DataSource] = {}
        self._asked_sources: set[Path] = set()
        self._tables: dict[tuple[str, bool], MockTable] = {}
        self._measures: Measures | None = None
        if cover:
            from understudy.rules.coverage.measure import Measures

            self._measures = Measures()

    def begin(self, module: TestModule | None) -> None:
        """A test of this module is about to run, or a file about to be loaded."""

    def evaluate(
        self, given: dict[str, Any], mocks: str, folder: Path, turn: Turn, *, mindev: bool
    ) -> dict[str, Any]:
        """The result of `eval(...)`; raises Misuse if the call makes no sense."""
        call = _Call(given, mindev=mindev)
        prepared = self._rule(folder, call.text("rule"))
        table = self._table(mocks, mindev=mindev)
        base = self._providers.get(prepared.rule.context.provider, PROVIDERS["github"])
        web = MockWeb(table, base)
        if missing := self._missing_trait(prepared, call.traits()):
            return _as_result(None, "skip", missing)
        tree, tree_before = call.tree("files"), call.tree("base_files")
        inputs = Inputs(
            entity=call.mapping("entity"),
            web=web,
            profile=call.mapping("profile"),
            params=call.mapping("params"),
            tree=tree,
            base=tree_before,
            functions=recorded(self._functions(given.get("datasources"), folder, web, tree)),
            only_files=mindev,
            checks_params=not mindev,
        )
        try:
            if not mindev:
                prepared.compile(inputs.functions)
            evaluation = evaluate(prepared, inputs, cover=self._cover)
        except (UnmatchedRequest, MockError, InputError) as error:
            raise Misuse(str(error)) from None
        turn.evaluations.append(Record(prepared, inputs, evaluation, web, table))
        if web.log.unmatched and not mindev:
            raise Misuse("\n".join(dict.fromkeys(str(error) for error in web.log.unmatched)))
        for line in evaluation.prints:
            turn.print(line)
        return self._result(prepared, inputs, evaluation, MockWeb(table, base))

    def evidence(self, module: TestModule, ran: Ran) -> dict[str, Any]:
        """What a test reached: mocks of its file, lines and assertions of rules."""
        records: Sequence[Record] = ran.turn.evaluations
        found: dict[str, Any] = {"rules": dict(Counter(record.prepared.source.shown for record in records))}
        if not module.reading.speaks_mindev:
            if ran.error is None and not any(row.error for row in ran.turn.rows.values()):
                found["ran"] = {module.file: [ran.name]}
            mocks: Counter[str] = Counter()
            optional: set[str] = set()
            for record in records:
                mocks.update(record.table.hits())
                optional |= record.table.optional
            found["mocks"] = {module.file: dict(mocks)}
            found["optional"] = {module.file: sorted(optional)}
        if self._measures is not None:
            found |= self._measures.of_evaluations(records)
        return found

    def measured(self, folder: Path) -> dict[str, Any]:
        """What there is to be reached in the rules of a folder, whether a test evaluates them or not."""
        assert self._measures is not None, "only asked when coverage is measured"  # noqa: S101 - the act's choice
        try:
            book = self._rulebook(folder)
        except InputError as error:
            return {"broken": {problem.file: [str(problem)] for problem in error.problems}}
        return self._measures.of_rulebook(book, lambda name: self._prepare(folder, name))

    def explained(self, turn: Turn) -> list[Attachment]:
        """What the evaluations of a test that failed did, each in a few lines."""
        shown = turn.evaluations[-_EXPLAINED:]
        ends = time.monotonic() + _EXPLAINING
        return [
            Attachment(f"evaluation of {record.prepared.rule.name}", _account(record, ends))
            for record in shown
        ]

    def glance(self, folder: Path) -> None:
        """Find out which rules are in a folder; what is wrong with them is told whoever evaluates one."""
        with suppress(InputError):
            self._rulebook(folder)

    @property
    def used(self) -> list[Path]:
        """The files of the rules that were evaluated, and of the data sources that were asked for, even in vain."""
        rules = (prepared.source.path for prepared in self._prepared.values())
        return sorted({*rules, *self._asked_sources})

    def replace(self, prepared: PreparedRule) -> None:
        """Evaluate this rule instead of what its file says, until another one replaces it."""
        self._prepared[(prepared.source.path.parent, prepared.rule.name)] = prepared

    def _rule(self, folder: Path, name: str) -> PreparedRule:
        try:
            return self._prepare(folder, name)
        except InputError as error:
            raise Misuse(str(error)) from None

    def _prepare(self, folder: Path, name: str) -> PreparedRule:
        key = (folder, name)
        found = self._prepared.get(key)
        if found is None:
            source = self._rulebook(folder).rule(name)
            found = self._prepared[key] = PreparedRule(source, self._opened_engine)
        return found

    def _rulebook(self, folder: Path) -> Rulebook:
        if folder not in self._rulebooks:
            try:
                self._rulebooks[folder] = Rulebook(folder, self._root)
            except InputError as error:
                self._rulebooks[folder] = error
        found = self._rulebooks[folder]
        if isinstance(found, InputError):
            raise found
        return found

    def _opened_engine(self) -> PolicyEngine:
        if self._engine is None:
            from understudy.rules.evaluate.rego_engine import open_engine

            self._engine = open_engine()
        return self._engine

    def _table(self, mocks: str, *, mindev: bool) -> MockTable:
        known = self._tables.get((mocks, mindev))
        if known is None:
            read = json.loads(mocks)
            try:
                known = MockTable.second_dialect(read) if mindev else MockTable.first_dialect(read)
            except MockError as error:
                raise Misuse(str(error)) from None
            if len(mocks) > _KEPT_MOCKS:
                return known
            if len(self._tables) == _KEPT_TABLES:
                self._tables.clear()
            self._tables[mocks, mindev] = known
        return known.fresh()

    @staticmethod
    def _missing_trait(prepared: PreparedRule, present: Sequence[str] | None) -> str:
        wanted = prepared.definition.provider_traits
        unknown = [trait for trait in wanted if trait not in TRAITS]
        if unknown:
            raise Misuse(
                f"rule {prepared.rule.name!r} declares unknown provider trait(s) {', '.join(unknown)}; "
                f"valid values are {', '.join(TRAITS)}"
            )
        missing = [trait for trait in wanted if present is not None and trait not in present]
        return f"the rule needs the provider trait {missing[0]!r}, which is not present" if missing else ""

    def _functions(
        self, given: Any, folder: Path, web: MockWeb, tree: Tree | None
    ) -> Mapping[str, HostFunction]:
        if not given:
            return {}
        if isinstance(given, dict):
            return mocked_functions(given)
        if not isinstance(given, list) or not all(isinstance(path, str) for path in given):
            raise Misuse(f"datasources must be a list of paths, not {brief(given)}")
        functions: dict[str, HostFunction] = {}
        for path in given:
            functions |= self._source(folder / path, path).functions(web, tree)
        return functions

    def _source(self, path: Path, written: str) -> DataSource:
        if path not in self._sources:
            from understudy.rules.data_sources.loading import load_data_source  # late: many tests need none

            self._asked_sources.add(path)
            try:
                self._sources[path] = load_data_source(path, self._root)
            except InputError as error:
                raise Misuse(f"the data source {written!r} cannot be loaded: {error}") from None
        return self._sources[path]

    def _result(
        self, prepared: PreparedRule, inputs: Inputs, evaluation: Evaluation, web: MockWeb
    ) -> dict[str, Any]:
        judgement = evaluation.judgement
        result = {
            "status": judgement.status,
            "violations": list(judgement.violations),
            "message": judgement.message,
            "output": judgement.output,
            "remediation": None,
            "alert": None,
        }
        definition = prepared.definition
        if judgement.status == "fail" and (definition.remediate or definition.alert) is not None:
            from understudy.rules.consequences import consequences  # late: most rules have none, or pass

            result |= consequences(prepared, inputs, evaluation, web)
        return result


def _as_result(output: Any, status: str, message: str) -> dict[str, Any]:
    return {
        "status": status,
        "violations": [],
        "message": message,
        "output": output,
        "remediation": None,
        "alert": None,
    }


class _Call:
    """The arguments of one `eval(...)`, each checked when it is asked for."""

    _NAMES: Mapping[bool, Mapping[str, str]] = {
        False: {"files": "files", "datasources": "datasources", "mocks": "mocks"},
        True: {"files": "mock_fs", "datasources": "data_sources", "mocks": "mock_http"},
    }

    def __init__(self, given: Mapping[str, Any], *, mindev: bool) -> None:
        self._given = given
        self._mindev = mindev
        self._names = self._NAMES[mindev]

    def text(self, name: str) -> str:
        """An argument that must be text."""
        value = self._given.get(name)
        if not isinstance(value, str) or not value:
            raise Misuse(f"eval: {name} must be the name of a rule, not {json_type(value)} {brief(value)}")
        return value

    def mapping(self, name: str) -> dict[str, Any]:
        """An argument that must be a dict, if it is given."""
        value = self._given.get(name)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise Misuse(f"eval: {name} must be a dict, not {json_type(value)} {brief(value)}")
        return value

    def traits(self) -> Sequence[str] | None:
        """Which traits the provider has; None for all of them."""
        value = self._given.get("traits")
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(trait, str) for trait in value):
            raise Misuse("eval: provider_traits_present must be a list of strings")
        for trait in value:
            if trait not in TRAITS:
                near = closest_name(trait, TRAITS)
                hint = f"did you mean {near!r}?" if near else f"valid values are {', '.join(TRAITS)}"
                raise Misuse(f"eval: unknown provider trait {trait!r} ({hint})")
        return value

    def tree(self, name: str) -> Tree | None:
        """The files of an argument, which must be a dict of texts."""
        value = self._given.get(name)
        shown = self._names.get(name, name)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise Misuse(f"eval: {shown} must be a dict of file names and texts, not {json_type(value)}")
        for path, content in value.items():
            if not isinstance(content, str):
                raise Misuse(f"eval: {shown}: the content of {path!r} must be text, not {json_type(content)}")
        try:
            return memory_tree(
                {_named(path): content for path, content in value.items()} if self._mindev else value
            )
        except InputError as error:
            raise Misuse(f"eval: {shown}: {error}") from None


def _named(path: str) -> str:
    """A file's name in mindev's tests, whose files stand in a root of their own."""
    return path.lstrip("/")


def _account(record: Record, ends: float) -> str:
    from understudy.rules.explain.account import explain  # late: only what fails is explained

    judgement = record.evaluation.judgement
    lines = [f"rule {record.prepared.rule.name} ({record.prepared.source.shown}): {judgement.status}"]
    if judgement.message:
        lines.append(f"message: {judgement.message}")
    if record.evaluation.document:
        lines += [
            f"{key}: {brief(value, 2_000)}" for key, value in record.evaluation.document.items() if value
        ]
    lines += [f"request: {request}" for request in record.web.log.requests]
    lines += [
        f"undefined: {slip.function} at {record.prepared.source.shown}:{slip.line}:{slip.column}: {slip.message}"
        for slip in record.evaluation.slips
    ]
    if time.monotonic() < ends:
        lines += filter(None, [explain(record.prepared, record.inputs, record.evaluation)])
    return "\n".join(lines)
