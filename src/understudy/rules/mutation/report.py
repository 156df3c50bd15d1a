"""What came of all mutants, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any

from understudy.rules.mutation.bench import MutantListed, TestName
from understudy.rules.mutation.plan import RulePlan
from understudy.rules.mutation.score import Score, score_of, survivors, total
from understudy.rules.mutation.session import RuleTried

SCHEMA = "understudy.mutation.v1"
_TESTS = 3


def text_report(rules: Sequence[RuleTried], problems: Sequence[str], why_left: str) -> Iterator[str]:
    """The rules with their survivors, then what could not be done, then the whole in one line."""
    for rule in rules:
        yield from _rule(rule)
    for problem in problems:
        yield f"problem: {problem}"
    score = total(rules)
    left = f", {score.left} not tried ({why_left})" if score.left else ""
    failed = sum(bool(rule.problem) for rule in rules)
    without = f"; {failed} {'rule' if failed == 1 else 'rules'} could not be tried" if failed else ""
    yield f"{_counts(score)}{left}: {_percent(score)}{without}"


def list_report(rules: Sequence[RuleTried]) -> Iterator[str]:
    """Every mutant in a line."""
    for rule in rules:
        for tried in rule.mutants:
            yield _line(rule.plan, tried.mutant)


def json_report(rules: Sequence[RuleTried], problems: Sequence[str], why_left: str) -> dict[str, Any]:
    """The same as data."""
    score = total(rules)
    return {
        "schema": SCHEMA,
        **_numbers(score),
        "notTriedBecause": why_left if score.left else "",
        "problems": list(problems),
        "rules": [_rule_data(rule) for rule in rules],
    }


def _rule(rule: RuleTried) -> Iterator[str]:
    score, plan = score_of(rule), rule.plan
    if rule.problem:
        yield f"{plan.name} ({plan.file}): not tried: {rule.problem}"
        return
    if not score.mutants:
        return
    if not plan.tests:
        yield f"{plan.name} ({plan.file}): no test evaluates this rule, so none of its mutants is noticed: 0.0%"
        return
    yield f"{plan.name} ({plan.file}): {_counts(score)}: {_percent(score)}"
    for tried in survivors(rule):
        yield f"  {_line(plan, tried.mutant)}"
        yield f"      no test noticed it; nearest: {_tests(plan.nearest(tried.mutant.line))}"


def _line(plan: RulePlan, mutant: MutantListed) -> str:
    change = f"{mutant.before} -> {mutant.after or '(dropped)'}"
    return f"{plan.file}:{mutant.line}:{mutant.column}  {mutant.kind}: {change}"


def _tests(tests: Sequence[TestName]) -> str:
    shown = ", ".join(f"{PurePosixPath(file).name}::{name}" for file, name in tests[:_TESTS])
    return f"{shown} and {len(tests) - _TESTS} more" if len(tests) > _TESTS else shown


def _counts(score: Score) -> str:
    word = "mutant" if score.mutants == 1 else "mutants"
    return f"{score.mutants} {word}, {score.noticed} noticed, {score.survived} survived"


def _percent(score: Score) -> str:
    return "no score" if score.percent is None else f"{score.percent:.1f}%"


def _numbers(score: Score) -> dict[str, Any]:
    return {
        "mutants": score.mutants,
        "noticed": score.noticed,
        "survived": score.survived,
        "notTried": score.left,
        "score": score.percent,
    }


def _rule_data(rule: RuleTried) -> dict[str, Any]:
    plan = rule.plan
    return {
        "name": plan.name,
        "file": plan.file,
        **_numbers(score_of(rule)),
        "problem": rule.problem,
        "tests": ["::".join(test) for test in plan.tests],
        "survivors": [
            {
                "file": plan.file,
                "line": tried.mutant.line,
                "column": tried.mutant.column,
                "kind": tried.mutant.kind,
                "before": tried.mutant.before,
                "after": tried.mutant.after,
                "nearest": ["::".join(test) for test in plan.nearest(tried.mutant.line)[:_TESTS]],
            }
            for tried in survivors(rule)
        ],
    }
