"""What a gateway remembers of reviews whose service cannot: what they are bound to, until when, and their use."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from understudy.core.brief import brief
from understudy.governance.reviews import ReviewItem


@dataclass(frozen=True, slots=True)
class KeptReview:
    """One review, as far as its service does not keep it."""

    agent_id: str
    binding: str
    expires_at: datetime
    approved_by: str = ""
    used: bool = False


class KeptReviews:
    """The reviews of one gateway, by the ids that its service gave them. Thread-safe, and gone with the process.

    >>> kept = KeptReviews()
    >>> review = KeptReview("bot", "binding", datetime(2026, 1, 1))
    >>> kept.keep(ReviewItem("review-1"), review), kept.keep(ReviewItem("review-1"), review)
    ('', 'the review service gave the id "review-1" twice')
    >>> kept.use("review-1", "another"), kept.use("review-1", "binding"), kept.use("review-1", "binding")
    ('was approved for another agent, action, target or other arguments', '', 'was used already')
    """

    def __init__(self) -> None:
        self._kept: dict[str, KeptReview] = {}
        self._lock = threading.Lock()

    def get(self, review_id: str) -> KeptReview | None:
        """What is remembered of a review."""
        return self._kept.get(review_id)

    def keep(self, item: Any, kept: KeptReview) -> str:
        """Remember a review; why what the service answered is no entry in its queue, if it is none."""
        if not isinstance(item, ReviewItem) or not isinstance(item.id, str) or not item.id:
            return f"the review service answered {brief(item)}, which is no entry in its queue"
        with self._lock:
            if item.id in self._kept:
                return f"the review service gave the id {brief(item.id)} twice"
            self._kept[item.id] = kept
        return ""

    def approve(self, review_id: str, reviewer: str) -> None:
        """Remember who approved."""
        with self._lock:
            self._kept[review_id] = replace(self._kept[review_id], approved_by=reviewer)

    def use(self, review_id: str, binding: str) -> str:
        """Use an approval up; why it cannot be, if it cannot."""
        with self._lock:
            kept = self._kept[review_id]
            if kept.binding != binding:
                return "was approved for another agent, action, target or other arguments"
            if kept.used:
                return "was used already"
            self._kept[review_id] = replace(kept, used=True)
            return ""
