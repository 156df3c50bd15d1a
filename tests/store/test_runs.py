"""A run is kept as it was and can be read as a report again; what is old goes, and nobody else's."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import func, select

from reporting.sample_reports import full_report
from store.test_store import entry
from understudy.core.clock import CountingIds
from understudy.core.errors import InputError
from understudy.core.outcome import Attachment, Failure, Known, Outcome, Status
from understudy.core.report import Plan, Report, Summary
from understudy.store import Store
from understudy.store.case_history import case_over_time, cases_like, flaky_cases
from understudy.store.reach import Reach, ServedStore
from understudy.store.retention import Retention, prune
from understudy.store.runs import find_runs, keep_run, kept_runs, outcomes_of, report_of

BEGAN = datetime(2026, 1, 1, 12, tzinfo=UTC)
LETTERS = {
    ".": Status.PASSED,
    "F": Status.FAILED,
    "E": Status.ERRORED,
    "s": Status.SKIPPED,
    "k": Status.FAILED,
}


def outcome(case: str, letter: str = ".", **more: Any) -> Outcome:
    """An outcome whose status is a letter of the above."""
    known = Known("issue 7") if letter == "k" else None
    failures = (Failure("is wrong"),) if letter in "Fk" else ()
    return Outcome(case, "tiny", case, LETTERS[letter], failures, known=known, duration_ms=2.5, **more)


def report(*outcomes: Outcome, hours: float = 0) -> Report:
    """A report of a run so many hours after the first."""
    summary = Summary()
    for each in outcomes:
        summary.add(each)
    began = (BEGAN + timedelta(hours=hours)).isoformat(timespec="milliseconds")
    return Report(summary, outcomes, Plan("f", len(outcomes)), started_at=began, duration_ms=1500)


def keep_series(reach: Reach, verdicts: dict[str, str], project: str = "shop", environment: str = "") -> None:
    """Keep a run for each letter; a blank says that the case was not run."""
    for number, letters in enumerate(zip(*verdicts.values(), strict=True)):
        ran = [outcome(case, letter) for case, letter in zip(verdicts, letters, strict=True) if letter != " "]
        keep_run(reach, report(*ran, hours=number), project, environment)


def test_a_report_is_kept_and_comes_back_as_it_was(reach: Reach) -> None:
    sample = full_report()
    run = keep_run(reach, sample, "shop", "staging")
    (kept,) = kept_runs(reach, "shop")
    assert (kept.id, kept.project, kept.environment) == (run, "shop", "staging")
    again = report_of(reach, kept)
    assert list(again.outcomes) == list(sample.outcomes)
    assert (again.summary, again.plan, again.stopped) == (sample.summary, sample.plan, sample.stopped)
    assert again.started_at == sample.started_at
    assert again.duration_ms == pytest.approx(sample.duration_ms, abs=0.001)


def test_a_run_without_outcomes_is_kept_too(reach: Reach) -> None:
    keep_run(reach, report())
    assert [run.summary.total for run in kept_runs(reach)] == [0]


def test_hostile_outcomes_are_kept(reach: Reach) -> None:
    nasty = "\0\ud800'); DROP TABLE runs; --\x1b[31m"
    kept = outcome(f"tiny::{nasty}", "F", notes=(nasty,), details={"n": [float("nan"), float("inf"), {1}]})
    (found,) = outcomes_of(reach, keep_run(reach, report(kept), nasty, nasty))
    assert found.id == "tiny::\\x00\\ud800'); DROP TABLE runs; --\x1b[31m"
    assert found.notes == (nasty,)
    assert found.details == {"n": ["nan", "inf", [1]]}
    assert len(kept_runs(reach, nasty)) == 1


def test_what_is_too_large_is_left_out_and_said(reach: Reach) -> None:
    large = outcome("a", "F", attachments=(Attachment("body", "x" * 1_000_000),), notes=("first",))
    (found,) = outcomes_of(reach, keep_run(reach, report(large)))
    assert found.failures == large.failures
    assert found.attachments == ()
    assert found.notes[0] == "first"
    assert found.notes[1].startswith("attachments of 1,000,")
    huge = outcome("b", "F", notes=("y" * 1_000_000,))
    (found,) = outcomes_of(reach, keep_run(reach, report(huge)))
    assert (found.status, len(found.notes), len(found.notes[0]) < 100) == (Status.FAILED, 1, True)


def test_runs_are_listed_newest_first_and_by_project(reach: Reach) -> None:
    ids = CountingIds("run")
    for hours, project in ((2, "shop"), (1, "shop"), (3, "shop"), (4, "other")):
        keep_run(reach, report(outcome("a"), hours=hours), project, new_id=ids)
    assert [run.id for run in kept_runs(reach, "shop")] == ["run-3", "run-1", "run-2"]
    assert [run.id for run in kept_runs(reach, "shop", most=2)] == ["run-3", "run-1"]
    assert next(run.id for run in kept_runs(reach)) == "run-4"
    assert [run.duration_ms for run in kept_runs(reach, "other")] == [1500]


def test_a_run_is_found_by_the_beginning_of_its_id(reach: Reach) -> None:
    ids = iter(["abc", "abd", "a%c"])
    for _ in range(3):
        keep_run(reach, report(outcome("a")), new_id=lambda: next(ids))
    assert {run.id for run in find_runs(reach, "ab")} == {"abc", "abd"}
    assert [run.id for run in find_runs(reach, "a%")] == ["a%c"]
    assert find_runs(reach, "x") == []
    assert find_runs(reach, "ab", "another project") == []


def test_the_oldest_runs_of_the_project_go_with_their_outcomes(reach: Reach) -> None:
    keep_run(reach, report(outcome("a")), "other")
    for hours in range(5):
        keep_run(reach, report(outcome("a"), hours=hours), "shop", retention=Retention(runs=2))
    assert [run.started_at[11:13] for run in kept_runs(reach, "shop")] == ["16", "15"]
    assert len(kept_runs(reach, "other")) == 1
    with reach.read() as sql:
        assert sql.rows("SELECT COUNT(*) AS number FROM outcomes")[0]["number"] == 3


@pytest.mark.parametrize(
    ("retention", "left"),
    [
        (Retention(days=1.5), ["60", "48", "36", "24"]),
        (Retention(days=0), ["60"]),
        (Retention(outcomes=5), ["60", "48"]),
        (Retention(outcomes=1), ["60"]),
        (Retention(runs=0), []),
    ],
    ids=str,
)
def test_runs_go_by_age_and_by_number_of_outcomes_but_not_the_newest(
    reach: Reach, retention: Retention, left: list[str]
) -> None:
    for hours in range(0, 72, 12):
        last = hours == 60
        many = [outcome("a"), outcome("b")]
        keep_run(reach, report(*many, hours=hours), retention=retention if last else Retention())
    began = [datetime.fromisoformat(run.started_at) - BEGAN for run in kept_runs(reach)]
    assert [str(int(each / timedelta(hours=1))) for each in began] == left


def test_a_run_does_not_go_as_soon_as_it_is_kept(reach: Reach) -> None:
    """Not even that of a machine whose clock is slow, or one that began together with others."""
    ids = iter("zyxa")
    for _ in range(3):
        keep_run(reach, report(outcome("a"), hours=5), new_id=lambda: next(ids), retention=Retention(runs=2))
    keep_run(reach, report(outcome("a")), new_id=lambda: next(ids), retention=Retention(runs=2))
    assert [run.id for run in kept_runs(reach)] == ["z", "a"]


def test_flaky_cases_are_those_that_go_back_and_forth(reach: Reach) -> None:
    keep_series(
        reach,
        {
            "flaky": ".F.F",
            "errors": "E.E.",
            "skips between": ".sF.",
            "broken": "..FF",
            "mended": "FF..",
            "well": "....",
            "known": ".k.k",
            "seldom": "F  .",
        },
    )
    keep_series(reach, {"elsewhere": ".F."}, "other")
    found = {case.case: (case.turns, case.bad) for case in flaky_cases(reach, "shop")}
    assert found == {"flaky": (3, 2), "errors": (3, 2), "skips between": (2, 1)}
    assert [case.case for case in flaky_cases(reach, "shop", most=2)] == []
    assert [case.case for case in flaky_cases(reach, "other")] == ["elsewhere"]


def test_a_case_that_fails_only_in_one_environment_is_not_flaky(reach: Reach) -> None:
    for number in range(4):
        keep_run(
            reach, report(outcome("a", ".F"[number % 2]), hours=number), "", ("local", "staging")[number % 2]
        )
    assert flaky_cases(reach) == []
    keep_run(reach, report(outcome("a", "."), hours=5), "", "staging")
    keep_run(reach, report(outcome("a", "F"), hours=6), "", "staging")
    (found,) = flaky_cases(reach)
    assert (found.environment, found.verdicts) == ("staging", ("failed", "failed", "passed", "failed"))


def test_a_case_is_followed_over_time(reach: Reach) -> None:
    keep_series(reach, {"tiny::a": ".Fk", "tiny::b": "..."})
    moments = case_over_time(reach, "tiny::a", "shop")
    assert [moment.verdict for moment in moments] == ["known", "failed", "passed"]
    assert moments[1].outcome.failures == (Failure("is wrong"),)
    assert len(case_over_time(reach, "tiny::a", "shop", most=2)) == 2
    assert case_over_time(reach, "tiny::a", "other") == []


@pytest.mark.parametrize(
    ("part", "found"),
    [("cart", ["a::Cart/1", "a::cart_2"]), ("_", ["a::cart_2"]), ("%", ["b::100%"]), ("!", []), ("::", 4)],
)
def test_cases_are_found_by_a_part_of_their_id(reach: Reach, part: str, found: Any) -> None:
    keep_run(reach, report(*map(outcome, ["a::Cart/1", "a::cart_2", "b::100%", "b::well"])))
    names = cases_like(reach, part)
    assert (len(names) if isinstance(found, int) else sorted(names, key=str.lower)) == found


def test_what_was_logged_goes_when_it_is_asked_for(store: Store) -> None:
    tables = store.tables
    old, new = "2025-12-31T23:59:59.999999+00:00", "2026-01-01T00:00:00.000000+00:00"
    for moment in (old, new):
        store.append(tables.execution_log, [entry(recorded_at=moment)] * 3)
        store.append(tables.security_events, [{"kind": "trust_claim", "recorded_at": moment}])
        action = {"agent_id": "bot", "action_type": "export", "status": "denied", "recorded_at": moment}
        store.append(tables.agent_actions, [action])
        for status in ("approved", "pending"):
            review = {"id": f"{moment} {status}", "item_type": "export", "status": status}
            store.append(tables.reviews, [{**review, "payload": {}, "submitted_at": moment}])
            line = {"review_id": f"{moment} {status}", "event": "submitted", "at": moment}
            store.append(tables.review_events, [line])
    assert prune(store, datetime(2026, 1, 1, tzinfo=UTC)) == {
        "execution_log": 3,
        "security_events": 1,
        "agent_actions": 1,
        "reviews": 1,
        "review_events": 1,
    }
    with store.read() as connection:
        reviews = (
            connection.execute(select(tables.reviews.c.id).order_by(tables.reviews.c.id)).scalars().all()
        )
        left = connection.execute(select(func.count()).select_from(tables.execution_log)).scalar()
    assert reviews == [f"{old} pending", f"{new} approved", f"{new} pending"]
    assert left == 3


def test_a_moment_without_a_zone_is_one_in_utc(store: Store) -> None:
    store.append(store.tables.execution_log, [entry(recorded_at="2026-01-01T00:00:00.000000+00:00")])
    for moment, gone in ((datetime(2026, 1, 1), 0), (datetime(2026, 1, 1, 0, 0, 1), 1)):
        assert prune(store, moment)["execution_log"] == gone


@pytest.mark.parametrize("before", [Retention(), "2026-01-01", None, 90], ids=str)
def test_what_is_no_moment_deletes_nothing(store: Store, before: Any) -> None:
    store.append(store.tables.execution_log, [entry()])
    with pytest.raises(InputError, match=r"before is .*, and no moment \(give a datetime"):
        prune(store, before)
    assert prune(store, datetime(2999, 1, 1, tzinfo=UTC))["execution_log"] == 1


def test_runs_can_be_kept_in_a_store_that_is_open(store: Store) -> None:
    reach = ServedStore(store)
    keep_run(reach, report(outcome("a")))
    assert [run.summary.passed for run in kept_runs(reach)] == [1]
