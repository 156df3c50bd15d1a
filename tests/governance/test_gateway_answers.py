"""Whatever a review service answers: only a clear approval, by somebody else, of this review, in time, is one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from governance.simple_reviews import SimpleReviews
from understudy.core.clock import FixedClock
from understudy.governance import HITLGateway, ReviewItem, ReviewStatus

WHAT = ("triage-bot", "delete_stix", "indicator--1")
Answer = Callable[[ReviewItem], Any]


def approval(item: ReviewItem, **but: Any) -> ReviewItem:
    """The clear approval of a question, but for what is said."""
    said: dict[str, Any] = {"status": ReviewStatus.APPROVED, "reviewed_by": "ann", "reason": "fine", **but}
    return replace(item, **said)


UNCLEAR: dict[str, Answer] = {
    "nothing": lambda item: None,
    "an empty text": lambda item: "",
    "a text that says yes": lambda item: "yes",
    "a text that says approved": lambda item: "approved",
    "a status": lambda item: ReviewStatus.APPROVED,
    "True": lambda item: True,
    "1": lambda item: 1,
    "an empty mapping": lambda item: {},
    "a mapping that says approved": lambda item: {"status": "approved", "reviewed_by": "ann"},
    "a list": lambda item: [approval(item)],
    "a class": lambda item: ReviewItem,
    "a status in plain text": lambda item: approval(item, status="approved"),
    "a status in capitals": lambda item: approval(item, status="APPROVED"),
    "a status of True": lambda item: approval(item, status=True),
    "no status": lambda item: approval(item, status=None),
    "a used approval": lambda item: approval(item, status=ReviewStatus.USED),
    "a rejection": lambda item: approval(item, status=ReviewStatus.REJECTED),
    "an expiry": lambda item: approval(item, status=ReviewStatus.EXPIRED),
    "nobody's approval": lambda item: approval(item, reviewed_by=""),
    "a blank's approval": lambda item: approval(item, reviewed_by="  "),
    "None's approval": lambda item: approval(item, reviewed_by=None),
    "a number's approval": lambda item: approval(item, reviewed_by=1),
    "the agent's own approval": lambda item: approval(item, reviewed_by="triage-bot"),
    "the agent's own, in capitals": lambda item: approval(item, reviewed_by="TRIAGE-BOT "),
    "the agent's, for another submitter": lambda item: approval(
        item, reviewed_by="triage-bot", submitter="somebody"
    ),
    "the approval of another review": lambda item: approval(item, id="review-9"),
}


@pytest.mark.parametrize("answer", UNCLEAR.values(), ids=UNCLEAR)
def test_what_is_not_a_clear_approval_is_a_refusal(answer: Answer) -> None:
    gateway = HITLGateway(SimpleReviews(answer))
    asked = gateway.submit(*WHAT, "high", {"purge": True})

    for decision in (
        gateway.decision(asked.review_id),
        gateway.redeem(asked.review_id, *WHAT, {"purge": True}),
    ):
        assert not decision
        assert decision.status == "rejected"
        assert decision.reason
        assert decision.approved_by == ""


REASONS: dict[str, tuple[Answer, str]] = {
    "a rejection": (
        lambda item: approval(item, status=ReviewStatus.REJECTED, reason="no"),
        "was rejected by ann: no",
    ),
    "a rejection by nobody": (
        lambda item: approval(item, status=ReviewStatus.REJECTED, reviewed_by="", reason=""),
        "was rejected",
    ),
    "a use": (lambda item: approval(item, status=ReviewStatus.USED), "was used already"),
    "an expiry": (lambda item: approval(item, status=ReviewStatus.EXPIRED), "has expired"),
    "no status": (lambda item: approval(item, status=None), "has the status null, which is no ReviewStatus"),
    "a status in plain text": (
        lambda item: approval(item, status="approved"),
        'has the status "approved", which is no ReviewStatus',
    ),
    "nothing": (lambda item: None, "the review service answered null, which is no clear approval"),
    "another review": (
        lambda item: approval(item, id="r\x1b9"),
        'the review service answered about "r\\u001b9"',
    ),
    "nobody": (lambda item: approval(item, reviewed_by=""), "was approved by nobody in particular"),
    "oneself": (lambda item: approval(item, reviewed_by="triage-bot"), "was approved by who submitted it"),
}


@pytest.mark.parametrize("what", REASONS)
def test_a_refusal_says_why(what: str) -> None:
    answer, reason = REASONS[what]
    gateway = HITLGateway(SimpleReviews(answer))

    assert gateway.decision(gateway.submit(*WHAT, "high").review_id).reason == reason


def test_an_approval_without_a_reason_has_none() -> None:
    gateway = HITLGateway(SimpleReviews(lambda item: approval(item, reason=None)))

    assert gateway.decision(gateway.submit(*WHAT, "high").review_id).reason == ""


def test_a_clear_approval_is_one_and_is_used_once() -> None:
    gateway = HITLGateway(SimpleReviews(approval))
    asked = gateway.submit(*WHAT, "high", {"purge": True})
    others = [gateway.redeem(asked.review_id, *WHAT, {"purge": purge}) for purge in (False, 1, None)]
    first, second = (gateway.redeem(asked.review_id, *WHAT, {"purge": True}) for _ in range(2))

    assert {one.reason for one in others} == {
        "was approved for another agent, action, target or other arguments"
    }
    assert (first.status, first.approved_by, first.reason) == ("approved", "ann", "fine")
    assert (second.status, second.reason) == ("rejected", "was used already")


def test_what_was_approved_at_once_is_approved_but_still_bound() -> None:
    """As the founding document's mock does it: `submit` answers with an approval, `get` without an id."""
    reviews = SimpleReviews(lambda item: ReviewItem(status=ReviewStatus.APPROVED))
    plain = reviews.submit
    reviews.submit = lambda *given: approval(plain(*given))  # type: ignore[method-assign]  # a mock, made here
    gateway = HITLGateway(reviews)
    decision = gateway.submit(*WHAT, "high", {"purge": True})

    assert (decision.status, decision.approved_by) == ("approved", "ann")
    assert not gateway.redeem(decision.review_id, *WHAT, {"purge": False})
    assert gateway.redeem(decision.review_id, *WHAT, {"purge": True}).approved_by == "ann"


def test_a_late_approval_of_a_service_that_knows_no_time_is_a_refusal() -> None:
    clock, reviews = FixedClock(), SimpleReviews(approval)
    gateway = HITLGateway(reviews, clock=clock)
    asked = gateway.submit(*WHAT, "high")
    clock.advance(3600)

    assert gateway.redeem(asked.review_id, *WHAT).reason == "has expired"


def test_a_service_that_knows_no_time_is_told_that_a_question_is_over() -> None:
    clock, reviews = FixedClock(), SimpleReviews()
    gateway = HITLGateway(reviews, clock=clock)
    asked = gateway.submit(*WHAT, "high")
    clock.advance(3600)

    assert gateway.decision(asked.review_id).reason == "has expired"
    assert reviews.rejected == [(asked.review_id, "nobody decided in time", "gateway")]


def test_a_service_that_cannot_be_told_changes_nothing_about_the_refusal() -> None:
    clock, reviews = FixedClock(), SimpleReviews()
    gateway = HITLGateway(reviews, clock=clock)
    asked = gateway.submit(*WHAT, "high")
    clock.advance(3600)
    reviews.rejected = None  # type: ignore[assignment]  # so that its reject raises

    assert gateway.decision(asked.review_id).reason == "has expired"


@pytest.mark.parametrize("answer", [None, True, "review-1", ReviewItem(), ReviewItem(id=7)])  # type: ignore[arg-type]
def test_an_answer_to_a_submission_that_is_no_entry_is_a_refusal(answer: Any) -> None:
    reviews = SimpleReviews(approval)
    reviews.submit = lambda *given: answer  # type: ignore[method-assign]  # a mock, made here
    decision = HITLGateway(reviews).submit(*WHAT, "high")

    assert decision.status == "rejected"
    assert "which is no entry in its queue" in decision.reason


def test_an_id_that_a_service_gives_twice_is_a_refusal_and_the_first_stays_bound() -> None:
    reviews = SimpleReviews(approval)
    gateway = HITLGateway(reviews)
    asked = gateway.submit(*WHAT, "high", {"purge": False})
    reviews.items.clear()
    again = gateway.submit(*WHAT, "high", {"purge": True})

    assert (again.status, again.reason) == ("rejected", 'the review service gave the id "review-1" twice')
    assert not gateway.redeem(asked.review_id, *WHAT, {"purge": True})


def test_a_review_of_another_gateway_is_no_approval() -> None:
    """A service that keeps no binding cannot say what the approval was for."""
    reviews = SimpleReviews(approval)
    asked = HITLGateway(reviews).submit(*WHAT, "high")

    assert HITLGateway(reviews).redeem(asked.review_id, *WHAT).reason == "does not exist"


def test_a_service_that_breaks_is_no_approval() -> None:
    def broken(item: ReviewItem) -> Any:
        raise KeyError(item.id)

    gateway = HITLGateway(SimpleReviews(broken))
    asked = gateway.submit(*WHAT, "high")
    with pytest.raises(KeyError):
        gateway.redeem(asked.review_id, *WHAT)
