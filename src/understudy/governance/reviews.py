"""What people are asked to decide, and how far each question has come."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from understudy.core.brief import visible
from understudy.core.errors import UnderstudyError


class ReviewStatus(StrEnum):
    """How far a review has come. Only `pending` ones can be decided, and only `approved` ones can be used, once."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    EXPIRED = "expired"
    USED = "used"


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One question to a reviewer, and the answer so far.

    >>> ReviewItem(status=ReviewStatus.APPROVED).status
    <ReviewStatus.APPROVED: 'approved'>
    """

    id: str = ""
    item_type: str = ""
    payload: Mapping[str, Any] = field(default_factory=dict)
    submitter: str = ""
    status: ReviewStatus = ReviewStatus.PENDING
    submitted_at: datetime | None = None
    reviewed_by: str = ""
    reviewed_at: datetime | None = None
    reason: str = ""
    priority: str = "normal"
    expires_at: datetime | None = None
    binding: str = ""
    used_at: datetime | None = None
    version: int = 0

    def is_due(self, now: datetime) -> bool:
        """Whether its time is over."""
        return self.expires_at is not None and now >= self.expires_at


@dataclass(frozen=True, slots=True)
class ReviewEvent:
    """One line of a review's audit trail: also what was tried and refused."""

    review_id: str
    event: str
    actor: str
    reason: str
    at: datetime
    details: Mapping[str, Any] = field(default_factory=dict)


class ReviewError(UnderstudyError):
    """A review cannot be decided or used as somebody tried to."""

    def __init__(self, review_id: str, why: str) -> None:
        super().__init__(f"review {visible(review_id)!r} {why}")
        self.review_id = review_id
        self.why = why

    def __reduce__(self) -> tuple[type[ReviewError], tuple[str, str]]:
        return type(self), (self.review_id, self.why)


class Reviews(Protocol):
    """What a gateway needs at least of a review service. What such a one cannot keep, the gateway keeps itself."""

    def submit(
        self, item_type: str, payload: Mapping[str, Any], submitter: str, priority: str = "normal"
    ) -> ReviewItem:
        """Put a question into the queue."""
        ...

    def get(self, review_id: str) -> ReviewItem:
        """The question as it stands now."""
        ...

    def reject(self, review_id: str, reason: str, reviewer: str) -> Any:
        """Refuse what was asked."""
        ...


@runtime_checkable
class BoundReviews(Protocol):
    """A review service that itself binds approvals, ends them in time and gives each away once: across processes."""

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
        """Put a question into the queue, with what an approval will be good for and how long."""
        ...

    def get(self, review_id: str) -> ReviewItem:
        """The question as it stands now."""
        ...

    def reject(self, review_id: str, reason: str, reviewer: str) -> Any:
        """Refuse what was asked."""
        ...

    def redeem(self, review_id: str, binding: str, by: str) -> ReviewItem:
        """Use an approval up; ReviewError if there is none for this."""
        ...

    def note(self, review_id: str, event: str, actor: str, reason: str = "") -> None:
        """Add a line to the audit trail."""
        ...
