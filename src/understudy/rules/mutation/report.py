"""What came of all mutants, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any

from understudy.core.brief import visible
from understudy.rules.mutation.bench import MutantListed, TestName
from understudy.rules.mutation.plan import RulePlan
from understudy.rules.mutation.score import Score, score_of, total, with_result
from understudy.rules.mutation.session import RuleTried, Tried

SCHEMA = "understudy.mutation.v1"
_TESTS = 3


def text_report(rules: Sequence[RuleTried], problems: Sequence[str], why_left: str) -> Iterator[str]:
    """The rules with their survivors, then what could not be done, then the whole in one line."""
    for rule in rules:
        yield from _rule(rule)
    for problem in problems:
        yield f"problem: {problem}"
    score = total(rules)
    why = f" ({why_left})" if score.left else ""
    failed = sum(bool(rule.problem) for rule in rules)
    without = f"; {failed} {'rule' if failed == 1 else 'rules'} could not be tried" if failed else ""
    yield f"mutation score {percent_in_words(score)}: {counts_in_words(score)}{why}{without}"


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


def survivors_text(rule: RuleTried) -> Iterator[str]:
    """The mutants of a rule that no test noticed, each as a diff, with the tests that came nearest."""
    for tried in with_result(rule, "survived"):
        yield f"  {_line(rule.plan, tried.mutant)}"
        yield from (f"      {line}" for line in tried.mutant.diff.splitlines())
        if rule.plan.tests:
            yield f"      no test noticed it; nearest: {_tests(rule.plan.nearest(tried.mutant.line))}"


def counts_in_words(score: Score) -> str:
    """How many came to what.

    >>> counts_in_words(Score(noticed=3, overdue=1, survived=1, invalid=2))
    '5 mutants: 4 noticed (1 by a time-out), 1 survived; 2 more do not compile and are not counted'
    """
    word = "mutant" if score.mutants == 1 else "mutants"
    by_time = f" ({score.overdue} by a time-out)" if score.overdue else ""
    left = f", {score.left} not tried" if score.left else ""
    are = "does not compile and is" if score.invalid == 1 else "do not compile and are"
    invalid = f"; {score.invalid} more {are} not counted" if score.invalid else ""
    noticed = score.noticed + score.overdue
    return f"{score.mutants} {word}: {noticed} noticed{by_time}, {score.survived} survived{left}{invalid}"


def _rule(rule: RuleTried) -> Iterator[str]:
    score, plan = score_of(rule), rule.plan
    if rule.problem:
        yield f"{plan.name} ({plan.file}): not tried: {rule.problem}"
        return
    if not score.mutants:
        return
    if not plan.tests:
        yield f"{plan.name} ({plan.file}): no test evaluates this rule, so none of its mutants is noticed: 0%"
        return
    yield f"{percent_in_words(score):>8}  {plan.name} ({plan.file}): {counts_in_words(score)}"
    yield from survivors_text(rule)
    for tried in with_result(rule, "overdue"):
        yield f"  {_line(plan, tried.mutant)}"
        yield "      with it the tests do not end in time, which counts as noticed"


def _line(plan: RulePlan, mutant: MutantListed) -> str:
    change = f"{mutant.before} -> {mutant.after or '(dropped)'}"
    return visible(f"{plan.file}:{mutant.line}:{mutant.column}  {mutant.kind}: {change}  [{mutant.id}]")


def _tests(tests: Sequence[TestName]) -> str:
    shown = ", ".join(f"{PurePosixPath(file).name}::{name}" for file, name in tests[:_TESTS])
    return f"{shown} and {len(tests) - _TESTS} more" if len(tests) > _TESTS else shown


def percent_in_words(score: Score) -> str:
    """The share of those tried that were noticed."""
    return "no score" if score.percent is None else f"{score.percent:g}%"


def _numbers(score: Score) -> dict[str, Any]:
    return {
        "mutants": score.mutants,
        "noticed": score.noticed,
        "overdue": score.overdue,
        "survived": score.survived,
        "notTried": score.left,
        "invalid": score.invalid,
        "score": score.percent,
    }


def _rule_data(rule: RuleTried) -> dict[str, Any]:
    plan = rule.plan
    return {
        "name": plan.name,
        "file": plan.file,
        "problem": rule.problem,
        **_numbers(score_of(rule)),
        "tests": ["::".join(test) for test in plan.tests],
        "mutants": [_mutant_data(plan, tried) for tried in rule.mutants],
    }


def _mutant_data(plan: RulePlan, tried: Tried) -> dict[str, Any]:
    mutant, verdict = tried.mutant, tried.verdict
    data: dict[str, Any] = {
        "id": mutant.id,
        "file": plan.file,
        "line": mutant.line,
        "column": mutant.column,
        "kind": mutant.kind,
        "before": mutant.before,
        "after": mutant.after,
        "diff": mutant.diff,
        "result": verdict.result if verdict is not None else "notTried",
    }
    if verdict is not None and verdict.result == "survived":
        data["nearest"] = ["::".join(test) for test in plan.nearest(mutant.line)[:_TESTS]]
    elif verdict is not None and (verdict.by or verdict.how):
        data["noticedBy"], data["how"] = verdict.by, verdict.how
    return data
