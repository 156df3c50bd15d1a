"""The suite itself: a sound flow passes, every planted fault is found, and what a flow does badly is said."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from understudy.core.errors import InputError
from understudy.core.outcome import Status
from understudy.governance.conformance.adapters.pydantic_ai import PydanticAIFlow
from understudy.governance.conformance.bench import CountingBench
from understudy.governance.conformance.cases.case import ConformanceCase
from understudy.governance.conformance.faulty import FAULTS, FaultyFlow
from understudy.governance.conformance.flow import Bench, Call, NotOffered, Session
from understudy.governance.conformance.report import ConformanceReport, verdict_table
from understudy.governance.conformance.suite import CASES, run_conformance, run_conformance_async
from understudy.governance.conformance.trial import Trial


def failed(report: ConformanceReport) -> set[str]:
    """The properties in which a flow fell short."""
    return {str(outcome.details["property"]) for outcome in report.bad}


class BrokenFlow:
    """A flow that fails in one way wherever it is touched."""

    name = "broken flow"

    def __init__(self, error: Exception) -> None:
        self.error = error

    async def start(self, rounds: Sequence[Sequence[Call]], bench: Bench) -> Session:
        raise self.error

    async def restore(self, saved: bytes, rounds: Sequence[Sequence[Call]], bench: Bench) -> Session:
        raise self.error


class SilentFlow:
    """A flow that never comes back."""

    name = "silent flow"

    async def start(self, rounds: Sequence[Sequence[Call]], bench: Bench) -> Session:
        await asyncio.Event().wait()
        raise AssertionError("nobody sets the event")

    async def restore(self, saved: bytes, rounds: Sequence[Sequence[Call]], bench: Bench) -> Session:
        return await self.start(rounds, bench)


class MuteFlow:
    """A flow whose tools never run."""

    name = "mute flow"

    def __init__(self) -> None:
        self.inner = FaultyFlow()

    async def start(self, rounds: Sequence[Sequence[Call]], bench: Bench) -> Session:
        if bench.streaming:
            bench.heard("nothing to say")
        return await self.inner.start([[]], CountingBench())

    async def restore(self, saved: bytes, rounds: Sequence[Sequence[Call]], bench: Bench) -> Session:
        return await self.inner.restore(saved, [[]], bench)


def test_a_sound_flow_passes_every_case() -> None:
    report = run_conformance(FaultyFlow())

    assert report.passed
    assert report.text() == f"faulty flow: {len(CASES)} of {len(CASES)} cases passed"


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found_in_the_property_that_it_breaks(fault: str) -> None:
    report = run_conformance(FaultyFlow({fault}))

    assert FAULTS[fault] in failed(report), report.text()
    assert not {outcome.status for outcome in report.bad} - {Status.FAILED}


def test_every_property_has_a_fault_that_breaks_it() -> None:
    assert set(FAULTS.values()) == {case.property for case in CASES}


def test_every_case_can_fail() -> None:
    noticed = {outcome.name for fault in FAULTS for outcome in run_conformance(FaultyFlow({fault})).bad}

    assert [case.name for case in CASES if f"{case.property}/{case.name}" not in noticed] == []


def test_a_fault_that_does_not_exist_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(InputError, match="did you mean 'takes truthy answers'"):
        FaultyFlow({"takes truth answers"})


def test_a_failure_says_what_was_done_and_what_ran() -> None:
    report = run_conformance(FaultyFlow({"runs edited arguments"}))

    (outcome,) = report.bad
    (failure,) = outcome.failures
    assert "the reviewer changed the arguments" in failure.message
    assert "was to run never, and ran once, with somebody-elses-bundle" in failure.message
    assert failure.actual == [{"target": "somebody-elses-bundle", "amount": 1}]


def test_a_flow_that_cannot_start_is_errored_in_every_case_and_not_green() -> None:
    report = run_conformance(BrokenFlow(RuntimeError("no model")))

    assert {outcome.status for outcome in report.outcomes} == {Status.ERRORED}
    assert {outcome.reason for outcome in report.outcomes} == {"RuntimeError: no model"}
    assert not report.passed


def test_what_a_flow_does_not_offer_is_skipped_with_its_reason_and_is_no_pass() -> None:
    report = run_conformance(BrokenFlow(NotOffered("it has no approvals")))

    assert {outcome.status for outcome in report.outcomes} == {Status.SKIPPED}
    assert "it has no approvals" in report.text()
    assert not report.passed
    assert "| expiry | not offered |" in verdict_table([report])


def test_a_flow_that_hangs_is_given_up_and_the_next_case_runs() -> None:
    report = run_conformance(SilentFlow(), CASES[:2], seconds=0.05)

    assert [outcome.reason for outcome in report.outcomes] == ["it took longer than 0.05 s"] * 2
    assert [outcome.status for outcome in report.outcomes] == [Status.ERRORED] * 2


def test_a_timeout_of_the_flow_itself_is_not_taken_for_ours() -> None:
    report = run_conformance(BrokenFlow(TimeoutError("the database is slow")), CASES[:1])

    assert report.outcomes[0].reason == "TimeoutError: the database is slow"


def test_a_flow_that_asks_nothing_fails_the_cases_in_which_nothing_may_run() -> None:
    """Else a flow that has no approvals at all would be the safest."""

    report = run_conformance(MuteFlow())

    missed = {outcome.name for outcome in report.outcomes if outcome.status is Status.PASSED}
    assert missed == {"streaming/a stream that is left early runs nothing"}


def test_no_cases_are_no_verdict() -> None:
    assert not run_conformance(FaultyFlow(), ()).passed


def test_the_async_twin_gives_the_same_verdict() -> None:
    report = asyncio.run(run_conformance_async(FaultyFlow({"never expires"})))

    assert failed(report) == {"expiry"}


def test_cases_of_ones_own_are_run_like_ours() -> None:
    async def attempt(trial: Trial) -> None:
        trial.check.eq(1, 2, label="one")

    report = run_conformance(FaultyFlow(), [ConformanceCase("mine", "one is two", attempt)])

    assert report.outcomes[0].failures[0].message == "one: expected 2, got 1"
    assert report.outcomes[0].id == "conformance::faulty flow::mine/one is two"


def test_outcomes_travel_between_processes() -> None:
    report = run_conformance(FaultyFlow({"never expires"}))

    assert pickle.loads(pickle.dumps(report)) == report


def test_the_guide_says_how_many_cases_there_are_and_what_a_report_reads_like() -> None:
    guide = (Path(__file__).parents[3] / "docs" / "how-to" / "check-an-approval-flow.md").read_text("utf-8")
    properties = {case.property for case in CASES}

    assert f"{len(CASES)} cases in {['six', 'seven', 'eight'][len(properties) - 6]} properties" in guide
    assert "\n".join(run_conformance(PydanticAIFlow()).text().splitlines()[:3]) in guide


def test_verdicts_stand_side_by_side() -> None:
    table = verdict_table([run_conformance(FaultyFlow()), run_conformance(FaultyFlow({"never expires"}))])

    assert table.splitlines()[:2] == ["| | faulty flow | faulty flow |", "| --- | --- | --- |"]
    assert "| expiry | all | 2 of 3 |" in table.splitlines()
    assert len({case.property for case in CASES}) == len(table.splitlines()) - 2


class Half:
    """Not all of a flow."""

    name = "half"

    async def start(self, rounds: Sequence[Sequence[Call]], bench: Bench) -> Session:
        raise NotOffered


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ((5,), r"5 has no name, and so is no flow \(an ApprovalFlow has"),
        ((FaultyFlow,), r"FaultyFlow is a class, and no flow \(make one: FaultyFlow\(\)\)"),
        ((Half(),), 'the flow "half" cannot restore'),
        ((FaultyFlow(), ["expiry"]), '"expiry" is no case of the suite'),
    ],
)
def test_what_cannot_be_tried_is_refused_once(given: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        run_conformance(*given)


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), True, "5"])
def test_a_time_limit_that_is_none_is_refused(seconds: Any) -> None:
    with pytest.raises(InputError, match="seconds must be a number above 0"):
        run_conformance(FaultyFlow(), seconds=seconds)


def test_a_single_fault_is_planted_by_its_name() -> None:
    assert FaultyFlow("never expires").faults == {"never expires"}
