"""The gateway: what can do harm waits for a person, and an approval is good for one action, once, in time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from governance.simple_reviews import SimpleReviews
from understudy.core.clock import CountingIds, FixedClock
from understudy.core.errors import InputError
from understudy.governance import (
    ActionTypes,
    Decision,
    HITLGateway,
    ReviewItem,
    ReviewService,
    ReviewStatus,
)

WHAT = ("triage-bot", "delete_stix", "indicator--1")
ARGUMENTS = {"purge": True, "ids": [1, 2]}
OTHER = "was approved for another agent, action, target or other arguments"


@pytest.fixture
def gateway(reviews: ReviewService, clock: FixedClock) -> HITLGateway:
    return HITLGateway(reviews, clock=clock)


@pytest.fixture
def in_memory(clock: FixedClock) -> HITLGateway:
    """A gateway for what has nothing to do with where reviews are kept."""
    return HITLGateway(ReviewService(clock=clock, new_id=CountingIds("review")), clock=clock)


def service(gateway: HITLGateway) -> ReviewService:
    assert isinstance(gateway.review_service, ReviewService)
    return gateway.review_service


def approved(gateway: HITLGateway, impact: str = "high") -> str:
    """The id of a review of an action that ann has approved."""
    review_id = gateway.submit(*WHAT, impact, ARGUMENTS).review_id
    service(gateway).approve(review_id, "ann", "seen it")
    return review_id


@pytest.mark.parametrize("impact", ["low", "medium"])
def test_low_and_medium_impact_proceed_without_a_review(in_memory: HITLGateway, impact: str) -> None:
    decision = in_memory.submit(*WHAT, impact, ARGUMENTS)

    assert decision
    assert (decision.status, decision.approved_by, decision.review_id) == ("approved", "policy", "")
    assert service(in_memory).list() == []


@pytest.mark.parametrize("impact", ["high", "critical"])
def test_high_and_critical_impact_wait_for_a_review(gateway: HITLGateway, impact: str) -> None:
    decision = gateway.submit(*WHAT, impact, ARGUMENTS)

    assert not decision
    assert (decision.status, decision.reason) == ("pending", "waits for a reviewer")
    (item,) = service(gateway).list("pending")
    assert (item.id, item.priority, item.submitter) == (decision.review_id, impact, "triage-bot")
    assert item.payload == {
        "agent_id": "triage-bot",
        "action_type": "delete_stix",
        "target_ref": "indicator--1",
        "impact_level": impact,
        "arguments": ARGUMENTS,
        "arguments_hash": decision.arguments_hash,
        "expires_at": "2026-01-01T01:00:00+00:00",
    }


def test_an_approval_is_used_once(gateway: HITLGateway) -> None:
    review_id = approved(gateway)
    first, second = (gateway.redeem(review_id, *WHAT, ARGUMENTS) for _ in range(2))

    assert (first.status, first.approved_by, first.reason) == ("approved", "ann", "seen it")
    assert (second.status, second.approved_by, second.reason) == ("rejected", "", "was used already")


OTHERS: dict[str, tuple[str, str, str, Any]] = {
    "agent": ("other-bot", "delete_stix", "indicator--1", ARGUMENTS),
    "action": ("triage-bot", "write_stix", "indicator--1", ARGUMENTS),
    "target": ("triage-bot", "delete_stix", "indicator--2", ARGUMENTS),
    "arguments": ("triage-bot", "delete_stix", "indicator--1", {"purge": False, "ids": [1, 2]}),
    "more arguments": ("triage-bot", "delete_stix", "indicator--1", {**ARGUMENTS, "all": True}),
    "no arguments": ("triage-bot", "delete_stix", "indicator--1", None),
    "kind of argument": ("triage-bot", "delete_stix", "indicator--1", {"purge": 1, "ids": [1, 2]}),
    "order of a list": ("triage-bot", "delete_stix", "indicator--1", {"purge": True, "ids": [2, 1]}),
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_an_approval_is_bound_to_agent_action_target_and_arguments(
    gateway: HITLGateway, other: tuple[str, str, str, Any]
) -> None:
    review_id = approved(gateway)
    refused = gateway.redeem(review_id, *other)

    assert (refused.status, refused.reason) == ("rejected", OTHER)
    assert gateway.redeem(review_id, *WHAT, {"ids": [1, 2], "purge": True}).approved_by == "ann"


def test_an_approval_of_one_review_is_none_of_an_equal_one(in_memory: HITLGateway) -> None:
    approved(in_memory)
    second = in_memory.submit(*WHAT, "high", ARGUMENTS)

    assert in_memory.redeem(second.review_id, *WHAT, ARGUMENTS).status == "pending"


def test_an_action_is_not_done_while_its_review_is_open(gateway: HITLGateway) -> None:
    review_id = gateway.submit(*WHAT, "high", ARGUMENTS).review_id

    assert not gateway.redeem(review_id, *WHAT, ARGUMENTS)
    assert gateway.decision(review_id).status == "pending"


def test_what_a_person_rejects_is_refused_with_who_and_why(gateway: HITLGateway) -> None:
    review_id = gateway.submit(*WHAT, "high", ARGUMENTS).review_id
    service(gateway).reject(review_id, "not on a friday", "ann")

    assert gateway.decision(review_id).reason == "was rejected by ann: not on a friday"
    assert not gateway.redeem(review_id, *WHAT, ARGUMENTS)


def test_an_approval_that_was_taken_back_is_a_refusal(gateway: HITLGateway) -> None:
    review_id = approved(gateway)
    service(gateway).revoke(review_id, "a mistake", "bob")

    assert gateway.redeem(review_id, *WHAT, ARGUMENTS).reason == "was rejected by bob: a mistake"


def test_after_an_hour_without_an_answer_it_is_rejected(gateway: HITLGateway, clock: FixedClock) -> None:
    review_id = gateway.submit(*WHAT, "high", ARGUMENTS).review_id
    clock.advance(3599)
    assert gateway.decision(review_id).status == "pending"
    clock.advance(1)

    for decision in (gateway.decision(review_id), gateway.redeem(review_id, *WHAT, ARGUMENTS)):
        assert (decision.status, decision.reason) == ("rejected", "has expired")


def test_an_approval_that_is_used_too_late_is_rejected(gateway: HITLGateway, clock: FixedClock) -> None:
    review_id = approved(gateway)
    clock.advance(3600)

    assert gateway.redeem(review_id, *WHAT, ARGUMENTS).reason == "has expired"


def test_an_expiry_of_its_own_is_kept_to(clock: FixedClock) -> None:
    gateway = HITLGateway(ReviewService(clock=clock), clock=clock, expiry_seconds=5)
    first, second = (gateway.submit(*WHAT, "critical").review_id for _ in range(2))
    clock.advance(4.9)
    service(gateway).approve(first, "ann")
    assert gateway.redeem(first, *WHAT)
    clock.advance(0.1)

    assert gateway.decision(second).reason == "has expired"


def test_what_was_told_to_have_expired_stays_so_when_the_clock_is_set_back(
    gateway: HITLGateway, clock: FixedClock
) -> None:
    review_id = gateway.submit(*WHAT, "high", ARGUMENTS).review_id
    clock.moment += timedelta(days=1)
    for _ in range(3):
        assert gateway.decision(review_id).reason == "has expired"
    clock.moment -= timedelta(days=1)

    assert gateway.decision(review_id).reason == "has expired"
    assert [event.event for event in service(gateway).trail(review_id)] == ["submitted", "expired"]


def test_a_clock_that_is_set_back_makes_no_approval_last(gateway: HITLGateway, clock: FixedClock) -> None:
    review_id = approved(gateway)
    clock.moment -= timedelta(days=365)
    assert gateway.decision(review_id)
    clock.advance(3600)

    assert gateway.redeem(review_id, *WHAT, ARGUMENTS).reason == "has expired"


UNKNOWN: dict[str, tuple[tuple[Any, ...], str]] = {
    "impact level": ((*WHAT, "hihg"), r"unknown impact level \"hihg\" \(did you mean 'high'\?\)"),
    "impact in capitals": ((*WHAT, "HIGH"), "unknown impact level"),
    "no impact level": ((*WHAT, None), "unknown impact level null"),
    "impact that is a number": ((*WHAT, 3), "unknown impact level 3"),
    "action type": (
        ("bot", "exprot", "x", "low"),
        r"unknown action type \"exprot\" \(did you mean 'export'\?\)",
    ),
    "no action type": (("bot", "", "x", "low"), "unknown action type"),
    "agent": (("", "export", "x", "low"), 'the agent\'s name "" is empty'),
    "target": (("bot", "export", None, "low"), "the target_ref is a text, not a NoneType"),
    "long target": (("bot", "export", "x" * 2001, "low"), "the target_ref has 2,001 characters"),
    "arguments": (("bot", "export", "x", "low", {"when": object()}), "a value of type object"),
}


@pytest.mark.parametrize("what", UNKNOWN)
def test_what_is_unknown_is_refused_by_name_and_nobody_is_asked(in_memory: HITLGateway, what: str) -> None:
    given, says = UNKNOWN[what]
    with pytest.raises(InputError, match=says):
        in_memory.submit(*given)

    assert service(in_memory).list() == []


def test_action_types_of_ones_own_are_known_where_they_are_registered(clock: FixedClock) -> None:
    types = ActionTypes()
    types.register("refund_order")
    gateway = HITLGateway(ReviewService(), action_types=types)

    assert gateway.submit("bot", "refund_order", "order-1", "low")
    with pytest.raises(InputError, match="unknown action type"):
        HITLGateway(ReviewService()).submit("bot", "refund_order", "order-1", "low")


@pytest.mark.parametrize("seconds", [0, -1, True, "3600", None, float("nan"), float("inf"), 1e12])
@pytest.mark.parametrize("name", ["expiry_seconds", "notifier_patience"])
def test_a_time_limit_that_is_none_is_refused(name: str, seconds: Any) -> None:
    with pytest.raises(InputError, match=f"{name} must be a number above 0"):
        HITLGateway(ReviewService(), **{name: seconds})


@pytest.mark.parametrize("name", ["expiry_seconds", "notifier_patience"])
def test_a_time_limit_is_a_year_at_most(name: str) -> None:
    year: dict[str, Any] = {name: 366 * 24 * 3600}
    assert HITLGateway(ReviewService(), **year).submit(*WHAT, "high").status == "pending"
    with pytest.raises(InputError, match="at most 31,622,400"):
        HITLGateway(ReviewService(), **{name: year[name] + 1})


@pytest.mark.parametrize("review_id", ["review-9", ""])
def test_a_review_that_nobody_submitted_is_no_approval(in_memory: HITLGateway, review_id: str) -> None:
    decision = in_memory.redeem(review_id, *WHAT, ARGUMENTS)

    assert (decision.status, decision.reason) == ("rejected", "does not exist")


@pytest.mark.parametrize("review_id", [None, 7, True])
def test_a_review_id_that_is_no_text_is_refused(in_memory: HITLGateway, review_id: Any) -> None:
    with pytest.raises(InputError, match="the review id is a text"):
        in_memory.redeem(review_id, *WHAT, ARGUMENTS)


def test_waiting_ends_when_somebody_answers(reviews: ReviewService, gateway: HITLGateway) -> None:
    review_id = gateway.submit(*WHAT, "high", ARGUMENTS).review_id
    decisions: list[Decision] = []
    waiter = threading.Thread(target=lambda: decisions.append(gateway.wait(review_id, 30)))
    waiter.start()
    reviews.approve(review_id, "ann")
    waiter.join(30)

    assert [decision.approved_by for decision in decisions] == ["ann"]


def test_waiting_ends_after_its_time_and_decides_nothing(in_memory: HITLGateway) -> None:
    review_id = in_memory.submit(*WHAT, "high", ARGUMENTS).review_id

    assert in_memory.wait(review_id, 0).status == "pending"
    assert in_memory.wait(review_id, 0.01).status == "pending"


@pytest.mark.parametrize("timeout", [-1, float("nan"), "60", True])
def test_a_time_to_wait_that_is_none_is_refused(in_memory: HITLGateway, timeout: Any) -> None:
    review_id = in_memory.submit(*WHAT, "high", ARGUMENTS).review_id
    with pytest.raises(InputError, match="timeout must be a number of seconds of at least 0"):
        in_memory.wait(review_id, timeout)


@pytest.mark.parametrize("timeout", [None, 10**400, float("inf")])
def test_waiting_may_take_as_long_as_one_likes(in_memory: HITLGateway, timeout: Any) -> None:
    assert in_memory.wait(approved(in_memory), timeout).approved_by == "ann"


def test_waiting_ends_when_the_time_of_the_review_is_over(in_memory: HITLGateway, clock: FixedClock) -> None:
    review_id = in_memory.submit(*WHAT, "high", ARGUMENTS).review_id
    clock.advance(3600)

    assert in_memory.wait(review_id).reason == "has expired"


def test_waiting_asks_now_and_then_and_not_all_the_time(clock: FixedClock) -> None:
    class Counted(ReviewService):
        asked = 0

        def get(self, review_id: str) -> ReviewItem:
            self.asked += 1
            return super().get(review_id)

    reviews = Counted(clock=clock)
    gateway = HITLGateway(reviews, clock=clock)
    gateway.wait(gateway.submit(*WHAT, "high", ARGUMENTS).review_id, 0.2)

    assert 1 <= reviews.asked <= 8


def test_waiting_does_not_block_an_event_loop(in_memory: HITLGateway) -> None:
    review_id = in_memory.submit(*WHAT, "high", ARGUMENTS).review_id

    async def both() -> Decision:
        waiting = asyncio.create_task(in_memory.wait_async(review_id, 30))
        await asyncio.sleep(0)
        service(in_memory).reject(review_id, "no", "ann")
        return await waiting

    assert asyncio.run(both()).reason == "was rejected by ann: no"


def test_waiting_works_inside_an_event_loop_too(in_memory: HITLGateway) -> None:
    review_id = approved(in_memory)

    async def blocking() -> Decision:
        return in_memory.wait(review_id)

    assert asyncio.run(blocking()).approved_by == "ann"


def test_the_arguments_are_bound_as_they_were_when_they_were_submitted(in_memory: HITLGateway) -> None:
    arguments: dict[str, Any] = {"to": ["ann"]}
    review_id = in_memory.submit(*WHAT, "high", arguments).review_id
    arguments["to"].append("mallory")
    service(in_memory).approve(review_id, "ann")

    assert in_memory.redeem(review_id, *WHAT, arguments).reason == OTHER
    assert service(in_memory).get(review_id).payload["arguments"] == {"to": ["ann"]}


class Meddling(ReviewService):
    """A review service that answers a redemption with something else."""

    redeemed: Callable[[ReviewItem], Any] = staticmethod(lambda item: item)

    def redeem(self, review_id: str, binding: str, by: str) -> ReviewItem:
        answer: ReviewItem = type(self).redeemed(super().redeem(review_id, binding, by))
        return answer


@pytest.mark.parametrize(
    "answer",
    [
        lambda item: None,
        lambda item: True,
        lambda item: "used",
        lambda item: replace(item, status=ReviewStatus.APPROVED),
        lambda item: replace(item, status="used"),
        lambda item: replace(item, id="review-2"),
    ],
)
def test_only_a_used_approval_lets_an_action_pass(
    clock: FixedClock, answer: Callable[[ReviewItem], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Meddling, "redeemed", staticmethod(answer))
    gateway = HITLGateway(Meddling(clock=clock), clock=clock)
    refused = gateway.redeem(approved(gateway), *WHAT, ARGUMENTS)

    assert refused.status == "rejected"
    assert "which is no used approval" in refused.reason


def test_a_gateway_needs_no_review_service_to_begin_with(clock: FixedClock) -> None:
    gateway = HITLGateway(clock=clock)
    review_id = approved(gateway)

    assert gateway.redeem(review_id, *WHAT, ARGUMENTS)
    late = gateway.submit(*WHAT, "high", ARGUMENTS).review_id
    clock.advance(3600)
    assert service(gateway).get(late).status is ReviewStatus.EXPIRED


def test_a_review_service_that_is_put_in_place_of_another_is_the_one_that_is_asked(
    in_memory: HITLGateway,
) -> None:
    before = approved(in_memory)
    in_memory.review_service = ReviewService(new_id=CountingIds("other"))

    assert in_memory.submit(*WHAT, "high").review_id == "other-1"
    assert in_memory.redeem(before, *WHAT, ARGUMENTS).reason == "does not exist"


def test_a_simple_review_service_is_bound_by_the_gateway_also_when_it_comes_later(
    in_memory: HITLGateway,
) -> None:
    in_memory.review_service = SimpleReviews(
        lambda item: replace(item, status=ReviewStatus.APPROVED, reviewed_by="ann")
    )
    review_id = in_memory.submit(*WHAT, "high", ARGUMENTS).review_id

    assert in_memory.redeem(review_id, *WHAT, {}).reason == OTHER
    assert in_memory.redeem(review_id, *WHAT, ARGUMENTS).approved_by == "ann"


class OnlyGets:
    """Not all of a review service."""

    def submit(self) -> None: ...

    def get(self) -> None: ...


@pytest.mark.parametrize(
    ("reviews", "says"),
    [
        ("reviews.sqlite3", 'a review service has to submit, which "reviews.sqlite3" cannot'),
        (OnlyGets(), "a review service has to reject, which"),
        (ReviewService, "ReviewService is a class, and no review service"),
    ],
)
def test_what_is_no_review_service_is_refused_at_once(
    in_memory: HITLGateway, reviews: Any, says: str
) -> None:
    with pytest.raises(InputError, match=says):
        HITLGateway(reviews)
    before = in_memory.review_service
    with pytest.raises(InputError, match=says):
        in_memory.review_service = reviews
    assert in_memory.review_service is before
