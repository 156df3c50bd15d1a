"""Units, evidence and conclude, proven with an act as a third party would write it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from understudy.core.clock import FixedClock
from understudy.core.events import CaseFinished, CaseStarted, RunFinished, RunStarted
from understudy.core.outcome import Status
from understudy.core.redact import Numbered, Redactor
from understudy.engine.executors import Limits
from understudy.engine.plan import PlanRequest
from understudy.engine.selection import Selection
from understudy.engine.spool import Spool

Rehearse = Callable[..., Any]
EXECUTORS = ["serial", "concurrent", "processes"]


@pytest.mark.parametrize("executor", EXECUTORS)
def test_every_status_is_told_apart_whatever_runs_the_units(rehearse: Rehearse, executor: str) -> None:
    config = {
        "units": [["pass-1"], ["fail-1"], ["raise-1"], ["refuse-1"], ["silent-1"], ["pass-2", "pass-3"]]
    }
    result = asyncio.run(rehearse(config, executor=executor))
    assert result.statuses == {
        "pass-1": "passed",
        "fail-1": "failed",
        "raise-1": "errored",
        "refuse-1": "errored",
        "silent-1": "errored",
        "pass-2": "passed",
        "pass-3": "passed",
    }
    assert "a defect of the tiny act" in result["raise-1"].reason
    assert "RuntimeError" in result["raise-1"].attachments[0].text
    assert result["refuse-1"].reason == "the tiny act cannot judge this"
    assert "without an outcome" in result["silent-1"].reason
    assert (result.report.summary.passed, result.report.summary.failed, result.report.summary.errored) == (
        3,
        1,
        3,
    )


@pytest.mark.parametrize("executor", EXECUTORS)
def test_an_act_that_wants_to_end_the_program_ends_its_unit_only(rehearse: Rehearse, executor: str) -> None:
    result = asyncio.run(rehearse({"units": [["leave-1"], ["pass-1"]]}, executor=executor))
    assert result.statuses == {"leave-1": "errored", "pass-1": "passed"}
    assert "SystemExit: as a library may" in result["leave-1"].reason


@pytest.mark.parametrize("executor", EXECUTORS)
def test_a_second_outcome_of_a_case_is_told_and_does_not_pass_for_a_case(
    rehearse: Rehearse, executor: str
) -> None:
    result = asyncio.run(rehearse({"units": [["twice-1"]]}, executor=executor))
    assert [outcome.status.value for outcome in result.outcomes] == ["passed", "errored"]
    assert "a second outcome for 'tiny::tiny.toml::twice-1', which failed" in result.outcomes[1].reason
    assert len({outcome.id for outcome in result.outcomes}) == 2


@pytest.mark.parametrize("executor", EXECUTORS)
def test_outcomes_are_reported_in_the_order_of_the_plan(rehearse: Rehearse, executor: str) -> None:
    names = [f"pass-{number}" for number in range(40)]
    result = asyncio.run(rehearse({"units": [[name] for name in names]}, executor=executor))
    assert [outcome.name for outcome in result.outcomes] == names


@pytest.mark.parametrize("executor", EXECUTORS)
def test_conclude_judges_the_evidence_of_all_units_and_workers(rehearse: Rehearse, executor: str) -> None:
    config = {"units": [["hit-a"], ["pass-1"], ["hit-a-again"]], "mocks": ["a", "a-again", "b"]}
    result = asyncio.run(rehearse(config, executor=executor))
    assert result.statuses["mock b is dead"] == "failed"
    assert "mock a is dead" not in result.statuses
    assert result.report.evidence == {"tiny": {"declared": {"a": 1, "a-again": 1, "b": 0}}}


def test_a_selected_run_does_not_conclude_on_evidence_that_is_not_whole(rehearse: Rehearse) -> None:
    config = {"units": [["hit-a"], ["pass-1"]], "mocks": ["a"]}
    chosen = Selection(ids=frozenset({"tiny::tiny.toml::pass-1"}), description="--case ...")
    result = asyncio.run(rehearse(config, PlanRequest(chosen)))
    assert result.statuses == {"pass-1": "passed"}


def test_labelled_rows_have_outcomes_of_their_own(rehearse: Rehearse) -> None:
    result = asyncio.run(rehearse({"units": [["rows-1"]]}))
    assert result.statuses == {"rows-1/a": "passed", "rows-1/b": "failed", "rows-1": "passed"}
    assert result["rows-1/b"].parent == result["rows-1"].id


def test_events_tell_the_run_in_order(rehearse: Rehearse) -> None:
    result = asyncio.run(rehearse({"units": [["pass-1"], ["fail-1"]]}))
    kinds = [
        type(event)
        for event in result.events
        if isinstance(event, RunStarted | CaseStarted | CaseFinished | RunFinished)
    ]
    assert kinds == [RunStarted, CaseStarted, CaseFinished, CaseStarted, CaseFinished, RunFinished]


@pytest.mark.parametrize("executor", ["serial", "concurrent"])
def test_worker_resources_are_made_once_and_torn_down_whatever_fails(
    rehearse: Rehearse, tmp_path: Path, executor: str
) -> None:
    log = tmp_path / "log"
    units = [["resource-1"], ["raise-1"], ["resource-2"]]
    result = asyncio.run(rehearse({"units": units, "log": str(log)}, executor=executor))
    lines = log.read_text().splitlines()
    assert lines.count("open thing") == 1
    assert lines[-1] == "close thing"
    assert result["resource-1"].notes == result["resource-2"].notes


def test_each_worker_process_makes_and_tears_down_its_own_resources(
    rehearse: Rehearse, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    units = [[f"resource-{number}"] for number in range(8)]
    result = asyncio.run(
        rehearse({"units": units, "log": str(log)}, executor="processes", limits=Limits(workers=2))
    )
    lines = log.read_text().splitlines()
    assert (
        lines.count("open thing")
        == lines.count("close thing")
        == len({outcome.notes for outcome in result.outcomes})
    )


@pytest.mark.parametrize("executor", EXECUTORS)
def test_resources_of_the_run_reach_every_worker(rehearse: Rehearse, executor: str) -> None:
    result = asyncio.run(rehearse({"units": [["target-1"], ["target-2"]]}, executor=executor))
    assert {outcome.notes for outcome in result.outcomes} == {("http://127.0.0.1:1",)}


def test_stopping_at_the_first_failure_leaves_the_rest_but_runs_what_must_come_last(
    rehearse: Rehearse,
) -> None:
    config = {"units": [["fail-1"], ["pass-1"], ["last-clean"]]}
    result = asyncio.run(rehearse(config, stop_on_failure=True))
    assert result.statuses == {"fail-1": "failed", "last-clean": "passed"}
    assert "-x" in result.report.stopped


def test_a_unit_that_hangs_is_stopped_and_the_others_still_run(rehearse: Rehearse) -> None:
    result = asyncio.run(rehearse({"units": [["hang-1"], ["pass-1"]]}, limits=Limits(unit_timeout=0.2)))
    assert result.statuses == {"hang-1": "errored", "pass-1": "passed"}
    assert "longer than the 0.2 s" in result["hang-1"].reason


@pytest.mark.parametrize(
    ("case", "limits", "reason"),
    [
        ("spin-1", Limits(workers=1, unit_timeout=1.0), "longer than the 1 s allowed"),
        ("crash-1", Limits(workers=1), "was killed by SIGSEGV"),
        ("eat-1", Limits(workers=1, memory=600), "MemoryError"),
    ],
)
def test_a_hostile_unit_costs_its_worker_process_only(
    rehearse: Rehearse, case: str, limits: Limits, reason: str
) -> None:
    result = asyncio.run(
        rehearse({"units": [["pass-1"], [case], ["pass-2"]]}, executor="processes", limits=limits)
    )
    assert result.statuses == {"pass-1": "passed", case: "errored", "pass-2": "passed"}
    assert reason in result[case].reason


@pytest.mark.parametrize("executor", EXECUTORS)
def test_cancelling_gives_a_partial_report_that_says_so(
    rehearse: Rehearse, tmp_path: Path, executor: str
) -> None:
    log = tmp_path / "log"
    units = [["resource-1"], ["hang-1"], ["pass-never"], ["last-clean"]]

    async def interrupt() -> Any:
        task = asyncio.ensure_future(
            rehearse({"units": units, "log": str(log)}, executor=executor, limits=Limits(workers=1))
        )
        while not log.exists() or "run hang-1" not in log.read_text():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        task.cancel()
        return await task

    result = asyncio.run(interrupt())
    assert result.report.stopped == "interrupted"
    assert result.statuses == {"resource-1": "passed", "last-clean": "passed"}
    assert "close thing" in log.read_text().splitlines()


def test_a_worker_process_that_is_done_runs_what_is_registered_for_its_exit(
    rehearse: Rehearse, tmp_path: Path
) -> None:
    config = {"units": [["exits-1"]], "log": str(tmp_path / "log")}
    asyncio.run(rehearse(config, executor="processes"))
    assert (tmp_path / "log").read_text().splitlines() == ["run exits-1", "exit"]


@pytest.mark.parametrize("executor", EXECUTORS)
def test_what_a_cancelled_unit_still_tells_is_in_the_report(
    rehearse: Rehearse, tmp_path: Path, executor: str
) -> None:
    log = tmp_path / "log"

    async def interrupt() -> Any:
        config = {"units": [["pass-1", "tells-1", "pass-2"]], "log": str(log)}
        task = asyncio.ensure_future(rehearse(config, executor=executor))
        while not log.exists() or "run tells-1" not in log.read_text():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        task.cancel()
        return await task

    result = asyncio.run(interrupt())
    assert result.report.stopped == "interrupted"
    assert result.statuses == {"pass-1": "passed", "tells-1": "failed"}


@pytest.mark.parametrize(
    ("today", "case", "status", "is_bad"),
    [
        ("2026-01-01", "fail-1", "failed", False),
        ("2026-03-01", "fail-1", "failed", True),
        ("2026-01-01", "pass-1", "failed", True),
    ],
)
def test_known_failures_are_tolerated_until_their_date_or_until_they_pass(
    rehearse: Rehearse, today: str, case: str, status: str, is_bad: bool
) -> None:
    config = {"units": [[case]], "known": {case: "2026-02-01"}}
    clock = FixedClock(datetime.fromisoformat(today).replace(tzinfo=UTC))
    result = asyncio.run(rehearse(config, clock=clock))
    assert (result[case].status.value, result[case].is_bad) == (status, is_bad)
    assert result.report.summary.known == (0 if is_bad else 1)
    assert result.report.summary.is_green is not is_bad


def test_secrets_are_gone_before_anything_is_kept_or_sent(
    rehearse: Rehearse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TINY_SECRET", "hunter2-hunter2")
    redactor = Redactor(["hunter2-hunter2"])
    with Spool(lambda: Numbered().outcome) as numbered:
        result = asyncio.run(rehearse({"units": [["secret-1"]]}, redact=redactor.outcome))
        numbered.append(0, result.outcomes[0])
        kept = next(iter(numbered))
    assert "hunter2" not in repr(result.events)
    assert kept.failures[0].message == "token <secret 1> was refused"


def test_a_bad_outcome_carries_the_command_that_runs_it_again(rehearse: Rehearse) -> None:
    config = {"units": [["fail-1"], ["pass-1"]]}
    result = asyncio.run(rehearse(config, rerun=lambda case_id: f"understudy run --case {case_id}"))
    assert result["fail-1"].rerun == "understudy run --case tiny::tiny.toml::fail-1"
    assert result["pass-1"].rerun == ""
    assert result["pass-1"].status is Status.PASSED
