"""A percentage that is demanded is judged over all rules, also of shards that ran apart."""

from __future__ import annotations

from typing import Any

import pytest

from understudy.core.outcome import Outcome, Status
from understudy.engine.evidence_book import EvidenceBook
from understudy.rules.coverage.verdict import coverage_verdict

MEASURED = {
    "measured": {"a.rego": ["a"], "b.yaml": ["b"]},
    "lines": {"a.rego": {"all": [3, 4, 5, 9], "covered": []}},
    "assertions": {"b.yaml": {"0": {"line": [12]}, "1": {"line": [14]}}},
}


def judged(*evidence: dict[str, Any]) -> Outcome:
    book = EvidenceBook()
    for piece in evidence:
        book.add({"rules": piece})
    (outcome,) = coverage_verdict(book.whole()["rules"])
    return outcome


def test_nothing_is_judged_unless_it_is_demanded() -> None:
    assert list(coverage_verdict(MEASURED)) == []
    assert list(coverage_verdict(MEASURED | {"coverageWanted": [0]})) == []


def test_what_shards_reach_counts_together() -> None:
    shards = [
        {**MEASURED, "coverageWanted": [60], "lines": {"a.rego": {"all": [3, 4, 5, 9], "covered": [3, 4]}}},
        {
            **MEASURED,
            "coverageWanted": [60],
            "lines": {"a.rego": {"all": [3, 4, 5, 9], "covered": [4, 5]}},
            "assertions": {"b.yaml": {"0": {"line": [12], "held": True}}},
        },
    ]
    assert judged(*shards).status is Status.PASSED
    assert judged(*shards).details["percent"] == pytest.approx(66.67)
    alone = judged(shards[0])
    assert alone.status is Status.FAILED
    assert [failure.message for failure in alone.failures] == [
        "2 of 6 lines and assertions of the rules were reached (33.3%), 60% wanted",
        "a.rego: never reached (no test evaluates it): lines 5, 9",
        "b.yaml: never reached (no test evaluates it): jq assertion 0 (line 12), jq assertion 1 (line 14)",
    ]
    assert str(alone.failures[1].location) == "a.rego:5"


def test_a_demand_that_is_just_missed_is_missed_though_it_rounds_up() -> None:
    lines = {"a.rego": {"all": list(range(3000)), "covered": list(range(2999))}}
    outcome = judged({"lines": lines, "coverageWanted": [100]})
    assert outcome.status is Status.FAILED
    assert "(99.9%), 100% wanted" in outcome.failures[0].message


def test_a_rule_that_cannot_be_measured_fails_whatever_the_percentage() -> None:
    outcome = judged({"broken": {"c.rego": ["c.rego:3:1: is not valid Rego"]}, "coverageWanted": [1]})
    assert outcome.status is Status.FAILED
    assert [failure.message for failure in outcome.failures] == [
        "c.rego cannot be measured: c.rego:3:1: is not valid Rego",
        "no rule was found that has lines or assertions to be reached; check the folders",
    ]
