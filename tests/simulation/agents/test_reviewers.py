"""Reviewers of a test say yes, no or nothing, now or later; nothing but a clear yes in time lets an action pass."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import pytest

from understudy.core.clock import FixedClock, SystemClock
from understudy.core.errors import InputError
from understudy.governance import (
    RateLimitExceeded,
    ReviewError,
    ReviewItem,
    ReviewService,
    ReviewStatus,
    display,
)
from understudy.simulation import (
    ActionRejected,
    AgentTestHarness,
    Answer,
    MockReviewService,
    ScriptedReviewer,
    approve,
    no_answer,
    reject,
)

INGEST = ("clerk", "ingest", "feed--1", "high")


def statuses(harness: AgentTestHarness) -> list[str]:
    return [action.status for action in harness.recorded_actions]


def test_a_refusal_comes_back_as_rejected_with_its_reason() -> None:
    harness = AgentTestHarness(reviewer=reject("too many rows", "ann"))

    result = harness.run_action(*INGEST, {"rows": 9000})

    assert (result["status"], result["approved_by"]) == ("rejected", "")
    assert result["reason"] == "was rejected by ann: too many rows"
    assert statuses(harness) == ["rejected"]


def test_auto_reject_refuses_one_action_type_and_can_be_taken_back() -> None:
    harness = AgentTestHarness()
    harness.set_auto_reject("ingest", reason="not in this test")

    assert harness.run_action(*INGEST)["reason"] == "was rejected by mock-reviewer: not in this test"
    assert harness.run_action("clerk", "write_stix", "", "high")["status"] == "approved"

    harness.set_reviewer(None, "ingest")
    assert harness.run_action(*INGEST)["status"] == "approved"


def test_auto_expire_lets_the_time_of_a_question_run_out() -> None:
    clock = FixedClock()
    before = clock.now()
    harness = AgentTestHarness(clock=clock, expiry_seconds=600)
    harness.set_auto_expire("ingest")

    result = harness.run_action(*INGEST)

    assert (result["status"], result["reason"]) == ("rejected", "has expired")
    assert statuses(harness) == ["pending", "rejected"]
    assert clock.now() - before == timedelta(seconds=600)


def test_a_question_expires_after_an_hour_by_default() -> None:
    clock = FixedClock()
    before = clock.now()
    harness = AgentTestHarness(clock=clock, reviewer=no_answer())

    harness.run_action(*INGEST)

    assert clock.now() - before == timedelta(hours=1)


def test_a_delayed_approval_is_waited_for_on_the_clock_of_the_harness() -> None:
    clock = FixedClock()
    before = clock.now()
    harness = AgentTestHarness(clock=clock, reviewer=approve("ann", "looks right", after=90))

    result = harness.run_action(*INGEST)

    assert (result["status"], result["approved_by"], result["reason"]) == ("approved", "ann", "looks right")
    assert statuses(harness) == ["pending", "approved"]
    assert clock.now() - before == timedelta(seconds=90)


@pytest.mark.parametrize("seconds", [3600, 4000, 1e9])
def test_an_approval_that_comes_too_late_is_none_and_nobody_waits_for_it(seconds: float) -> None:
    clock = FixedClock()
    before = clock.now()
    harness = AgentTestHarness(reviewer=approve(after=seconds), clock=clock)

    result = harness.run_action(*INGEST)

    assert (result["status"], result["reason"]) == ("rejected", "has expired")
    assert clock.now() - before == timedelta(hours=1)


def test_a_delayed_refusal_is_one() -> None:
    harness = AgentTestHarness(reviewer=reject("no", after=5))

    assert harness.run_action(*INGEST)["reason"] == "was rejected by mock-reviewer: no"
    assert statuses(harness) == ["pending", "rejected"]


def test_people_answer_in_the_order_of_their_script() -> None:
    people = ScriptedReviewer(approve("ann"), reject("once is enough", "bob"), no_answer())
    harness = AgentTestHarness(reviewer=people)

    results = [harness.run_action(*INGEST) for _ in range(3)]

    assert [result["reason"] for result in results] == [
        "",
        "was rejected by bob: once is enough",
        "has expired",
    ]
    people.assert_finished()


def test_a_question_that_the_script_has_no_answer_to_is_an_error_that_shows_it_and_refuses() -> None:
    harness = AgentTestHarness(reviewer=ScriptedReviewer())

    with pytest.raises(
        AssertionError, match=r"the script has 0 answers, and somebody is asked once more"
    ) as caught:
        harness.run_action(*INGEST, {"rows": 3})

    assert "arguments.rows: 3" in str(caught.value)
    assert statuses(harness) == ["rejected"]
    assert isinstance(harness.review_service, MockReviewService)
    (item,) = harness.review_service.items()
    assert item.status is ReviewStatus.REJECTED


def test_a_reviewer_sees_what_a_person_would_see_and_can_decide_by_it() -> None:
    seen: list[str] = []

    def careful(item: ReviewItem) -> Answer:
        seen.append(display(item))
        return approve("ann") if item.payload["arguments"]["rows"] < 10 else reject("too many rows", "ann")

    harness = AgentTestHarness(reviewer=careful)

    assert harness.run_action(*INGEST, {"rows": 3})["status"] == "approved"
    assert harness.run_action(*INGEST, {"rows": 30})["status"] == "rejected"
    assert 'agent_id: "clerk"' in seen[0]


@pytest.mark.parametrize(
    "answer", [None, "", "yes", "approved", True, 1, ReviewStatus.APPROVED, [], object()]
)
def test_an_answer_that_is_no_clear_approval_is_a_refusal(answer: Any) -> None:
    harness = AgentTestHarness(reviewer=lambda item: answer)

    result = harness.run_action(*INGEST)

    assert result["status"] == "rejected"
    assert "which is no clear approval" in result["reason"]


@pytest.mark.parametrize("name", ["clerk", "CLERK", "\uff43lerk"])
def test_nobody_approves_their_own_request(name: str) -> None:
    harness = AgentTestHarness(reviewer=lambda item: approve("clerk" if name != "CLERK" else name))

    result = harness.run_action(*INGEST)

    assert result["status"] == "rejected"
    assert "cannot be approved by who submitted it" in result["reason"]


@pytest.mark.parametrize(
    "make",
    [
        lambda: approve(""),
        lambda: approve("  "),
        lambda: approve("a\u200bnn"),
        lambda: approve(after=-1),
        lambda: approve(after=float("nan")),
        lambda: approve(after=True),
        lambda: reject(reason=None),  # type: ignore[arg-type]  # wrong on purpose
        lambda: Answer(ReviewStatus.USED),
        lambda: Answer("approved"),  # type: ignore[arg-type]  # wrong on purpose
        lambda: ScriptedReviewer("yes"),  # type: ignore[arg-type]  # wrong on purpose
        lambda: AgentTestHarness(reviewer="ann"),  # type: ignore[arg-type]  # wrong on purpose
        lambda: AgentTestHarness(reviewer=approve(), review_service=ReviewService()),
        lambda: AgentTestHarness().set_auto_reject("exprot"),
        lambda: AgentTestHarness(review_service=ReviewService()).set_auto_reject("export"),
        lambda: AgentTestHarness(review_service=ReviewService()).set_auto_expire("export"),
        lambda: AgentTestHarness(review_service=ReviewService()).set_reviewer(approve()),
    ],
)
def test_what_cannot_be_meant_is_refused_when_it_is_said(make: Any) -> None:
    with pytest.raises(InputError):
        make()


def test_a_failing_reviewer_fails_the_test_and_closes_the_question() -> None:
    def broken(item: ReviewItem) -> Answer:
        raise LookupError("no such row")

    harness = AgentTestHarness(reviewer=broken)

    with pytest.raises(LookupError):
        harness.run_action(*INGEST)

    assert isinstance(harness.review_service, MockReviewService)
    (item,) = harness.review_service.items()
    assert (item.status, item.reason) == (ReviewStatus.REJECTED, "its reviewer failed")
    with pytest.raises(ReviewError):
        harness.review_service.approve(item.id, "mallory")


class TestRealTime:
    def test_a_delayed_answer_is_waited_for_on_a_clock_that_runs_by_itself(self) -> None:
        harness = AgentTestHarness(clock=SystemClock(), reviewer=approve("ann", after=0.01))

        assert harness.run_action(*INGEST)["approved_by"] == "ann"
        assert statuses(harness) == ["pending", "approved"]

    def test_nobody_is_waited_for_who_will_not_answer_and_the_question_is_closed(self) -> None:
        harness = AgentTestHarness(clock=SystemClock(), reviewer=no_answer())

        result = harness.run_action(*INGEST)

        assert (result["status"], result["reason"]) == ("rejected", "nobody answered within 0 seconds")
        assert isinstance(harness.review_service, MockReviewService)
        with pytest.raises(ReviewError):
            harness.review_service.approve(result["review_id"], "ann")

    def test_a_person_who_answers_in_a_review_service_of_ones_own_is_waited_for(self) -> None:
        class Telling(ReviewService):
            def submit(self, *args: Any, **kwargs: Any) -> ReviewItem:
                item = super().submit(*args, **kwargs)
                threading.Thread(target=self.approve, args=(item.id, "ann")).start()
                return item

        harness = AgentTestHarness(review_service=Telling(clock=FixedClock()), patience=30)

        assert harness.run_action(*INGEST)["approved_by"] == "ann"

    def test_async_callers_are_not_blocked_while_somebody_else_answers(self) -> None:
        async def both() -> dict[str, Any]:
            asked: asyncio.Queue[str] = asyncio.Queue()

            class Asking(ReviewService):
                def submit(self, *args: Any, **kwargs: Any) -> ReviewItem:
                    item = super().submit(*args, **kwargs)
                    asked.put_nowait(item.id)
                    return item

            reviews = Asking(clock=FixedClock())
            harness = AgentTestHarness(review_service=reviews, patience=30)
            running = asyncio.create_task(harness.run_action_async(*INGEST))
            reviews.approve(await asked.get(), "ann")
            return await running

        assert asyncio.run(both())["approved_by"] == "ann"

    def test_a_wait_that_is_given_up_closes_its_question(self) -> None:
        reviews = ReviewService()
        harness = AgentTestHarness(review_service=reviews, patience=30)

        async def cancelled() -> None:
            running = asyncio.create_task(harness.run_action_async(*INGEST))
            await asyncio.sleep(0)
            running.cancel()
            await running

        with pytest.raises(asyncio.CancelledError):
            asyncio.run(cancelled())

        (item,) = reviews.list()
        assert (item.status, item.reviewed_by) == (ReviewStatus.REJECTED, "agent-harness")
        assert item.reason == "nobody waits for the answer any more (CancelledError)"
        assert statuses(harness) == ["pending", "rejected"]


def test_delayed_answers_of_parallel_actions_come_in_time_for_each() -> None:
    people = ScriptedReviewer(approve("ann", after=40), approve("bob", after=10), reject("no", after=30))
    harness = AgentTestHarness(reviewer=people)

    async def all_at_once() -> list[dict[str, Any]]:
        return await asyncio.gather(*(harness.run_action_async(*INGEST, {"n": n}) for n in range(3)))

    results = asyncio.run(all_at_once())

    assert [result["status"] for result in results] == ["approved", "approved", "rejected"]


def test_a_clock_that_jumps_back_approves_nothing_early() -> None:
    clock = FixedClock()
    reviews = MockReviewService(approve(after=60), clock=clock)
    item = reviews.submit("agent_action", {}, "clerk")

    clock.moment -= timedelta(days=1)

    assert reviews.get(item.id).status is ReviewStatus.PENDING
    assert reviews.answer_due(item.id) == datetime.fromisoformat("2026-01-01T00:01:00+00:00")


def test_a_mock_review_service_keeps_an_audit_trail() -> None:
    harness = AgentTestHarness()

    result = harness.run_action(*INGEST)

    assert isinstance(harness.review_service, MockReviewService)
    trail = harness.review_service.trail(result["review_id"])
    assert [(event.event, event.actor) for event in trail] == [
        ("submitted", "clerk"),
        ("approved", "mock-reviewer"),
        ("used", "clerk"),
    ]


def test_a_notifier_hears_of_critical_actions_only() -> None:
    heard: list[str] = []
    harness = AgentTestHarness(notifier=lambda item: heard.append(item.payload["target_ref"]))

    harness.run_action("clerk", "ingest", "feed--1", "high")
    harness.run_action("clerk", "ingest", "feed--2", "critical")

    assert harness.gateway.settle()
    assert heard == ["feed--2"]


def test_a_notifier_that_hangs_keeps_nobody_waiting() -> None:
    let_go = threading.Event()
    harness = AgentTestHarness(notifier=lambda item: let_go.wait())

    assert harness.run_action("clerk", "ingest", "feed--1", "critical")["status"] == "approved"

    let_go.set()
    assert harness.gateway.settle()


def test_time_that_passes_while_somebody_looks_is_time_that_passed() -> None:
    clock = FixedClock()

    def sleepy(item: ReviewItem) -> Answer:
        clock.advance(7200)
        return approve("ann")

    harness = AgentTestHarness(reviewer=sleepy, clock=clock)

    assert harness.run_action(*INGEST)["reason"] == "has expired"


def test_what_is_decided_cannot_be_decided_again() -> None:
    harness = AgentTestHarness()
    result = harness.run_action(*INGEST)

    assert isinstance(harness.review_service, MockReviewService)
    with pytest.raises(ReviewError, match="is used by mock-reviewer already"):
        harness.review_service.approve(result["review_id"], "bob")


def test_many_threads_at_once_are_each_asked_about_once() -> None:
    harness = AgentTestHarness(reviewer=approve(after=1), max_calls_per_window=30)
    limited: list[RateLimitExceeded] = []

    def act(number: int) -> None:
        try:
            harness.run_action("clerk", "ingest", f"feed--{number}", "high")
        except RateLimitExceeded as error:
            limited.append(error)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(act, range(40)))

    counts = Counter(statuses(harness))
    assert (counts["approved"], counts["pending"], counts["rate_limited"]) == (30, 30, 10)
    approved = [action.review_id for action in harness.recorded_actions if action.status == "approved"]
    assert len(set(approved)) == 30
    assert len(limited) == 10


class SaysNo:
    """A review service in which everything is refused as soon as it is submitted."""

    def __init__(self) -> None:
        self.asked: list[ReviewItem] = []

    def submit(
        self, item_type: str, payload: Mapping[str, Any], submitter: str, priority: str = "normal"
    ) -> ReviewItem:
        item_id = f"no-{len(self.asked)}"
        item = ReviewItem(item_id, item_type, payload, submitter, ReviewStatus.REJECTED, reviewed_by="strict")
        self.asked.append(item)
        return item

    def get(self, review_id: str) -> ReviewItem:
        return self.asked[-1]

    def reject(self, review_id: str, reason: str, reviewer: str) -> None: ...


class StrictHarness(AgentTestHarness):
    """As a test writes it that wants another review service."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.review_service = SaysNo()


def test_a_review_service_that_a_subclass_puts_in_place_is_the_one_that_answers() -> None:
    harness = StrictHarness(trust_level="semi_trusted")
    ran: list[str] = []
    tool = harness.guard(ran.append, action_type="ingest", impact_level="high")

    assert harness.run_action(*INGEST)["reason"] == "was rejected by strict"
    with pytest.raises(ActionRejected, match="was rejected by strict"):
        tool("feed")
    assert ran == []
    with pytest.raises(InputError, match="here SaysNo answers"):
        harness.set_auto_reject("ingest")


def test_tools_that_were_guarded_before_ask_the_review_service_that_is_there_now() -> None:
    harness = AgentTestHarness()
    ran: list[str] = []
    tool = harness.guard(ran.append, action_type="ingest", impact_level="high")
    tool("one")
    harness.review_service = SaysNo()

    with pytest.raises(ActionRejected):
        tool("two")
    assert ran == ["one"]


def test_a_reviewer_whom_nobody_would_await_is_refused_at_once() -> None:
    async def ann(item: ReviewItem) -> Answer:
        return approve("ann")

    with pytest.raises(InputError, match="the reviewer 'ann' is async, and nobody awaits it"):
        AgentTestHarness(reviewer=ann)  # type: ignore[arg-type]  # bad on purpose


def test_a_script_is_given_answer_by_answer() -> None:
    with pytest.raises(InputError, match=r"is no answer of a reviewer .* one argument for each answer"):
        ScriptedReviewer([approve(), reject()])  # type: ignore[arg-type]  # bad on purpose


class Answered(ReviewService):
    """A review service in which somebody answers right before a question is closed."""

    def __init__(self, answer: Callable[[ReviewService, str], object]) -> None:
        super().__init__()
        self.answer = answer

    def reject(self, review_id: str, reason: str, reviewer: str) -> ReviewItem:
        if reviewer == "agent-harness":
            self.answer(self, review_id)
        return super().reject(review_id, reason, reviewer)


@pytest.mark.parametrize(
    ("answer", "events"),
    [
        (lambda reviews, one: reviews.approve(one, "ann"), ["approved", "refused to reject", "revoked"]),
        (
            lambda reviews, one: reviews.reject(one, "no", "ann"),
            ["rejected", "refused to reject", "refused to revoke"],
        ),
    ],
)
def test_an_answer_that_comes_when_nobody_waits_any_more_is_no_approval(
    answer: Callable[[ReviewService, str], object], events: list[str]
) -> None:
    reviews = Answered(answer)
    harness = AgentTestHarness(review_service=reviews)

    result = harness.run_action(*INGEST)

    assert (result["status"], result["reason"]) == ("rejected", "nobody answered within 0 seconds")
    assert reviews.get(result["review_id"]).status is ReviewStatus.REJECTED
    assert [event.event for event in reviews.trail(result["review_id"])][1:] == events


@pytest.mark.parametrize("is_async", [False, True])
def test_somebody_has_been_told_of_a_critical_action_when_it_is_decided(is_async: bool) -> None:
    begun = threading.Event()
    told: list[str] = []

    def notify(item: ReviewItem) -> None:
        begun.wait(30)  # as a thread that is late
        told.append(item.payload["target_ref"])

    harness = AgentTestHarness(notifier=notify)
    threading.Timer(0.05, begun.set).start()
    if is_async:
        asyncio.run(harness.run_action_async("clerk", "ingest", "feed--1", "critical"))
    else:
        harness.run_action("clerk", "ingest", "feed--1", "critical")

    assert told == ["feed--1"]


def test_a_notifier_that_hangs_does_not_hold_a_test_up() -> None:
    hangs = threading.Event()
    harness = AgentTestHarness(notifier=lambda item: hangs.wait(60))
    try:
        assert harness.run_action("clerk", "ingest", "feed--1", "critical")["status"] == "approved"
        assert not harness.gateway.settle(0)
    finally:
        hangs.set()
