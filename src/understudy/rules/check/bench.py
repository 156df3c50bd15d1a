"""What works in a cell: reads rules, profile, mocks and repository once, lists the checks, and runs them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from understudy.core.errors import InputError, Problem
from understudy.core.events import Evidence
from understudy.core.nearness import closest_name
from understudy.core.outcome import Location, Outcome, Status
from understudy.core.redact import Redactor
from understudy.documents.positions import Document, Mark, Positions
from understudy.engine.act import CaseRef, Item
from understudy.rules.check.account import account, printed
from understudy.rules.check.checks import Check, checks_of_profile, checks_of_rules
from understudy.rules.check.conclusions import evidence_of
from understudy.rules.check.entity import pull_request_entity, repository_entity
from understudy.rules.check.mock_file import MockFile, load_mock_file
from understudy.rules.check.overrides import Overrides, load_overrides, read_overrides
from understudy.rules.check.profile import Profile, load_profile
from understudy.rules.check.repository import Repository, open_repository
from understudy.rules.check.rule_folders import Found, find_rules
from understudy.rules.check.verdict import broken, errored, skipped, verdict
from understudy.rules.check.webs import NoWeb, OpenedWeb, Webs
from understudy.rules.evaluate.functions import HostFunction
from understudy.rules.evaluate.policy import PolicyEngine
from understudy.rules.evaluation import Evaluation, Inputs, evaluate
from understudy.rules.prepared import PreparedRule
from understudy.rules.rule_files import RuleFile
from understudy.rules.schemas import BreaksSchema
from understudy.rules.settings import CheckSettings, RulesSettings
from understudy.rules.web import UnmatchedRequest

T = TypeVar("T")
SELECTS = "the profile selects entities, which only a server can: its rules are run all the same"


@dataclass(frozen=True, slots=True)
class _Loaded:
    """All that the settings name."""

    found: Found
    repository: Repository
    mocks: MockFile | None
    entities: Mapping[str, Mapping[str, Any]]
    checks: Mapping[str, Check]
    notes: tuple[str, ...]


class CheckBench:
    """The servant of a cell."""

    def __init__(self, root: str, settings: Mapping[str, Any]) -> None:
        self._root = Path(root)
        self._settings = RulesSettings.model_validate(settings)
        self._check: CheckSettings = self._settings.check or CheckSettings()
        self._prepared: dict[Path, PreparedRule] = {}
        self._engine: PolicyEngine | None = None
        _import_libraries(uses_network=self._check.allow_network)

    def list_checks(self) -> Iterator[CaseRef]:
        """Every case. Raises InputError if anything but a rule is wrong."""
        for check in self._loaded.checks.values():
            yield check.ref

    def run_check(self, ref: CaseRef) -> Iterator[Item]:
        """Run one case: its outcome, and the evidence of which mocks it hit."""
        started = time.perf_counter()
        check = self._loaded.checks[ref.id]
        if check.problems:
            outcome, opened = broken(check, check.problems), None
        elif check.skip or check.rule is None:
            outcome, opened = skipped(check, check.skip), None
        else:
            outcome, opened = self._judged(check, check.rule)
        if opened is not None:
            opened.close()
            if opened.token:
                outcome = Redactor([opened.token]).outcome(outcome)
        yield replace(outcome, duration_ms=(time.perf_counter() - started) * 1000)
        if self._loaded.mocks is not None:
            hits = opened.table.hits() if opened is not None and opened.table is not None else None
            is_whole = hits is not None and outcome.status is not Status.ERRORED
            yield Evidence(evidence_of(self._loaded.mocks, self._loaded.checks, ref.id, hits or {}, is_whole))

    def _judged(self, check: Check, rule: RuleFile) -> tuple[Outcome, OpenedWeb | None]:
        prepared = self._rule(rule)
        try:
            opened = self._webs.open(rule.rule.context.provider)
        except InputError as error:
            hint = Location(rule.shown, *rule.place("context", "provider"))
            return errored(check, str(error), hint), None
        evaluation: Evaluation | None = None
        try:
            functions = self._functions(rule, opened)
            prepared.compile(functions)
            self._fit(check, prepared)
            evaluation = self._evaluated(check, prepared, opened, functions)
            outcome = self._outcome(check, prepared, opened, evaluation)
        except BreaksSchema as error:
            outcome = _unfit(check, error)
        except UnmatchedRequest as error:
            outcome = self._unmatched(check, prepared, opened, (error,), evaluation)
        except InputError as error:
            outcome = broken(check, error.problems)
        return outcome, opened

    def _evaluated(
        self,
        check: Check,
        prepared: PreparedRule,
        opened: OpenedWeb,
        functions: Mapping[str, HostFunction],
    ) -> Evaluation:
        loaded = self._loaded
        inputs = Inputs(
            entity=loaded.entities[prepared.definition.in_entity],
            web=opened.web,
            profile=check.definition,
            params=check.params,
            tree=loaded.repository.tree,
            base=loaded.repository.base,
            functions=functions,
            profile_name=check.profile.name if check.profile else "",
        )
        return evaluate(prepared, inputs)

    def _outcome(
        self, check: Check, prepared: PreparedRule, opened: OpenedWeb, evaluation: Evaluation
    ) -> Outcome:
        log = opened.web.log
        if isinstance(opened.web, NoWeb) and opened.web.refusal:
            return skipped(check, opened.web.refusal)
        if log.unmatched:
            return self._unmatched(check, prepared, opened, tuple(log.unmatched), evaluation)
        attachments = list(printed(evaluation))
        if evaluation.judgement.status in ("fail", "error"):
            attachments += account(prepared, evaluation, log)
        return verdict(check, evaluation, attachments, self._loaded.notes)

    def _unmatched(
        self,
        check: Check,
        prepared: PreparedRule,
        opened: OpenedWeb,
        errors: tuple[UnmatchedRequest, ...],
        evaluation: Evaluation | None,
    ) -> Outcome:
        file = self._loaded.mocks.shown if self._loaded.mocks is not None else ""
        told = dict.fromkeys(_in_a_file(error, file) for error in errors)
        attachments = tuple(account(prepared, evaluation, opened.web.log))
        return errored(check, "\n".join(told), None, attachments, self._loaded.notes)

    def _functions(self, rule: RuleFile, opened: OpenedWeb) -> Mapping[str, HostFunction]:
        sources = self._loaded.found.sources
        problems: list[Problem] = []
        for index, reference in enumerate(rule.rule.definition.eval.data_sources):
            if reference.name not in sources:
                near = closest_name(reference.name, sources)
                hint = f"did you mean {near!r}?" if near else "name its file with --data-source"
                place = rule.place("def", "eval", "data_sources", index, "name")
                message = f"no data source is called {reference.name!r}"
                problems.append(Problem(message, rule.shown, *place, hint=hint))
        if problems:
            raise InputError(problems)
        functions: dict[str, HostFunction] = {}
        for source in sources.values():
            functions |= source.functions(opened.web, self._loaded.repository.tree)
        return functions

    def _fit(self, check: Check, prepared: PreparedRule) -> None:
        """Told before anything is asked: it is the profile that is wrong, or missing."""
        prepared.profile_schema.completed(check.definition)
        prepared.param_schema.completed(check.params)

    def _rule(self, rule: RuleFile) -> PreparedRule:
        if rule.path not in self._prepared:
            self._prepared[rule.path] = PreparedRule(rule, self._opened_engine)
        return self._prepared[rule.path]

    def _opened_engine(self) -> PolicyEngine:
        if self._engine is None:
            from understudy.rules.evaluate.rego_engine import open_engine

            self._engine = open_engine()
        return self._engine

    @cached_property
    def _webs(self) -> Webs:
        return Webs(self._settings.providers, self._loaded.mocks, allow_network=self._check.allow_network)

    @cached_property
    def _loaded(self) -> _Loaded:
        given = self._check
        gathering = _Gathering()
        found = gathering.get(lambda: find_rules(self._root, self._settings.dirs, given.data_sources))
        profile = gathering.get(lambda: self._profile(given.profile)) if given.profile else None
        mocks = (
            gathering.get(lambda: load_mock_file(self._root / given.mocks, given.mocks))
            if given.mocks
            else None
        )
        said = gathering.get(lambda: self._said(given))
        folder = self._root / given.repo
        repository = gathering.get(lambda: open_repository(folder.resolve(), given.revision, given.base))
        has_base = bool(given.base)
        checks: list[Check] | None = None
        if found is not None and not (given.profile and profile is None):
            checks = gathering.get(
                lambda: (
                    checks_of_profile(found, profile, has_base=has_base)
                    if profile is not None
                    else checks_of_rules(found, given.rules, has_base=has_base)
                )
            )
        gathering.finish()
        assert found is not None  # noqa: S101 - or finish has raised
        assert repository is not None  # noqa: S101 - the same
        assert said is not None  # noqa: S101 - the same
        assert checks is not None  # noqa: S101 - the same
        entities = {
            "repository": repository_entity(repository, said),
            "pull_request": pull_request_entity(repository, said),
        }
        notes = _still_true(repository.notes, said)
        if profile is not None and profile.selects:
            notes = (*notes, SELECTS)
        by_id = {check.ref.id: check for check in checks}
        return _Loaded(found, repository, mocks, entities, by_id, notes)

    def _profile(self, name: str) -> Profile:
        return load_profile(self._root / name, name)

    def _said(self, given: CheckSettings) -> Overrides:
        written = Document("the entity", dict(given.entity), Positions(Mark((1, 1))))
        said = _unplaced(read_overrides, written) if given.entity else Overrides()
        if given.entity_file:
            said = said.over(load_overrides(self._root / given.entity_file, given.entity_file))
        return said


def _import_libraries(*, uses_network: bool) -> None:
    """Before memory is bounded, so that the bound is for what rules need; what is missing is told where it is used."""
    network = ("pyreqwest",) if uses_network else ()
    for name in ("dulwich.repo", "dulwich.ignore", "jq", "jsonschema_rs", "re2", "regorus", "yaml", *network):
        with suppress(ImportError):
            import_module(name)


class _Gathering:
    """Collects the problems of several steps, so that a user is told all of them at once."""

    def __init__(self) -> None:
        self._problems: list[Problem] = []

    def get(self, step: Callable[[], T]) -> T | None:
        try:
            return step()
        except InputError as error:
            self._problems += error.problems
            return None

    def finish(self) -> None:
        if self._problems:
            raise InputError(self._problems)


def _unplaced(read: Callable[[Document], T], document: Document) -> T:
    """Values that stand on the command line, say, have no line."""
    try:
        return read(document)
    except InputError as error:
        raise InputError(
            [Problem(f"the entity: {found.message}", hint=found.hint) for found in error.problems]
        ) from None


def _unfit(check: Check, error: BreaksSchema) -> Outcome:
    if check.profile is None or check.entry is None:
        return skipped(check, f"{error}; its defaults are not enough: give --profile FILE")
    part = "params" if str(error).startswith("the params") else "def"
    return errored(check, str(error), Location(check.profile.shown, *check.profile.place(check.entry, part)))


def _in_a_file(error: UnmatchedRequest, file: str) -> str:
    """What is missing, in the words of a file of mocks."""
    told = str(error).rpartition("\n  to answer it")[0] or str(error)
    return f'{told}\n  to answer it, add to {file}: "{error.method} {error.url}": {{body: ...}}'


def _still_true(notes: tuple[str, ...], said: Overrides) -> tuple[str, ...]:
    """The notes but for those about what the user has said."""
    return tuple(note for note in notes if not any(f"--set {name}=" in note for name in said.fields))
