"""A review service that can do no more than the least, and says whatever a test wants it to say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from understudy.governance import ReviewItem, ReviewStatus


class SimpleReviews:
    """Submit, get and reject only. `answer` makes what `get` says of the item that was submitted."""

    def __init__(self, answer: Callable[[ReviewItem], Any] = lambda item: item) -> None:
        self.answer = answer
        self.items: dict[str, ReviewItem] = {}
        self.rejected: list[tuple[str, str, str]] = []

    def submit(
        self, item_type: str, payload: Mapping[str, Any], submitter: str, priority: str = "normal"
    ) -> ReviewItem:
        """Keep a question."""
        review_id = f"review-{len(self.items) + 1}"
        item = ReviewItem(review_id, item_type, dict(payload), submitter, ReviewStatus.PENDING)
        self.items[review_id] = item
        return item

    def get(self, review_id: str) -> Any:
        """Whatever the test wants."""
        return self.answer(self.items[review_id])

    def reject(self, review_id: str, reason: str, reviewer: str) -> None:
        """Note it."""
        self.rejected.append((review_id, reason, reviewer))
