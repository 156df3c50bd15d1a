"""What works in a cell: reads rules, profile, mocks and repository once, lists the checks, and runs them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from understudy.core.errors import InputError, Problem
from understudy.core.events import Evidence
from understudy.core.nearness import closest_name
from understudy.core.outcome import Location, Outcome, Status
from understudy.core.redact import Redactor
from understudy.engine.act import CaseRef, Item
from understudy.rules.check.account import account, printed
from understudy.rules.check.checks import Check
from understudy.rules.check.conclusions import evidence_of
from understudy.rules.check.loading import Loaded, load
from understudy.rules.check.verdict import broken, errored, skipped, verdict
from understudy.rules.check.webs import NEEDS_HTTP, NoWeb, OpenedWeb, Webs
from understudy.rules.evaluate.functions import HostFunction
from understudy.rules.evaluate.policy import PolicyEngine
from understudy.rules.evaluation import Evaluation, Inputs, evaluate
from understudy.rules.explain.replay import recorded
from understudy.rules.prepared import PreparedRule
from understudy.rules.rule_files import RuleFile
from understudy.rules.schemas import BreaksSchema
from understudy.rules.settings import CheckSettings, RulesSettings
from understudy.rules.web import UnmatchedRequest

_EXPLAINED = 2.0
NO_DEFAULTS = "needs values that have no defaults: give --profile FILE"


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
            inputs = self._inputs(check, prepared, opened, recorded(functions))
            began = time.perf_counter()
            evaluation = evaluate(prepared, inputs)
            # To explain it takes as long again, three times over, of the time that the rule may take.
            is_quick = time.perf_counter() - began < min(_EXPLAINED, self._check.timeout / 8)
            outcome = self._outcome(check, prepared, opened, evaluation, inputs if is_quick else None)
        except BreaksSchema as error:
            outcome = _unfit(check, error)
        except UnmatchedRequest as error:
            outcome = self._unmatched(check, prepared, opened, (error,), evaluation)
        except InputError as error:
            outcome = broken(check, error.problems)
        return outcome, opened

    def _inputs(
        self,
        check: Check,
        prepared: PreparedRule,
        opened: OpenedWeb,
        functions: Mapping[str, HostFunction],
    ) -> Inputs:
        loaded = self._loaded
        return Inputs(
            entity=loaded.entities[prepared.definition.in_entity],
            web=opened.web,
            profile=check.definition,
            params=check.params,
            tree=loaded.repository.tree,
            base=loaded.repository.base,
            functions=functions,
            profile_name=check.profile.name if check.profile else "",
        )

    def _outcome(
        self,
        check: Check,
        prepared: PreparedRule,
        opened: OpenedWeb,
        evaluation: Evaluation,
        inputs: Inputs | None,
    ) -> Outcome:
        log = opened.web.log
        if isinstance(opened.web, NoWeb) and opened.web.asked:
            return skipped(check, NEEDS_HTTP, opened.web.asked)
        if log.unmatched:
            return self._unmatched(check, prepared, opened, tuple(log.unmatched), evaluation)
        attachments = list(printed(evaluation))
        if evaluation.judgement.status in ("fail", "error"):
            attachments += account(prepared, evaluation, log, inputs)
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
    def _loaded(self) -> Loaded:
        return load(self._root, self._settings)


def _import_libraries(*, uses_network: bool) -> None:
    """Before memory is bounded, so that the bound is for what rules need; what is missing is told where it is used."""
    network = ("pyreqwest",) if uses_network else ()
    for name in ("dulwich.repo", "dulwich.ignore", "jq", "jsonschema_rs", "re2", "regorus", "yaml", *network):
        with suppress(ImportError):
            import_module(name)


def _unfit(check: Check, error: BreaksSchema) -> Outcome:
    if check.profile is None or check.entry is None:
        return skipped(check, NO_DEFAULTS, str(error))
    part = "params" if str(error).startswith("the params") else "def"
    return errored(check, str(error), Location(check.profile.shown, *check.profile.place(check.entry, part)))


def _in_a_file(error: UnmatchedRequest, file: str) -> str:
    """What is missing, in the words of a file of mocks."""
    told = str(error).rpartition("\n  to answer it")[0] or str(error)
    return f'{told}\n  to answer it, add to {file}: "{error.method} {error.url}": {{body: ...}}'
