"""JUnit XML holds to the schema that CI servers read by, and tells every outcome in it."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from reporting.sample_reports import failed, full_report, hostile_report, outcome, report_of
from understudy.core.outcome import Attachment, Failure, Known, Outcome, Status
from understudy.core.report import Report
from understudy.reporting.junit import write_junit

_SCHEMA = etree.XMLSchema(etree.parse(Path(__file__).with_name("junit.xsd")))


def written(report: Report) -> Any:
    out = io.StringIO()
    write_junit(report, out)
    document = etree.fromstring(out.getvalue().encode("utf-8"))
    _SCHEMA.assertValid(document)
    return document


@pytest.mark.parametrize(
    "report", [full_report(), hostile_report(), report_of([])], ids=["full", "hostile", "empty"]
)
def test_every_report_holds_to_the_schema(report: Report) -> None:
    assert len(written(report).xpath("//testcase")) == report.summary.total


def test_a_file_whose_cases_do_not_follow_one_another_is_still_one_suite_with_right_counts() -> None:
    document = written(
        report_of(
            [
                outcome("a", file="one.json"),
                failed("b", file="two.json"),
                failed("c", file="one.json"),
                outcome("d", Status.ERRORED, file="one.json", reason="refused"),
                outcome("e", Status.SKIPPED, file="two.json", reason="no runner"),
                failed("f", file="one.json", known=Known("SHOP-1", "2030-01-01")),
            ]
        )
    )
    suites = [dict(suite.attrib) for suite in document]
    counts = [
        {key: suite[key] for key in ("name", "tests", "failures", "errors", "skipped")} for suite in suites
    ]
    assert counts == [
        {"name": "testbed::one.json", "tests": "4", "failures": "1", "errors": "1", "skipped": "1"},
        {"name": "testbed::two.json", "tests": "2", "failures": "1", "errors": "0", "skipped": "1"},
    ]
    assert document.xpath("testsuite[1]/testcase/@name") == ["a", "c", "d", "f"]
    assert suites[0]["time"] == "0.006"
    assert suites[0]["timestamp"] == "2026-03-01T10:00:00"
    assert [document.get(key) for key in ("tests", "failures", "errors")] == ["6", "2", "1"]


def test_all_failures_of_a_case_stand_in_its_one_failure_element() -> None:
    case = failed(
        failures=(Failure("status is 500", 200, 500), Failure("no body", diff="- a\n+ b")), rerun="rerun me"
    )
    (element,) = written(report_of([case])).xpath("//failure")
    assert element.get("message") == "status is 500 (and 1 more)"
    for text in ("1) status is 500", "expected: 200", "actual: 500", "2) no body", "- a", "+ b", "rerun me"):
        assert text in element.text


def test_an_errored_case_is_an_error_with_its_reason() -> None:
    (element,) = written(report_of([outcome(status=Status.ERRORED, reason="refused")])).xpath("//error")
    assert element.get("message") == "refused"


def test_a_known_failure_is_skipped_with_its_reason() -> None:
    document = written(report_of([failed(known=Known("SHOP-114", "2026-03-10"))]))
    assert document.xpath("//skipped/@message") == ["known failure: SHOP-114 (until 2026-03-10)"]
    assert not document.xpath("//failure")


def test_notes_and_attachments_are_in_system_out() -> None:
    case = outcome(notes=("be careful",), attachments=(Attachment("exchange", "GET / HTTP/1.1"),))
    (text,) = written(report_of([case])).xpath("//testcase/system-out/text()")
    assert text == "note:\nbe careful\n\nexchange:\nGET / HTTP/1.1"


def test_what_xml_cannot_hold_is_replaced_and_what_it_can_is_kept() -> None:
    name = "a\x00b\x1b\ud800\ufffe <&>\"' ü 🎭"
    (case,) = written(report_of([Outcome(id=name, act="x", name=name, status=Status.PASSED)])).xpath(
        "//testcase"
    )
    assert case.get("name") == "a\ufffdb\ufffd\ufffd\ufffd <&>\"' ü 🎭"


def test_a_run_that_was_stopped_and_a_shard_say_so() -> None:
    document = written(full_report())
    properties = {entry.get("name"): entry.get("value") for entry in document.xpath("testsuite[1]//property")}
    assert properties["stopped"] == "stopped early (interrupted): 13 of 60 cases not run"
    assert properties["shard"] == "shard 2 of 3"
    assert properties["seed"] == "7"
