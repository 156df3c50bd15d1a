"""Known failures in suite, script and project file: reported apart, and failures again once they are stale."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from e2e.small_project import SmallProject, case, route

LATER = "2999-12-31"
YESTERDAY = (datetime.now(UTC).date() - timedelta(days=1)).isoformat()
TODAY = datetime.now(UTC).date().isoformat()
WHERE = ["suite", "script", "project"]


def write(small: SmallProject, where: str, status: int, **known: Any) -> None:
    """One known failure, written where it is asked for, and one case that passes."""
    scripted = where == "script"
    own: dict[str, Any] = {"known": {"reason": "ticket 7", **known}} if where == "suite" else {}
    until = f"\nuntil = {known['until']}" if "until" in known else ""
    identifier = "testbed::suite.json::http/broken/breaks"
    entry = f'[[known]]\ncase = "{identifier}"\nreason = "ticket 7"{until}' if where == "project" else ""
    small.project(rest=entry, testbed='scripts = ["more.yaml"]' if scripted else "")
    small.suite(route("fine", case("works")), route("broken", *([] if scripted else [case("breaks", **own)])))
    tail = f", until: {known['until']}" if "until" in known else ""
    if scripted:
        small.write(
            "more.yaml",
            "http:\n  - operation: broken\n    name: breaks\n"
            f"    known: {{reason: ticket 7{tail}}}\n    expect: {{status: 200}}\n",
        )
    small.answers(fine=200, broken=status)


def reports(small: SmallProject) -> list[str]:
    return [w for kind in ("json", "junit", "html") for w in (f"--{kind}", str(small.path(f"report.{kind}")))]


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("until", [{}, {"until": LATER}, {"until": TODAY}])
def test_a_known_failure_is_tolerated_and_reported_apart(
    small: SmallProject, where: str, until: dict[str, str]
) -> None:
    write(small, where, 500, **until)
    result = small.run(*reports(small))
    assert result.code == 0, result.out
    assert "Known failures" in result.out
    assert "ticket 7" in result.out
    assert "1 passed, 1 known failure" in result.out.splitlines()[-1]
    record = small.report()
    assert (record["summary"]["known"], record["summary"]["failed"]) == (1, 0)
    (known,) = [outcome for outcome in record["outcomes"] if "known" in outcome]
    assert known["status"] == "failed"
    assert known["known"]["reason"] == "ticket 7"
    assert 'failures="0"' in small.read("report.junit")
    assert "ticket 7" in small.read("report.junit")
    assert "ticket 7" in small.read("report.html")


@pytest.mark.parametrize("where", WHERE)
def test_a_known_failure_fails_again_once_its_date_has_passed(small: SmallProject, where: str) -> None:
    write(small, where, 500, until=YESTERDAY)
    result = small.run(*reports(small))
    assert result.code == 1
    assert f"was tolerated as a known failure until {YESTERDAY}: ticket 7" in result.out
    assert small.report()["summary"]["failed"] == 1
    assert 'failures="1"' in small.read("report.junit")


@pytest.mark.parametrize("where", WHERE)
def test_a_known_failure_that_passes_is_a_failure(small: SmallProject, where: str) -> None:
    write(small, where, 200, until=LATER)
    result = small.run(*reports(small))
    assert result.code == 1
    assert "listed as a known failure (ticket 7) but it passes: remove the entry" in result.out
    assert small.report()["summary"]["failed"] == 1


def test_an_entry_that_names_no_case_is_wrong_input(small: SmallProject) -> None:
    small.project(rest='[[known]]\ncase = "testbed::suite.json::http/fine/work"\nreason = "x"')
    small.suite(route("fine", case("works")))
    result = small.run()
    assert result.code == 2
    assert re.search(r"understudy\.toml:\d+:8: \[\[known\]\] names no case", result.err)
    assert "did you mean 'testbed::suite.json::http/fine/works'?" in result.err
    assert small.asked == []


def test_an_unselected_known_failure_is_no_wrong_input(small: SmallProject) -> None:
    write(small, "project", 500)
    assert small.run("-k", "works").code == 0


def test_dates_are_checked_before_anything_is_run(small: SmallProject) -> None:
    write(small, "suite", 500, until="soon")
    result = small.run()
    assert result.code == 2
    assert "'soon' is no date" in result.err
    assert date.fromisoformat(LATER).year == 2999
