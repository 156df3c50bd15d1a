"""What may become of a review when somebody decides or uses it: the rules, without a place where reviews are kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from understudy.governance.identity import same_person
from understudy.governance.reviews import ReviewError, ReviewEvent, ReviewItem, ReviewStatus


@dataclass(frozen=True, slots=True)
class Step:
    """What comes of one attempt: the item from now on, the line in its trail, and the refusal if it is one."""

    item: ReviewItem
    event: ReviewEvent
    refusal: str = ""

    def error(self) -> ReviewError:
        """The refusal as an error."""
        return ReviewError(self.item.id, self.refusal)


Change = Callable[[ReviewItem], Step]


def approved(item: ReviewItem, reviewer: str, reason: str, now: datetime) -> Step:
    """Somebody approves: not after its time, not twice, and not their own request."""
    if same_person(reviewer, item.submitter):
        return _refused(item, "approve", reviewer, "cannot be approved by who submitted it", now)
    return _decided(item, ReviewStatus.APPROVED, "approve", reviewer, reason, now)


def rejected(item: ReviewItem, reviewer: str, reason: str, now: datetime) -> Step:
    """Somebody rejects: their own request too, but nothing that was decided already."""
    return _decided(item, ReviewStatus.REJECTED, "reject", reviewer, reason, now)


def revoked(item: ReviewItem, reviewer: str, reason: str, now: datetime) -> Step:
    """Somebody takes an approval back that is not used yet."""
    if item.status is not ReviewStatus.APPROVED:
        return _refused(item, "revoke", reviewer, f"is {item.status} and no approval to take back", now)
    return _moved(item, ReviewStatus.REJECTED, reviewer, reason, now, event="revoked")


def expired(item: ReviewItem, actor: str, now: datetime) -> Step:
    """The time of a review is over."""
    if item.status is not ReviewStatus.PENDING:
        return _refused(item, "expire", actor, f"is {item.status} already", now)
    return _moved(item, ReviewStatus.EXPIRED, actor, "nobody decided in time", now)


def redeemed(item: ReviewItem, binding: str, by: str, now: datetime) -> Step:
    """Somebody uses an approval: once, in time, and for exactly what was approved."""
    if item.status is not ReviewStatus.APPROVED:
        states = {ReviewStatus.USED: "was used already", ReviewStatus.PENDING: "is not decided yet"}
        return _refused(item, "redeem", by, states.get(item.status, f"is {item.status}"), now)
    if item.is_due(now):
        return _refused(item, "redeem", by, "was approved, but is used too late", now)
    if not binding or item.binding != binding:
        why = "was approved for another agent, action, target or other arguments"
        return _refused(item, "redeem", by, why, now)
    used = replace(item, status=ReviewStatus.USED, used_at=now, version=item.version + 1)
    return Step(used, ReviewEvent(item.id, "used", by, "", now))


def _decided(
    item: ReviewItem, status: ReviewStatus, verb: str, reviewer: str, reason: str, now: datetime
) -> Step:
    if item.status is not ReviewStatus.PENDING:
        by = f" by {item.reviewed_by}" if item.reviewed_by else ""
        return _refused(item, verb, reviewer, f"is {item.status}{by} already", now)
    if item.is_due(now):
        late = expired(item, reviewer, now)
        return replace(late, refusal="has expired")
    return _moved(item, status, reviewer, reason, now)


def _moved(
    item: ReviewItem, status: ReviewStatus, actor: str, reason: str, now: datetime, event: str = ""
) -> Step:
    moved = replace(
        item, status=status, reviewed_by=actor, reviewed_at=now, reason=reason, version=item.version + 1
    )
    return Step(moved, ReviewEvent(item.id, event or status.value, actor, reason, now))


def _refused(item: ReviewItem, verb: str, actor: str, why: str, now: datetime) -> Step:
    return Step(item, ReviewEvent(item.id, f"refused to {verb}", actor, why, now), refusal=why)
