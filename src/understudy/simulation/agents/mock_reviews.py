"""The review service of a test: a whole one, whose reviewers answer by themselves."""

from __future__ import annotations

import inspect
import itertools
import threading
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from understudy.core.brief import brief
from understudy.core.clock import Clock, FixedClock, IdSource
from understudy.core.errors import InputError, Problem
from understudy.governance.review_service import ReviewService
from understudy.governance.reviews import ReviewError, ReviewEvent, ReviewItem, ReviewStatus
from understudy.simulation.agents.answers import MOCK_REVIEWER, Answer, Reviewer, approve


class MockReviewService:
    """Keeps reviews as `ReviewService` does, in memory, and asks a reviewer about each as soon as it is submitted.

    What the reviewer says takes effect when its time has come on the clock; what is not an `Answer` is a refusal.

    >>> reviews = MockReviewService()
    >>> item = reviews.submit("agent_action", {"action_type": "export"}, "reporter")
    >>> item.status, item.reviewed_by
    (<ReviewStatus.APPROVED: 'approved'>, 'mock-reviewer')
    """

    def __init__(
        self,
        reviewer: Reviewer | Answer | None = None,
        *,
        clock: Clock | None = None,
        new_id: IdSource | None = None,
    ) -> None:
        self._clock = clock or FixedClock()
        self._reviews = ReviewService(clock=self._clock, new_id=new_id or counted("review"))
        self._reviewer: Reviewer = as_reviewer(approve() if reviewer is None else reviewer)
        self._by_action: dict[str, Reviewer] = {}
        self._waiting: dict[str, tuple[datetime, Answer]] = {}
        self._lock = threading.Lock()

    def set_reviewer(self, reviewer: Reviewer | Answer | None, action_type: str | None = None) -> None:
        """Who is asked from now on, about everything or about one action type; None for one leaves it to the other."""
        if action_type is None:
            self._reviewer = as_reviewer(approve() if reviewer is None else reviewer)
        elif reviewer is None:
            self._by_action.pop(action_type, None)
        else:
            self._by_action[action_type] = as_reviewer(reviewer)

    def submit(
        self,
        item_type: str,
        payload: Mapping[str, Any],
        submitter: str,
        priority: str = "normal",
        *,
        expires_at: datetime | None = None,
        binding: str = "",
    ) -> ReviewItem:
        """Put a question into the queue and ask the reviewer."""
        item = self._reviews.submit(
            item_type, payload, submitter, priority, expires_at=expires_at, binding=binding
        )
        reviewer = self._by_action.get(str(payload.get("action_type", "")), self._reviewer)
        try:
            answer = reviewer(item)
        except BaseException:
            # Nobody will answer: the question must not stay open for somebody else to approve.
            self._reviews.reject(item.id, "its reviewer failed", MOCK_REVIEWER)
            raise
        if not isinstance(answer, Answer):
            answer = Answer(
                ReviewStatus.REJECTED,
                reason=f"the reviewer answered {brief(answer)}, which is no clear approval",
            )
        if answer.status is not ReviewStatus.PENDING:
            with self._lock:
                self._waiting[item.id] = (self._clock.now() + timedelta(seconds=answer.after), answer)
        return self.get(item.id)

    def get(self, review_id: str) -> ReviewItem:
        """The question as it stands now."""
        self._let_answer(review_id)
        return self._reviews.get(review_id)

    def answer_due(self, review_id: str) -> datetime | None:
        """When the reviewer will have answered; None if nobody is going to."""
        with self._lock:
            waiting = self._waiting.get(review_id)
        return waiting[0] if waiting else None

    def approve(self, review_id: str, reviewer: str, reason: str = "") -> ReviewItem:
        """Approve what was asked, in the reviewer's place."""
        self._let_answer(review_id)
        return self._reviews.approve(review_id, reviewer, reason)

    def reject(self, review_id: str, reason: str, reviewer: str) -> ReviewItem:
        """Refuse what was asked, in the reviewer's place."""
        self._let_answer(review_id)
        return self._reviews.reject(review_id, reason, reviewer)

    def revoke(self, review_id: str, reason: str, reviewer: str) -> ReviewItem:
        """Take back an approval that was not used yet."""
        self._let_answer(review_id)
        return self._reviews.revoke(review_id, reason, reviewer)

    def redeem(self, review_id: str, binding: str, by: str) -> ReviewItem:
        """Use an approval up; ReviewError if there is none for this."""
        self._let_answer(review_id)
        return self._reviews.redeem(review_id, binding, by)

    def note(self, review_id: str, event: str, actor: str, reason: str = "") -> None:
        """Add a line to the audit trail."""
        self._reviews.note(review_id, event, actor, reason)

    def trail(self, review_id: str) -> list[ReviewEvent]:
        """Everything that was done and tried with a review, oldest first."""
        return self._reviews.trail(review_id)

    def items(self) -> list[ReviewItem]:
        """All questions in the order in which they were asked, as they stand now."""
        return [self.get(item.id) for item in self._reviews.list()]

    def _let_answer(self, review_id: str) -> None:
        with self._lock:
            waiting = self._waiting.get(review_id)
            if waiting is None or self._clock.now() < waiting[0]:
                return
            del self._waiting[review_id]
        answer = waiting[1]
        try:
            if answer.status is ReviewStatus.APPROVED:
                self._reviews.approve(review_id, answer.reviewer, answer.reason)
            else:
                self._reviews.reject(review_id, answer.reason, answer.reviewer)
        except ReviewError as error:
            # Too late, or the reviewer's own request. The latter stays open, and nobody else is going to answer it.
            if self._reviews.get(review_id).status is ReviewStatus.PENDING:
                self._reviews.reject(review_id, error.why, MOCK_REVIEWER)


def as_reviewer(reviewer: Reviewer | Answer) -> Reviewer:
    """A reviewer; an answer alone is one who always gives it."""
    if isinstance(reviewer, Answer):
        return lambda item: reviewer
    if not callable(reviewer):
        hint = "give approve(...), reject(...), no_answer(), or a function that takes a ReviewItem and returns one"
        raise InputError([Problem(f"{brief(reviewer)} is no reviewer", hint=hint)])
    if inspect.iscoroutinefunction(reviewer):
        hint = "write it with def: what it waits for is said with approve(..., after=seconds)"
        raise InputError(
            [Problem(f"the reviewer {reviewer.__name__!r} is async, and nobody awaits it", hint=hint)]
        )
    return reviewer


def counted(prefix: str) -> IdSource:
    """Identifiers that are the same in every run, and never the same twice, from whatever thread.

    >>> ids = counted("review")
    >>> ids(), ids()
    ('review-1', 'review-2')
    """
    numbers = itertools.count(1)
    return lambda: f"{prefix}-{next(numbers)}"
