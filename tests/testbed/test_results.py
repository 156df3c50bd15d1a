"""Reports: their summaries, and several made one."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from pydantic import ValidationError

from understudy.core.errors import InputError
from understudy.testbed.results import (
    REPORT_SCHEMA_V1,
    GraphQLRunResult,
    GRPCRunResult,
    HTTPRunResult,
    QueueRunResult,
    Report,
    ReportSummary,
    merge_reports,
    summarize,
    trusted,
)


def test_a_report_built_in_python_says_the_right_schema() -> None:
    assert Report().schema == REPORT_SCHEMA_V1 == "anvil.testbed.report.v1"
    with pytest.raises(ValidationError, match=REPORT_SCHEMA_V1):
        Report.model_validate({"schema": "anvil.testbed.v1"})


@pytest.mark.parametrize(
    ("result", "counted"),
    [
        (HTTPRunResult(passed=True), "passed"),
        (HTTPRunResult(passed=False), "failed"),
        (HTTPRunResult(passed=True, failures=["no"]), "failed"),
        (HTTPRunResult(passed=True, error="refused"), "failed"),
        (HTTPRunResult(passed=False, skipped=True, error="no runner"), "skipped"),
        (HTTPRunResult(passed=True, skipped=True, failures=["no"]), "skipped"),
    ],
)
def test_every_case_counts_once(result: HTTPRunResult, counted: str) -> None:
    summary = summarize([result])
    assert summary.model_dump(exclude_defaults=True) == {"total": 1, counted: 1}


def test_a_report_of_results_has_their_summary() -> None:
    report = Report.of(
        http=[HTTPRunResult(passed=True)],
        graphql=[GraphQLRunResult(skipped=True)],
        grpc=[GRPCRunResult(error="x")],
        queue=[QueueRunResult(failures=["y"])],
    )
    assert report.summary == ReportSummary(total=4, passed=1, failed=2, skipped=1)
    assert [type(result).__name__[:4] for result in report.results()] == ["HTTP", "GRPC", "Grap", "Queu"]


def test_merging_joins_results_in_order_and_adds_summaries() -> None:
    # Summaries are added as they are given, not counted again.
    first = Report(http=[HTTPRunResult(case="a")], summary=ReportSummary(total=5, passed=2, failed=3))
    second = Report(
        http=[HTTPRunResult(case="b")],
        queue=[QueueRunResult(case="c")],
        grpc=[GRPCRunResult(case="d")],
        graphql=[GraphQLRunResult(case="e")],
        summary=ReportSummary(total=4, passed=1, failed=2, skipped=1),
    )
    merged = merge_reports(first, second)
    assert [result.case for result in merged.results()] == ["a", "b", "d", "e", "c"]
    assert merged.summary == ReportSummary(total=9, passed=3, failed=5, skipped=1)


def test_merging_changes_none_of_its_inputs() -> None:
    first = Report.of(http=[HTTPRunResult(case="a", passed=True)])
    second = Report.of(http=[HTTPRunResult(case="b")])
    before = copy.deepcopy((first, second))
    merged = merge_reports(first, second)
    merged.http.append(HTTPRunResult(case="c"))
    merged.summary.total = 99
    assert (first, second) == before


def test_no_reports_make_an_empty_report() -> None:
    assert merge_reports() == Report()


def test_unknown_keys_survive_merging_and_the_first_one_stays() -> None:
    first = Report.model_validate({"owner": "a", "summary": {"flaky": 1}})
    second = Report.model_validate({"owner": "b", "host": "c"})
    merged = merge_reports(first, second)
    assert merged.model_extra == {"owner": "a", "host": "c"}
    assert merged.summary.model_extra == {"flaky": 1}


def test_what_is_no_report_of_ours_is_not_merged() -> None:
    other = Report()
    other.schema = "another.v9"
    with pytest.raises(
        InputError, match=r"report 2 of 2 cannot be merged.*'another\.v9'.*anvil\.testbed\.report\.v1"
    ):
        merge_reports(Report(), other)
    with pytest.raises(InputError, match="report 1 of 1 is no report but NoneType"):
        merge_reports(None)  # type: ignore[arg-type]  # the mistake under test


def test_a_trusted_result_is_the_same_as_a_validated_one() -> None:
    http: dict[str, Any] = {
        "operation": "getItem",
        "method": "GET",
        "path": "/items/{id}",
        "case": "a",
        "status": 200,
        "passed": True,
        "failures": ["f"],
        "duration_ms": 1.5,
        "notes": ["n"],
    }
    made = trusted(HTTPRunResult, **http)
    validated = HTTPRunResult(**http)
    assert made == validated
    assert list(made.model_dump()) == list(validated.model_dump()) == list(HTTPRunResult.model_fields)
    assert HTTPRunResult.model_validate(made.model_dump()) == made

    graphql = trusted(GraphQLRunResult, endpoint="shop", path="/graphql", case="a", skipped=True, error="why")
    assert graphql == GraphQLRunResult(endpoint="shop", path="/graphql", case="a", skipped=True, error="why")


def test_trusted_results_share_nothing_and_can_be_changed() -> None:
    first = trusted(HTTPRunResult, operation="a", method="GET", path="/", case="1")
    second = trusted(HTTPRunResult, operation="a", method="GET", path="/", case="2")
    first.failures.append("no")
    first.status = 500
    first.model_copy(deep=True).notes.append("n")
    assert (second.failures, second.status, first.status, first.notes) == ([], 0, 500, [])
