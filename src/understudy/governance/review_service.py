"""The review service: a queue of questions to people, their answers, and who did what when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, overload

from understudy.core.brief import brief
from understudy.core.clock import Clock, IdSource, random_ids
from understudy.core.errors import InputError, Problem
from understudy.core.portable import portable_text
from understudy.governance import review_steps as steps
from understudy.governance.action_types import unknown
from understudy.governance.binding import Unbindable, data_of
from understudy.governance.given_store import checked_store
from understudy.governance.identity import checked_name
from understudy.governance.later_clock import LaterClock
from understudy.governance.review_shelf import MemoryShelf, ReviewShelf, status_at
from understudy.governance.reviews import ReviewError, ReviewEvent, ReviewItem, ReviewStatus

if TYPE_CHECKING:
    from understudy.store import Store

LONGEST_NAME = 200
LONGEST_TEXT = 100_000
MOST_ON_A_PAGE = 1_000_000
PRIORITIES = ("low", "normal", "high", "critical")
_STATUSES = [status.value for status in ReviewStatus]
Items = list[ReviewItem]
Trail = list[ReviewEvent]


class ReviewService:
    """Submit, decide and use reviews. On a store they survive this process, and many processes may share them; without
    one they are in memory. Safe under several reviewers at once: one decision counts, the other is refused.

    >>> reviews = ReviewService()
    >>> item = reviews.submit("export", {"rows": 12}, submitter="reporter")
    >>> reviews.approve(item.id, reviewer="ann", reason="known partner").status
    <ReviewStatus.APPROVED: 'approved'>
    >>> [event.event for event in reviews.trail(item.id)]
    ['submitted', 'approved']
    >>> reviews.approve(reviews.submit("export", {}, submitter="ann").id, reviewer="Ann")
    Traceback (most recent call last):
    understudy.governance.reviews.ReviewError: review ... cannot be approved by who submitted it
    """

    def __init__(
        self, store: Store | None = None, *, clock: Clock | None = None, new_id: IdSource = random_ids
    ) -> None:
        self._clock = LaterClock(clock)
        self._new_id = new_id
        self._shelf = _shelf(store)

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
        """Put a question into the queue; what is kept of the payload is a copy."""
        if priority not in PRIORITIES:
            raise unknown("priority", priority, PRIORITIES)
        now = self._clock.now()
        item = ReviewItem(
            id=bounded(self._new_id(), "id", LONGEST_NAME),
            item_type=bounded(item_type, "item_type", LONGEST_NAME),
            payload=_data(payload),
            submitter=checked_name(submitter, "submitter"),
            submitted_at=now,
            priority=str(priority),
            expires_at=None if expires_at is None else _zoned(expires_at, "expires_at"),
            binding=bounded(binding, "binding", LONGEST_NAME, least=0),
        )
        self._shelf.insert(item, ReviewEvent(item.id, "submitted", item.submitter, "", now))
        return item

    def get(self, review_id: str) -> ReviewItem:
        """A review as it stands now; one whose time is over is expired. ReviewError if there is none."""
        item = self._shelf.get(bounded(review_id, "review id", LONGEST_NAME, least=0))
        if item is None:
            raise ReviewError(review_id, "does not exist")
        return replace(item, status=status_at(item, self._clock.now()))

    def approve(self, review_id: str, reviewer: str, reason: str = "") -> ReviewItem:
        """Approve what was asked; ReviewError if it is decided, expired or the reviewer's own."""
        checked_name(reviewer, "reviewer")
        reason = bounded(reason, "reason", LONGEST_TEXT, least=0)
        return self._step(review_id, lambda item: steps.approved(item, reviewer, reason, self._clock.now()))

    def reject(self, review_id: str, reason: str, reviewer: str) -> ReviewItem:
        """Refuse what was asked; ReviewError if it is decided or expired."""
        checked_name(reviewer, "reviewer")
        reason = bounded(reason, "reason", LONGEST_TEXT, least=0)
        return self._step(review_id, lambda item: steps.rejected(item, reviewer, reason, self._clock.now()))

    def revoke(self, review_id: str, reason: str, reviewer: str) -> ReviewItem:
        """Take back an approval, whoever gave it; ReviewError if there is none, or if it was used."""
        checked_name(reviewer, "reviewer")
        reason = bounded(reason, "reason", LONGEST_TEXT, least=0)
        return self._step(review_id, lambda item: steps.revoked(item, reviewer, reason, self._clock.now()))

    def redeem(self, review_id: str, binding: str, by: str) -> ReviewItem:
        """Use an approval up; ReviewError if there is none for this, or if it was used."""
        return self._step(review_id, lambda item: steps.redeemed(item, binding, by, self._clock.now()))

    @overload
    def expire(self, review_id: None = None, *, now: datetime | None = None, actor: str = "clock") -> int: ...

    @overload
    def expire(self, review_id: str, *, now: datetime | None = None, actor: str = "clock") -> ReviewItem: ...

    def expire(
        self, review_id: str | None = None, *, now: datetime | None = None, actor: str = "clock"
    ) -> int | ReviewItem:
        """End every pending review whose time is over, and say how many; or end a single one, whatever its time."""
        checked_name(actor, "actor")
        moment = self._clock.now() if now is None else _zoned(now, "now")
        if review_id is None:
            return self._shelf.expire(moment, actor)
        return self._step(review_id, lambda item: steps.expired(item, actor, moment))

    def note(self, review_id: str, event: str, actor: str, reason: str = "") -> None:
        """Add a line to the audit trail of a review."""
        self._shelf.note(
            ReviewEvent(
                bounded(review_id, "review id", LONGEST_NAME, least=0),
                bounded(event, "event", LONGEST_NAME),
                bounded(actor, "actor", LONGEST_NAME),
                portable_text(reason[:LONGEST_TEXT]),
                self._clock.now(),
            )
        )

    def trail(self, review_id: str) -> Trail:
        """Everything that was done and tried with a review, oldest first."""
        return self._shelf.trail(bounded(review_id, "review id", LONGEST_NAME, least=0))

    def list(
        self,
        status: ReviewStatus | str | None = None,
        *,
        item_type: str | None = None,
        submitter: str | None = None,
        priority: str | None = None,
        limit: int | None = None,
        after: ReviewItem | None = None,
    ) -> Items:
        """Reviews in the order of their submission, all or those that have what is given; a page of them with `limit`
        and `after` (the last item of the page before).
        """
        wanted = None if status is None else _known_status(status)
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 0):
            raise InputError(f"limit is a whole number of at least 0, not {brief(limit)}")
        if after is not None and not isinstance(after, ReviewItem):
            raise InputError(f"after is the last review of the page before, not {brief(after)}")
        if priority is not None and priority not in PRIORITIES:
            raise unknown("priority", priority, PRIORITIES)
        asked = {"item_type": item_type, "submitter": submitter, "priority": priority}
        having = {
            name: bounded(value, name, LONGEST_NAME, least=0)
            for name, value in asked.items()
            if value is not None
        }
        most = None if limit is None else min(limit, MOST_ON_A_PAGE)
        return self._shelf.page(wanted, having, self._clock.now(), most, after)

    def _step(self, review_id: str, change: steps.Change) -> ReviewItem:
        step = self._shelf.change(bounded(review_id, "review id", LONGEST_NAME, least=0), change)
        if step.refusal:
            raise step.error()
        return step.item


def bounded(value: Any, what: str, longest: int, least: int = 1) -> str:
    """A text of bounded length, whatever is in it: it is data, and `display` makes it visible. Only what not every
    database can hold is written as an escape from the start, so that it is the same wherever it is kept.
    """
    if not isinstance(value, str):
        raise InputError(f"the {what} is a text, not a {type(value).__name__}")
    if not least <= len(value) <= longest:
        raise InputError(f"the {what} has {len(value):,} characters; it may have {least:,} to {longest:,}")
    return portable_text(value)


def _data(payload: Any) -> dict[str, Any]:
    if not isinstance(payload, Mapping):
        raise InputError(f"a payload is a mapping, not a {type(payload).__name__}")
    try:
        data: dict[str, Any] = data_of(dict(payload))
    except Unbindable as error:
        raise InputError([Problem(f"a payload cannot hold {error.what}", hint=error.hint)]) from None
    return data


def _known_status(status: Any) -> ReviewStatus:
    if isinstance(status, str) and status in _STATUSES:
        return ReviewStatus(status)
    raise unknown("review status", status, _STATUSES)


def _zoned(moment: datetime, what: str) -> datetime:
    if not isinstance(moment, datetime):
        raise InputError(f"{what} is a datetime, not {brief(moment)}")
    if moment.tzinfo is None:
        raise InputError(f"{what} must say its time zone")
    return moment.astimezone(UTC)


def _shelf(store: Store | None) -> ReviewShelf:
    if store is None:
        return MemoryShelf()
    from understudy.governance.store_shelf import StoreShelf  # late: it needs SQLAlchemy

    return StoreShelf(checked_store(store))
