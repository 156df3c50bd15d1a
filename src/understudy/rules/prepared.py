"""A rule made ready to be evaluated thousands of times: schemas, templates, filters and policy compiled once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from understudy.core.errors import InputError, Problem
from understudy.rules.evaluate.jq_assertions import JqAssertions, compile_assertions
from understudy.rules.evaluate.policy import Policy, PolicyEngine, PolicyText
from understudy.rules.evaluate.verdicts import WANTED
from understudy.rules.ingest.rest import RestIngest, rest_ingest
from understudy.rules.rule_files import RuleFile
from understudy.rules.schemas import ValueSchema

_UNSUPPORTED_EVAL = "is not supported: write the rule in rego or jq"
_UNSUPPORTED_INGEST = "is not supported: rules may ingest rest, git, builtin or diff"


class PreparedRule:
    """A rule file, compiled piece by piece as its pieces are first needed."""

    def __init__(self, source: RuleFile, engine: Callable[[], PolicyEngine]) -> None:
        self.source = source
        self.rule = source.rule
        self.definition = source.rule.definition
        self._engine = engine
        self._policies: dict[frozenset[str], Policy | InputError] = {}

    @cached_property
    def profile_schema(self) -> ValueSchema:
        """What a profile must look like."""
        place = self.source.place("def", "rule_schema")
        return ValueSchema(self.definition.rule_schema, "profile", self.source.shown, place)

    @cached_property
    def param_schema(self) -> ValueSchema:
        """What parameters must look like."""
        place = self.source.place("def", "param_schema")
        return ValueSchema(self.definition.param_schema or {}, "params", self.source.shown, place)

    @cached_property
    def rest(self) -> RestIngest:
        """The request that the rule ingests from."""
        return rest_ingest(self.source.document, ("def", "ingest", "rest"))

    @cached_property
    def assertions(self) -> JqAssertions:
        """The rule's jq assertions."""

        def place(*path: str | int) -> tuple[int, int]:
            return self.source.place("def", "eval", "jq", *path)

        return compile_assertions(self.definition.eval.jq, self.source.shown, place)

    @cached_property
    def wanted(self) -> tuple[str, ...]:
        """Which rules of the policy say what the verdict is."""
        rego = self.definition.eval.rego
        return WANTED[rego.type if rego is not None else "deny-by-default"]

    def policy(self, functions: Iterable[str]) -> Policy:
        """The rule's policy, which may call these functions of data sources; InputError if it is no Rego."""
        names = frozenset(functions)
        found = self._policies.get(names)
        if found is None:
            try:
                found = self._engine().compile(self._text(), sorted(names))
            except InputError as error:
                found = error
            self._policies[names] = found
        if isinstance(found, InputError):
            raise found
        return found

    def _text(self) -> PolicyText:
        assert self.source.policy is not None, "a rule of type rego has a policy"  # noqa: S101 - checked when read
        return self.source.policy

    def compile(self, functions: Iterable[str]) -> None:
        """Compile all that an evaluation needs; InputError with the places in the file if the rule is broken."""
        self.refuse_unsupported()
        if self.definition.ingest.type == "rest":
            _ = self.rest
        if self.definition.eval.type == "jq":
            _ = self.assertions
        else:
            self.policy(functions)

    def refuse_unsupported(self) -> None:
        """Say plainly what we cannot evaluate."""
        kind, ingest = self.definition.eval.type, self.definition.ingest.type
        problems: list[Problem] = []
        if kind not in ("rego", "jq"):
            problems.append(self._problem(f"eval type {kind!r} {_UNSUPPORTED_EVAL}", "def", "eval", "type"))
        if ingest not in ("rest", "git", "builtin", "diff"):
            problems.append(
                self._problem(f"ingest type {ingest!r} {_UNSUPPORTED_INGEST}", "def", "ingest", "type")
            )
        if problems:
            raise InputError(problems)

    def _problem(self, message: str, *path: str | int) -> Problem:
        return Problem(message, self.source.shown, *self.source.place(*path))


def with_policy(source: RuleFile, text: str) -> RuleFile:
    """The rule with another policy in the place of its own."""
    assert source.policy is not None, "only a rule of type rego has a policy"  # noqa: S101 - the caller's choice
    return replace(source, policy=replace(source.policy, text=text))


Values = Mapping[str, Any]
