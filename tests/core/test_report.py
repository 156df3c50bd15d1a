"""A report survives its way through JSON, and its summary counts every case once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from understudy.core.outcome import Attachment, Failure, Known, Location, Outcome, Status
from understudy.core.report import (
    Plan,
    Report,
    Summary,
    head_to_json,
    outcome_from_json,
    outcome_to_json,
    report_from_json,
)

FULL = Outcome(
    id="testbed::a.json::x",
    act="testbed",
    name="x",
    status=Status.FAILED,
    failures=(
        Failure("status", 200, 404, "$: expected 200, got 404", Location("a.json", 3, 7)),
        Failure("body", {"a": [None, True]}, "text", location=Location("a.json")),
        Failure("bare"),
    ),
    reason="why",
    duration_ms=1.234,
    location=Location("a.json", 2),
    tags=("slow", "http"),
    notes=("noted",),
    attachments=(Attachment("exchange", "GET /", "message/http"),),
    known=Known("ticket 7", "2026-12-31"),
    parent="testbed::a.json::table",
    rerun="understudy run -k x",
    details={"status": 404, "headers": [["A", "b"]]},
)
BARE = Outcome(id="a::b::c", act="a", name="c", status=Status.PASSED)


@pytest.mark.parametrize("outcome", [FULL, BARE])
def test_an_outcome_survives_json(outcome: Outcome) -> None:
    assert outcome_from_json(json.loads(json.dumps(outcome_to_json(outcome)))) == outcome


def test_what_is_empty_is_left_out_but_for_what_every_reader_needs() -> None:
    assert outcome_to_json(BARE) == {
        "id": "a::b::c",
        "act": "a",
        "name": "c",
        "status": "passed",
        "failures": [],
        "durationMs": 0.0,
    }


def test_a_report_survives_json() -> None:
    report = Report(
        summary=Summary(total=2, passed=1, known=1),
        outcomes=[FULL, BARE],
        plan=Plan("f1", 2, 1, 3, "-k x", 7),
        evidence={"testbed": {"hits": {"r": 2}}},
        stopped="Ctrl-C",
        started_at="2026-01-01T00:00:00+00:00",
        duration_ms=12.5,
        attachments=(Attachment("app", "log"),),
    )
    record: dict[str, Any] = head_to_json(report, "0.1.0")
    record["outcomes"] = [outcome_to_json(outcome) for outcome in report.outcomes]
    read = json.loads(json.dumps(record))
    assert read["schema"] == "understudy.report.v1"
    assert report_from_json(read) == report


@pytest.mark.parametrize(
    ("status", "known", "counted", "green"),
    [
        (Status.PASSED, None, "passed", True),
        (Status.SKIPPED, None, "skipped", True),
        (Status.FAILED, None, "failed", False),
        (Status.ERRORED, None, "errored", False),
        (Status.FAILED, Known("ticket"), "known", True),
    ],
)
def test_a_case_counts_as_one_thing_only(
    status: Status, known: Known | None, counted: str, green: bool
) -> None:
    summary = Summary()
    outcome = Outcome(id="i", act="a", name="n", status=status, known=known)
    summary.add(outcome)
    assert summary == Summary(**{"total": 1, counted: 1})
    assert summary.is_green is green
    assert outcome.is_bad is not green
