"""The human-in-the-loop gateway: what can do harm waits for a person, and nothing but a clear approval lets it pass."""

from __future__ import annotations

import asyncio
import math
import time
from dataclasses import replace
from datetime import timedelta
from typing import Any

from understudy.core.brief import brief
from understudy.core.clock import Clock
from understudy.core.errors import InputError, Problem
from understudy.core.portal import run_blocking
from understudy.governance.action_types import ActionTypes, ImpactLevel, known_impact
from understudy.governance.actions import APPROVED, PENDING, REJECTED
from understudy.governance.binding import binding_of, hash_arguments
from understudy.governance.decision import Decision
from understudy.governance.identity import checked_name, same_person
from understudy.governance.kept_reviews import KeptReview, KeptReviews
from understudy.governance.later_clock import LaterClock
from understudy.governance.notification import Notifications, Notifier
from understudy.governance.review_service import ReviewService, bounded
from understudy.governance.reviews import BoundReviews, ReviewError, ReviewItem, Reviews, ReviewStatus

ITEM_TYPE = "agent_action"
POLICY = "policy"
GATEWAY = "gateway"
LONGEST_TARGET = 2_000
LONGEST_WAIT = 366 * 24 * 3600
_POLL = 0.05


class HITLGateway:
    """Decides at once on low and medium impact, and asks people about high and critical.

    >>> from understudy.governance import ReviewService
    >>> reviews = ReviewService()
    >>> gateway = HITLGateway(reviews)
    >>> what = ("triage-bot", "delete_stix", "indicator--1")
    >>> asked = gateway.submit(*what, "high", {"purge": True})
    >>> asked.status
    'pending'
    >>> _ = reviews.approve(asked.review_id, reviewer="ann")
    >>> gateway.redeem(asked.review_id, *what, {"purge": False}).reason
    'was approved for another agent, action, target or other arguments'
    >>> gateway.redeem(asked.review_id, *what, {"purge": True}).approved_by
    'ann'
    >>> gateway.redeem(asked.review_id, *what, {"purge": True}).reason
    'was used already'
    """

    def __init__(
        self,
        review_service: Reviews | None = None,
        notifier: Notifier | None = None,
        *,
        expiry_seconds: float = 3600,
        notifier_patience: float = 10,
        clock: Clock | None = None,
        action_types: ActionTypes | None = None,
    ) -> None:
        """Without a review service there is one of the gateway's own, in memory: `review_service`."""
        _checked_seconds(expiry_seconds, "expiry_seconds")
        _checked_seconds(notifier_patience, "notifier_patience")
        if notifier is not None and not callable(notifier):
            hint = "give a function that takes the ReviewItem"
            raise InputError(
                [Problem(f"{brief(notifier)} cannot be called, which the notifier has to be", hint=hint)]
            )
        self.review_service = ReviewService(clock=clock) if review_service is None else review_service
        self._expiry = timedelta(seconds=expiry_seconds)
        self._clock = LaterClock(clock)
        self.action_types = action_types or ActionTypes()
        self._kept = KeptReviews()
        self._notifications = (
            Notifications(notifier, self._note, notifier_patience) if notifier is not None else None
        )

    @property
    def review_service(self) -> Reviews:
        """Where people are asked. It can be replaced; what was asked before is then asked nowhere any more."""
        return self._reviews

    @review_service.setter
    def review_service(self, reviews: Reviews) -> None:
        self._reviews = _checked_reviews(reviews)
        self._bound = reviews if isinstance(reviews, BoundReviews) else None

    def submit(
        self,
        agent_id: str,
        action_type: str,
        target_ref: str,
        impact_level: str,
        arguments: Any = None,
    ) -> Decision:
        """Decide on one action. `pending` has a review to `wait` for; what a person approved is to be redeemed
        before it is done, with the very arguments that it is done with.
        """
        impact = known_impact(impact_level)
        arguments_hash = self._hash(agent_id, action_type, target_ref, arguments)
        if impact is ImpactLevel.low or impact is ImpactLevel.medium:
            return Decision(APPROVED, approved_by=POLICY, arguments_hash=arguments_hash)
        bound_to = binding_of(agent_id, action_type, target_ref, arguments_hash)
        expires_at = self._clock.now() + self._expiry
        payload = {
            "agent_id": agent_id,
            "action_type": str(action_type),
            "target_ref": target_ref,
            "impact_level": impact.value,
            "arguments": arguments,
            "arguments_hash": arguments_hash,
            "expires_at": expires_at.isoformat(),
        }
        if self._bound is not None:
            item = self._bound.submit(
                ITEM_TYPE, payload, agent_id, impact.value, expires_at=expires_at, binding=bound_to
            )
        else:
            item = self._reviews.submit(ITEM_TYPE, payload, agent_id, impact.value)
            trouble = self._kept.keep(item, KeptReview(agent_id, bound_to, expires_at))
            if trouble:
                return Decision(REJECTED, reason=trouble, binding=bound_to, arguments_hash=arguments_hash)
        if impact is ImpactLevel.critical and self._notifications is not None:
            self._notifications.send(item)
        decision = self._judge(item, item.id)
        return replace(decision, binding=bound_to, arguments_hash=arguments_hash)

    def decision(self, review_id: str) -> Decision:
        """How it stands with a review: nothing is used up by asking."""
        try:
            item = self._reviews.get(review_id)
        except ReviewError as error:
            return Decision(REJECTED, str(review_id), reason=error.why)
        return self._judge(item, review_id)

    def wait(self, review_id: str, timeout: float | None = None) -> Decision:
        """Wait until a review is decided or has expired; after `timeout` seconds it may still be pending."""
        return run_blocking(self.wait_async, review_id, timeout)

    async def wait_async(self, review_id: str, timeout: float | None = None) -> Decision:
        """As `wait`, without blocking the event loop."""
        deadline = time.monotonic() + _patience(timeout)
        while True:
            decision = await asyncio.to_thread(self.decision, review_id)
            left = deadline - time.monotonic()
            if decision.status != PENDING or left <= 0:
                return decision
            await asyncio.sleep(min(_POLL, left))

    def redeem(
        self, review_id: str, agent_id: str, action_type: str, target_ref: str, arguments: Any = None
    ) -> Decision:
        """Use an approval for one action: approved once, and only for what a person approved."""
        arguments_hash = self._hash(agent_id, action_type, target_ref, arguments)
        bound_to = binding_of(agent_id, action_type, target_ref, arguments_hash)
        decision = replace(self.decision(review_id), binding=bound_to, arguments_hash=arguments_hash)
        if decision.status != APPROVED:
            return decision
        if self._bound is None:
            why = self._kept.use(review_id, bound_to)
            return decision if not why else replace(decision, status=REJECTED, approved_by="", reason=why)
        try:
            used = self._bound.redeem(review_id, bound_to, agent_id)
        except ReviewError as error:
            return replace(decision, status=REJECTED, approved_by="", reason=error.why)
        if not isinstance(used, ReviewItem) or used.status is not ReviewStatus.USED or used.id != review_id:
            why = f"the review service answered {brief(used)}, which is no used approval"
            return replace(decision, status=REJECTED, approved_by="", reason=why)
        return decision

    def settle(self, timeout: float = 10) -> bool:
        """Wait until every notification has ended or been told of as hanging; False if that takes longer."""
        return self._notifications is None or self._notifications.settle(timeout)

    def _hash(self, agent_id: str, action_type: str, target_ref: str, arguments: Any) -> str:
        """The hash of an action's arguments, once all the rest of it is known to be in order."""
        checked_name(agent_id)
        self.action_types.known(action_type)
        bounded(target_ref, "target_ref", LONGEST_TARGET, least=0)
        return hash_arguments(arguments)

    def _judge(self, item: Any, review_id: str) -> Decision:
        """What an answer of the review service means: nothing but a clear approval in time is one."""
        if not isinstance(item, ReviewItem):
            return _no(review_id, f"the review service answered {brief(item)}, which is no clear approval")
        if item.id not in ("", review_id):
            return _no(review_id, f"the review service answered about {brief(item.id)}")
        kept = self._kept.get(review_id)
        if kept is None and self._bound is None:
            return _no(review_id, "does not exist")
        expires_at = item.expires_at if kept is None else kept.expires_at
        is_open = item.status is ReviewStatus.PENDING or item.status is ReviewStatus.APPROVED
        overdue = is_open and expires_at is not None and self._clock.now() >= expires_at
        if overdue or item.status is ReviewStatus.EXPIRED:
            if item.status is not ReviewStatus.APPROVED and item.reviewed_at is None:
                self._expire(review_id)
            return _no(review_id, "has expired")
        if item.status is ReviewStatus.PENDING:
            return Decision(PENDING, review_id, reason="waits for a reviewer", binding=item.binding)
        if item.status is not ReviewStatus.APPROVED:
            return _no(review_id, _why(item))
        return self._approval(item, review_id, kept)

    def _approval(self, item: ReviewItem, review_id: str, kept: KeptReview | None) -> Decision:
        reviewer = item.reviewed_by or (kept.approved_by if kept else "")
        if not isinstance(reviewer, str) or not reviewer.strip():
            return _no(review_id, "was approved by nobody in particular")
        if same_person(reviewer, kept.agent_id if kept else item.submitter):
            return _no(review_id, "was approved by who submitted it")
        if kept is not None:
            if kept.used:
                return _no(review_id, "was used already")
            self._kept.approve(review_id, reviewer)
        return Decision(
            APPROVED, review_id, reviewer, item.reason if isinstance(item.reason, str) else "", item.binding
        )

    def _expire(self, review_id: str) -> None:
        """Tell the service, so that its queue says for good what was told here; the refusal does not depend on it."""
        try:
            self._reviews.reject(review_id, "nobody decided in time", GATEWAY)
        except Exception:
            return

    def _note(self, review_id: str, event: str, reason: str) -> None:
        if self._bound is not None:
            self._bound.note(review_id, event, GATEWAY, reason)


def _patience(timeout: Any) -> float:
    if timeout is None:
        return math.inf
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not timeout >= 0:
        raise InputError(f"timeout must be a number of seconds of at least 0, not {brief(timeout)}")
    return min(timeout, LONGEST_WAIT)


def _checked_seconds(value: Any, name: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= LONGEST_WAIT:
        raise InputError(f"{name} must be a number above 0 and at most {LONGEST_WAIT:,}, not {brief(value)}")


def _checked_reviews(reviews: Any) -> Reviews:
    hint = "give a ReviewService(), or an object of your own with submit, get and reject"
    if isinstance(reviews, type):
        raise InputError([Problem(f"{reviews.__name__} is a class, and no review service", hint=hint)])
    for name in ("submit", "get", "reject"):
        if not callable(getattr(reviews, name, None)):
            what = f"a review service has to {name}, which {brief(reviews)} cannot"
            raise InputError([Problem(what, hint=hint)])
    service: Reviews = reviews
    return service


def _no(review_id: str, reason: str) -> Decision:
    return Decision(REJECTED, review_id, reason=reason)


def _why(item: ReviewItem) -> str:
    if item.status is ReviewStatus.USED:
        return "was used already"
    by = f" by {item.reviewed_by}" if item.reviewed_by else ""
    reason = f": {item.reason}" if item.reason else ""
    if item.status is ReviewStatus.REJECTED:
        return f"was rejected{by}{reason}"
    return f"has the status {brief(item.status)}, which is no ReviewStatus"
