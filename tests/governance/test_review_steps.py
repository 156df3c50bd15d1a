"""The rules of a review, wherever it is kept: also for what a place of one's own would ask of them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from understudy.governance import ReviewItem, ReviewStatus
from understudy.governance.review_steps import approved, expired, redeemed, rejected, revoked

NOW = datetime(2026, 1, 1, tzinfo=UTC)
OPEN = ReviewItem("review-1", "export", {}, "bot", ReviewStatus.PENDING, expires_at=NOW, version=3)


@pytest.mark.parametrize("status", [status for status in ReviewStatus if status is not ReviewStatus.PENDING])
def test_only_what_is_pending_expires(status: ReviewStatus) -> None:
    item = ReviewItem("review-1", status=status, expires_at=NOW)
    step = expired(item, "clock", NOW)

    assert step.item is item
    assert (step.refusal, step.event.event) == (f"is {status} already", "refused to expire")


def test_every_step_that_changes_something_has_a_version_of_its_own() -> None:
    endless = ReviewItem("review-1", submitter="bot", binding="b", version=3)
    said = approved(endless, "ann", "", NOW).item
    steps = [
        approved(endless, "ann", "", NOW),
        rejected(endless, "ann", "", NOW),
        revoked(said, "ann", "", NOW),
        redeemed(said, "b", "bot", NOW),
        expired(OPEN, "clock", NOW),
    ]

    assert [step.item.version for step in steps] == [4, 4, 5, 5, 4]
    assert {step.refusal for step in steps} == {""}


def test_a_step_that_is_refused_changes_nothing_and_is_an_error() -> None:
    step = approved(OPEN, "bot", "", NOW)

    assert step.item is OPEN
    assert str(step.error()) == "review 'review-1' cannot be approved by who submitted it"


def test_what_was_decided_by_nobody_known_says_no_name() -> None:
    damaged = ReviewItem("review-1", submitter="bot", status=ReviewStatus.APPROVED)

    assert approved(damaged, "ann", "", NOW).refusal == "is approved already"


def test_the_reason_for_a_wrong_use_begins_with_what_was_done() -> None:
    item = ReviewItem("review-1", status=ReviewStatus.APPROVED, binding="b")

    assert redeemed(item, "c", "bot", NOW).refusal == (
        "was approved for another agent, action, target or other arguments"
    )
