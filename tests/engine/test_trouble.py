"""What goes wrong outside of any case is an errored outcome: a run that could not tidy up is not green."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.troubled_act import troubled_acts, unit_of, workshop
from understudy.core.errors import UnderstudyError
from understudy.core.events import CaseFinished, Event, Evidence, RunFinished, RunNote
from understudy.core.outcome import Attachment, Outcome
from understudy.core.redact import Numbered, Redactor
from understudy.core.report import Plan, Report
from understudy.engine.act import Unit
from understudy.engine.executors import Limits, Workshop, open_executor
from understudy.engine.plan import Planned, PlanRequest, make_plan
from understudy.engine.run import RunRequest, run
from understudy.engine.spool import Spool

EXECUTORS = ["serial", "concurrent", "processes"]


@pytest.fixture(autouse=True)
def workers_find_the_act(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent.parent))


def rehearse(
    *units: Unit,
    executor: str = "serial",
    conclusion: str = "",
    handlers: Any = (),
    plan: Plan | None = None,
    **more: Any,
) -> tuple[Report, list[Outcome]]:
    planned = make_plan(list(units), PlanRequest())
    if plan is not None:
        planned = Planned(planned.units, plan)
    with Spool(lambda: Numbered().outcome) as spool:
        request = RunRequest(
            executor=open_executor(executor), workshop=workshop(), limits=Limits(workers=1), **more
        )
        report = asyncio.run(run(troubled_acts(conclusion), planned, request, spool, list(handlers)))
        return report, list(report.outcomes)


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize(
    ("scope", "identifier"),
    [("unit", r"engine::teardown::troubled\:\:t\:\:unit-1"), ("worker", "engine::teardown::a worker")],
)
def test_a_teardown_that_fails_is_an_errored_outcome(executor: str, scope: str, identifier: str) -> None:
    report, outcomes = rehearse(unit_of(f"{scope}-1"), unit_of("fine"), executor=executor)
    statuses = {outcome.id: outcome.status.value for outcome in outcomes}
    assert statuses[f"troubled::t::{scope}-1"] == "passed"
    assert statuses["troubled::t::fine"] == "passed"
    assert statuses[identifier] == "errored"
    assert "OSError: the port is still taken" in next(o.reason for o in outcomes if o.id == identifier)
    assert not report.summary.is_green


def test_a_teardown_of_the_whole_run_that_fails_is_an_errored_outcome() -> None:
    report, outcomes = rehearse(unit_of("run-1"), unit_of("fine"))
    assert [(o.id, o.status.value) for o in outcomes][2:3] == [("engine::teardown::the run", "errored")]
    assert report.summary.errored == 1


def test_a_worker_process_that_dies_while_it_tears_down_is_told() -> None:
    report, outcomes = rehearse(unit_of("die-1"), unit_of("fine"), executor="processes")
    (errored,) = [outcome for outcome in outcomes if outcome.status.value == "errored"]
    assert errored.reason == "its worker process ended with exit code 9 while it tore down"
    assert report.summary.passed == 3


def test_a_worker_process_that_cannot_load_the_acts_runs_what_is_registered_for_its_exit(
    tmp_path: Path,
) -> None:
    planned = make_plan([unit_of("fine")], PlanRequest())
    request = RunRequest(
        executor=open_executor("processes"),
        workshop=Workshop("engine.troubled_act:no_acts", {"log": str(tmp_path / "log")}),
        limits=Limits(workers=1),
    )
    with (
        Spool(lambda: Numbered().outcome) as spool,
        pytest.raises(UnderstudyError, match="could not load the acts: OSError: the disk is gone"),
    ):
        asyncio.run(run(troubled_acts(), planned, request, spool, []))
    assert (tmp_path / "log").read_text() == "said at the exit"


def test_trouble_of_two_shards_has_two_ids() -> None:
    ids = []
    for index in (1, 2):
        _, outcomes = rehearse(unit_of("worker-1"), plan=Plan(cases=1, shard=index, shards=2))
        ids.append(outcomes[-1].id)
    assert ids == ["engine::teardown::a worker (shard 1 of 2)", "engine::teardown::a worker (shard 2 of 2)"]


@pytest.mark.parametrize("executor", EXECUTORS)
def test_an_act_that_raises_after_its_last_outcome_is_told(executor: str) -> None:
    report, outcomes = rehearse(unit_of("late-1"), executor=executor)
    assert [outcome.status.value for outcome in outcomes[:2]] == ["passed", "errored"]
    assert "after all its cases had an outcome" in outcomes[1].reason
    assert "RuntimeError: too late" in outcomes[1].reason
    assert report.summary.errored == 1


@pytest.mark.parametrize("executor", EXECUTORS)
def test_evidence_that_contradicts_itself_is_told_and_costs_no_report(executor: str) -> None:
    report, outcomes = rehearse(unit_of("clash-1"), unit_of("clash-2"), unit_of("fine"), executor=executor)
    (errored,) = [outcome for outcome in outcomes if outcome.status.value == "errored"]
    assert "contradicts itself" in errored.reason
    assert "seen" in errored.reason
    assert report.summary.passed == 4


@pytest.mark.parametrize(
    ("conclusion", "reason", "attached"),
    [("refuse", "the evidence is not to be judged", 0), ("raise", "ZeroDivisionError: a defect", 1)],
)
def test_an_act_that_cannot_conclude_is_errored(conclusion: str, reason: str, attached: int) -> None:
    report, outcomes = rehearse(unit_of("fine"), conclusion=conclusion)
    assert [outcome.id for outcome in outcomes] == [
        "troubled::t::fine",
        "troubled::whole::first",
        "engine::conclude::troubled",
    ]
    assert reason in outcomes[-1].reason
    assert len(outcomes[-1].attachments) == attached
    assert not report.summary.is_green


def test_a_handler_that_fails_changes_nothing_for_the_run_and_the_others() -> None:
    seen: list[Event] = []

    def broken(event: Event) -> None:
        if isinstance(event, CaseFinished):
            calls.append(event)
            raise RuntimeError("the disk is full")

    calls: list[Event] = []
    with pytest.raises(RuntimeError, match="the disk is full"):
        rehearse(unit_of("fine"), unit_of("good"), handlers=[broken, seen.append])
    assert len(calls) == 1
    (finished,) = [event for event in seen if isinstance(event, RunFinished)]
    assert finished.report.summary.passed == 3


def test_evidence_is_redacted_and_keeps_its_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TINY_SECRET", "hunter2-hunter2")
    redactor = Redactor(["hunter2-hunter2"])
    seen: list[Event] = []
    report, _ = rehearse(
        unit_of("told-1"),
        unit_of("told-2"),
        handlers=[seen.append],
        redact=redactor.outcome,
        redact_text=redactor.text,
    )
    assert report.evidence == {"troubled": {"seen": {"GET /<secret 1>": 2, "password": 2}}}
    assert "hunter2" not in repr([event for event in seen if isinstance(event, Evidence)])


def test_notes_of_the_run_share_the_numbers_of_the_outcomes(monkeypatch: pytest.MonkeyPatch) -> None:
    redactor = Redactor(["first-secret", "second-secret"])

    def redact(outcome: Outcome) -> Outcome:
        return redactor.outcome(replace(outcome, notes=("first-secret",)))

    seen: list[Event] = []
    report, outcomes = rehearse(
        unit_of("fine"),
        handlers=[seen.append],
        redact=redact,
        redact_text=redactor.text,
        final_notes=lambda failed: [Attachment("log", "second-secret, first-secret")],
    )
    assert outcomes[0].notes == ("<secret 1>",)
    assert [note.text for note in report.attachments] == ["<secret 2>, <secret 1>"]
    assert [event.attachment for event in seen if isinstance(event, RunNote)] == list(report.attachments)


def test_what_was_found_is_reported_although_the_run_could_not_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def lose_the_act(event: Event) -> None:
        if isinstance(event, CaseFinished):
            monkeypatch.setenv("PYTHONPATH", "/nowhere")

    late = replace(unit_of("die-2"), last=True)
    report, outcomes = rehearse(unit_of("fine"), late, executor="processes", handlers=[lose_the_act])
    assert report.stopped == "the run could not go on"
    assert [outcome.id for outcome in outcomes] == ["troubled::t::fine", "engine::execution::the run"]
    assert "a worker process could not load the acts" in outcomes[1].reason
    assert not report.summary.is_green
