"""Annotations and the step summary on GitHub show the failures and cannot be broken out of."""

from __future__ import annotations

import io
import re
from datetime import date, timedelta
from pathlib import Path

import pytest

from reporting.sample_reports import failed, full_report, hostile_report, outcome, report_of
from understudy.core.errors import InputError
from understudy.core.events import CaseFinished, RunFinished
from understudy.core.outcome import Failure, Known, Location
from understudy.core.report import Report
from understudy.reporting.github import GitHubReporter, write_annotations, write_step_summary


def annotated(report: Report) -> list[str]:
    out = io.StringIO()
    write_annotations(report, out)
    return out.getvalue().splitlines()


def summary(report: Report) -> str:
    out = io.StringIO()
    write_step_summary(report, out)
    return out.getvalue()


def test_the_reporter_annotates_and_adds_to_the_summary_when_the_run_ends(tmp_path: Path) -> None:
    path = tmp_path / "summary.md"
    path.write_text("before\n")
    out = io.StringIO()
    reporter = GitHubReporter(out, str(path))
    reporter.handle(CaseFinished(failed()))
    assert out.getvalue() == ""
    reporter.handle(RunFinished(hostile_report()))
    assert "::notice title=Understudy::" in out.getvalue()
    assert path.read_text().startswith("before\n## Understudy: stopped early")


def test_a_summary_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the step summary cannot be written: Is a directory"):
        GitHubReporter(io.StringIO(), str(tmp_path)).handle(RunFinished(full_report()))


def test_a_failure_is_an_error_at_its_line_with_all_that_failed() -> None:
    case = failed(
        location=Location("a,b:c.yaml", 4, 2), failures=(Failure("50% off\nnot 60%"), Failure("and this"))
    )
    assert annotated(report_of([case]))[0] == (
        "::error file=a%2Cb%3Ac.yaml,line=4,col=2,title=testbed%3A%3Ashop.json%3A%3Ab::"
        "at a,b:c.yaml:4:2%0A1) 50%25 off%0A   not 60%25%0A2) and this"
    )


def test_the_place_of_a_failure_stands_in_for_that_of_its_case() -> None:
    case = failed(failures=(Failure("x", location=Location("a.yaml", 9)),))
    assert annotated(report_of([case]))[0].startswith("::error file=a.yaml,line=9,title=")


@pytest.mark.parametrize(
    ("days", "words"),
    [(0, "the last day"), (1, "1 day left"), (14, "14 days left"), (15, None), (-1, "expired")],
)
def test_a_known_failure_warns_two_weeks_before_it_expires(days: int, words: str | None) -> None:
    until = date(2026, 3, 1) + timedelta(days=days)
    lines = annotated(report_of([failed(known=Known("SHOP-1", until.isoformat()))]))
    warnings = [line for line in lines if line.startswith("::warning ")]
    assert len(warnings) == (words is not None)
    assert not words or f"tolerated until {until} ({words}): SHOP-1" in warnings[0]


def test_a_known_failure_without_an_end_does_not_warn() -> None:
    assert len(annotated(report_of([failed(known=Known("for ever"))]))) == 1


def test_the_notice_sums_up_and_tells_what_github_would_drop() -> None:
    lines = annotated(report_of([failed(str(number)) for number in range(25)]))
    assert len(lines) == 11
    assert lines[-1] == (
        "::notice title=Understudy::25 failed in 0.0 ms; only the first 10 of 25 failures are annotated"
    )
    assert "stopped early (interrupted): 13 of 60 cases not run" in annotated(full_report())[-1]


def test_hostile_text_gives_no_command_of_its_own() -> None:
    lines = annotated(hostile_report())
    assert [line.split(" ")[0] for line in lines] == ["::error", "::notice"]
    assert all(line.isprintable() for line in lines)


def test_the_summary_has_counts_and_every_failure_folded() -> None:
    text = summary(full_report())
    assert text.startswith(
        "## Understudy: stopped early\n\n**44 passed, 3 failed, 1 errored, 1 known failure, 1 skipp"
    )
    assert "| 44 | 3 | 1 | 1 | 1 | 50 |" in text
    assert "failed: <code>testbed::shop.json::http/createItem/new item</code>" in text
    assert "known failure: <code>testbed::graphql.json::graphql/shop/prices</code>" in text
    assert "prices are rounded (SHOP-114), tolerated until 2026-03-10" in text
    assert "rerun: understudy run --case testbed::graphql.json::graphql/shop/all" in text
    assert "13 of 60 cases not run" in text


def test_a_green_summary_is_short_and_an_empty_run_is_not_green() -> None:
    assert summary(report_of([outcome()])).startswith("## Understudy: passed\n")
    assert len(summary(report_of([outcome(str(number)) for number in range(5000)]))) < 300
    assert summary(report_of([])).startswith("## Understudy: failed\n")


def test_nothing_breaks_out_of_the_summary() -> None:
    text = summary(report_of([*hostile_report().outcomes, failed("f", "```\n</details>\n`````` <b>")]))
    assert "<script>" not in re.sub(r"^(`{3,})diff$.*?^\1$", "", text, flags=re.M | re.S)
    assert "```````diff\n" in text, "the fence must outlast every backtick inside"


def test_a_summary_never_grows_beyond_what_github_takes() -> None:
    text = summary(report_of([failed(str(number), "ü" * 500) for number in range(3000)]))
    assert len(text.encode()) < 1 << 20
    assert re.search(r"…and [\d,]+ more, for which there is no room here", text)
