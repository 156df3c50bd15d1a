"""What evaluations reached of each rule, as evidence that merges; each process tells a thing only once.

The evidence is `lines` (`all` and `covered` lines of a rule file's Rego), `assertions` (of jq, by index: the `line`,
and whether one was ever `held` or `failed`), and, for all rules of a folder, `measured` (the name of a rule file's
rule) and `broken` (why a rule cannot be measured).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

from understudy.core.errors import InputError
from understudy.rules.coverage.statements import Lines, statements_of, widened
from understudy.rules.evaluate.jq_assertions import JqResult
from understudy.rules.evaluate.policy import PolicyResult
from understudy.rules.evaluation import Evaluation
from understudy.rules.prepared import PreparedRule
from understudy.rules.rulebook import Rulebook

_OF_DATA_SOURCES = re.compile(r"\bminder\.datasource\.\w+\.\w+")

Findings = dict[str, Any]


class Evaluated(Protocol):
    """One evaluation of a rule."""

    @property
    def prepared(self) -> PreparedRule:
        """The rule."""
        ...

    @property
    def evaluation(self) -> Evaluation:
        """What came of it."""
        ...


@dataclass(slots=True)
class _Told:
    """What has been told of a rule."""

    statements: tuple[Lines, ...] | None = None
    known: Lines = frozenset()
    reached: Lines = frozenset()
    raw: Lines = frozenset()
    lists_assertions: bool = False
    verdicts: set[tuple[int, bool]] = field(default_factory=set)


class Measures:
    """What the evaluations of this process have reached so far."""

    def __init__(self) -> None:
        self._told: dict[str, _Told] = {}

    def of_evaluations(self, evaluations: Iterable[Evaluated]) -> Findings:
        """What these reached, and none before them."""
        found: Findings = {}
        for entry in evaluations:
            evaluation = entry.evaluation
            if evaluation.policy is not None:
                self._lines(entry.prepared, evaluation.policy, found)
            elif evaluation.assertions is not None:
                self._assertions(entry.prepared, evaluation.assertions, found)
        return found

    def of_rulebook(self, book: Rulebook, prepare: Callable[[str], PreparedRule]) -> Findings:
        """What there is to be reached in all rules of a folder, and which of its files are broken."""
        found: Findings = {"measured": {}, "broken": {}, "lines": {}, "assertions": {}}
        for file, error in book.broken.items():
            found["broken"][file] = [str(error)]
        for name in book.names:
            try:
                piece = self.of_rule(prepare(name))
            except InputError as error:
                piece = {"broken": {problem.file: [str(problem)] for problem in error.problems}}
            for key, files in piece.items():
                found[key].update(files)
        return {key: files for key, files in found.items() if files}

    def of_rule(self, prepared: PreparedRule) -> Findings:
        """What there is to be reached in a rule that no test may ever evaluate."""
        shown = prepared.source.shown
        found: Findings = {"measured": {shown: [prepared.rule.name]}}
        try:
            if prepared.definition.eval.type == "jq":
                self._assertions(prepared, JqResult("pass"), found)
            elif prepared.definition.eval.type == "rego":
                result = _lines_alone(prepared)
                self._lines(prepared, PolicyResult({}, uncovered=result.covered | result.uncovered), found)
        except InputError as error:
            found["broken"] = {shown: [str(error)]}
        return found

    def _lines(self, prepared: PreparedRule, result: PolicyResult, found: Findings) -> None:
        told = self._told.setdefault(prepared.source.shown, _Told())
        known = result.covered | result.uncovered
        if result.covered <= told.raw and known <= told.known:
            return
        if told.statements is None:
            told.statements = statements_of(prepared.source.policy) if prepared.source.policy else ()
        told.raw |= result.covered
        told.known |= known
        told.reached = widened(told.raw, told.statements) & told.known
        found.setdefault("lines", {})[prepared.source.shown] = {
            "all": sorted(told.known),
            "covered": sorted(told.reached),
        }

    def _assertions(self, prepared: PreparedRule, result: JqResult, found: Findings) -> None:
        shown = prepared.source.shown
        told = self._told.setdefault(shown, _Told())
        fresh = {(compared.index, compared.held) for compared in result.reached} - told.verdicts
        entries: dict[str, dict[str, Any]] = {}
        if not told.lists_assertions:
            told.lists_assertions = True
            for index in range(len(prepared.assertions)):
                line, _ = prepared.source.place("def", "eval", "jq", index, "ingested", "def")
                entries[str(index)] = {"line": [line]}
        for index, held in fresh:
            entries.setdefault(str(index), {})["held" if held else "failed"] = True
        told.verdicts |= fresh
        if entries:
            known = found.setdefault("assertions", {}).setdefault(shown, {})
            for key, entry in entries.items():
                known.setdefault(key, {}).update(entry)


def _lines_alone(prepared: PreparedRule) -> PolicyResult:
    """An evaluation of nothing, for the lines that there are; the data sources are those that the text names."""
    text = prepared.source.policy.text if prepared.source.policy else ""
    policy = prepared.policy(sorted(set(_OF_DATA_SOURCES.findall(text))))
    return policy.evaluate(
        {"profile": {}, "ingested": {}, "properties": None}, {}, prepared.wanted, cover=True
    )
