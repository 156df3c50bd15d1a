"""Past runs as text: a line each, what is long is cut, and what is unusual about a run is said."""

from __future__ import annotations

from understudy.core.outcome import Failure, Outcome, Status
from understudy.core.report import Plan, Summary
from understudy.reporting.history import case_data, case_lines, history_lines, run_line
from understudy.store.case_history import FlakyCase, Moment
from understudy.store.runs import KeptRun

BEGAN = "2026-01-31T12:00:00.123+00:00"


def moment(verdict: str, status: Status = Status.FAILED, **more: object) -> Moment:
    outcome = Outcome("a", "tiny", "a", status, duration_ms=1500, **more)  # type: ignore[arg-type]  # few fields
    return Moment("0123456789", BEGAN, "", verdict, outcome)


def test_a_run_that_was_not_whole_says_what_it_left_out() -> None:
    plan = Plan("f", 10, shard=2, shards=3, selection="-k cart")
    summary = Summary(total=4, passed=3, failed=1)
    run = KeptRun("0123456789", "shop", "staging", BEGAN, 61_000, "interrupted", summary, plan)
    _, line = history_lines([run], [], 30)
    assert line == (
        "01234567  2026-01-31 12:00:00   1 min 1 s  3 passed, 1 failed (staging; -k cart; shard 2 of 3; "
        "stopped early (interrupted): 6 of 10 cases not run)"
    )
    assert run_line(run).startswith("run 0123456789, 2026-01-31 12:00:00 UTC (staging; -k cart; ")


def test_flaky_cases_are_lined_up_and_only_the_newest_marks_shown() -> None:
    cases = [
        FlakyCase("tiny::long", "staging", ("passed", "failed") * 50),
        FlakyCase("tiny::short", "", ("errored", "known", "skipped", "passed", "failed")),
    ]
    lines = list(history_lines([], cases, 100))
    assert lines[2].startswith("2 flaky in the last 100 runs")
    assert lines[3] == f"  {'.F' * 30}  tiny::long (bad in 50 of 100, staging)"
    assert lines[4] == f"  {'Eks.F':<60}  tiny::short (bad in 2 of 5)"


def test_a_case_says_why_it_was_not_well() -> None:
    moments = [
        moment("failed", failures=(Failure("status is\n500"), Failure("body differs"))),
        moment("errored", Status.ERRORED, reason="no connection " * 100),
        moment("passed", Status.PASSED, reason="not told"),
    ]
    name, marks, _, failed, errored, passed = case_lines("tiny::a", moments)
    assert (name, marks.split()[0]) == ("tiny::a", ".EF")
    assert failed == "01234567  2026-01-31 12:00:00       1.5 s  failed: status is 500; body differs"
    assert "errored: no connection no" in errored
    assert len(errored) < 300
    assert passed.endswith("passed")
    data = case_data("tiny::a", moments)
    assert data["outcomes"][0]["failures"] == ["status is\n500", "body differs"]
    assert data["outcomes"][0]["durationMs"] == 1500
