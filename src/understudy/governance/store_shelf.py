"""Reviews on the store: every step is one transaction, guarded by the version that it started from."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, and_, or_, select, true, tuple_, update
from sqlalchemy.exc import IntegrityError

from understudy.core.brief import brief
from understudy.governance.damaged_rows import readable
from understudy.governance.review_shelf import place, stamp
from understudy.governance.review_steps import Change, Step, expired
from understudy.governance.reviews import ReviewError, ReviewEvent, ReviewItem, ReviewStatus
from understudy.store.rows import complete_row
from understudy.store.tables import review_events, reviews

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from understudy.store import Store

_AT_ONCE = 500


class StoreShelf:
    """Reviews and their trails in the tables `reviews` and `review_events`, shared by all processes of the store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def insert(self, item: ReviewItem, event: ReviewEvent) -> None:
        """Keep a new review."""
        # The ids are made once, so that work that is done again after a lost connection does not add a second line.
        row, line = complete_row(reviews, _row(item)), complete_row(review_events, _line(event))

        def work(connection: Connection) -> None:
            connection.execute(reviews.insert(), [row])
            connection.execute(review_events.insert(), [line])

        try:
            self._store.transact(work)
        except IntegrityError:
            # It may be this very one, if the answer to the first attempt was lost on its way.
            if self.get(item.id) != item:
                raise ReviewError(item.id, "exists already") from None

    def get(self, review_id: str) -> ReviewItem | None:
        """The review of that id."""
        with self._store.read() as connection, self._readable(f"the review {brief(review_id)}"):
            return _found(connection, review_id)

    def change(self, review_id: str, change: Change) -> Step:
        """Take one step with a review; if somebody else took one meanwhile, look at it again and decide anew.

        A step that was sent and whose answer was lost is not taken again: it is an error, and whoever asked has
        no approval in hand.
        """
        while True:
            with self._store.write() as connection:
                with self._readable(f"the review {brief(review_id)}"):
                    item = _found(connection, review_id)
                if item is None:
                    raise ReviewError(review_id, "does not exist")
                step = change(item)
                if _took(connection, item, step):
                    return step

    def expire(self, now: datetime, actor: str) -> int:
        """End what is due, some hundred at a time, so that nobody else waits for long."""
        ended = 0
        while True:
            with self._store.write() as connection:
                due = select(reviews).where(_is_due(now)).order_by(reviews.c.id).limit(_AT_ONCE)
                with self._readable("a review that is due"):
                    items = [_item(row) for row in connection.execute(due).mappings()]
                ended += sum(_took(connection, item, expired(item, actor, now)) for item in items)
            if len(items) < _AT_ONCE:
                return ended

    def page(
        self,
        status: ReviewStatus | None,
        having: Mapping[str, str],
        now: datetime,
        limit: int | None,
        after: ReviewItem | None,
    ) -> list[ReviewItem]:
        """Reviews in the order of their submission."""
        query = select(reviews).where(_shows(status, now)).order_by(reviews.c.submitted_at, reviews.c.id)
        query = query.where(*(reviews.c[name] == value for name, value in having.items()))
        if after is not None:
            query = query.where(tuple_(reviews.c.submitted_at, reviews.c.id) > place(after))
        if limit is not None:
            query = query.limit(limit)
        with self._store.read() as connection, self._readable("one of the reviews"):
            return [_item(row) for row in connection.execute(query).mappings()]

    def note(self, event: ReviewEvent) -> None:
        """Add a line to a trail."""
        line = complete_row(review_events, _line(event))
        with self._store.write() as connection:
            if _found(connection, event.review_id) is None:
                raise ReviewError(event.review_id, "does not exist")
            connection.execute(review_events.insert(), [line])

    def trail(self, review_id: str) -> list[ReviewEvent]:
        """The trail of one review."""
        query = select(review_events).where(review_events.c.review_id == review_id)
        with self._store.read() as connection:
            rows = connection.execute(query.order_by(review_events.c.sequence)).mappings().all()
        return [
            ReviewEvent(
                row["review_id"],
                row["event"],
                row["actor"],
                row["reason"],
                _moment(row["at"]),
                row["details"],
            )
            for row in rows
        ]

    def _readable(self, what: str) -> AbstractContextManager[None]:
        """A review that somebody damaged is said to be so, and is no approval."""
        hint = "bring the row back from a backup, or delete it: the agent can ask again"
        return readable(self._store, what, hint)


def _found(connection: Connection, review_id: str) -> ReviewItem | None:
    row = connection.execute(select(reviews).where(reviews.c.id == review_id)).mappings().first()
    return None if row is None else _item(row)


def _took(connection: Connection, before: ReviewItem, step: Step) -> bool:
    """Write a step down, if the review is still what the step started from."""
    if step.item is not before:
        unchanged = and_(
            reviews.c.id == before.id,
            reviews.c.version == before.version,
            reviews.c.status == before.status.value,
        )
        done = connection.execute(update(reviews).where(unchanged).values(**_progress(step.item)))
        if done.rowcount != 1:
            return False
    connection.execute(review_events.insert(), [complete_row(review_events, _line(step.event))])
    return True


def _is_due(now: datetime) -> ColumnElement[bool]:
    return and_(
        reviews.c.status == ReviewStatus.PENDING.value,
        reviews.c.expires_at.is_not(None),
        reviews.c.expires_at <= stamp(now),
    )


def _shows(status: ReviewStatus | None, now: datetime) -> ColumnElement[bool]:
    if status is None:
        return true()
    if status is ReviewStatus.PENDING:
        in_time = or_(reviews.c.expires_at.is_(None), reviews.c.expires_at > stamp(now))
        return and_(reviews.c.status == status.value, in_time)
    if status is ReviewStatus.EXPIRED:
        return or_(reviews.c.status == status.value, _is_due(now))
    return reviews.c.status == status.value


def _row(item: ReviewItem) -> dict[str, Any]:
    return {
        "id": item.id,
        "item_type": item.item_type,
        "payload": item.payload,
        "submitter": item.submitter,
        "priority": item.priority,
        "submitted_at": stamp(item.submitted_at) if item.submitted_at else "",
        "expires_at": _stamped(item.expires_at),
        "binding": item.binding,
        **_progress(item),
    }


def _progress(item: ReviewItem) -> dict[str, Any]:
    return {
        "status": item.status.value,
        "reviewed_at": _stamped(item.reviewed_at),
        "reviewed_by": item.reviewed_by or None,
        "reason": item.reason,
        "used_at": _stamped(item.used_at),
        "version": item.version,
    }


def _line(event: ReviewEvent) -> dict[str, Any]:
    return {
        "review_id": event.review_id,
        "event": event.event,
        "actor": event.actor,
        "reason": event.reason,
        "at": stamp(event.at),
        "details": dict(event.details),
    }


def _item(row: Mapping[Any, Any]) -> ReviewItem:
    return replace(
        ReviewItem(),
        id=row["id"],
        item_type=row["item_type"],
        payload=row["payload"],
        submitter=row["submitter"],
        status=ReviewStatus(row["status"]),
        submitted_at=_moment(row["submitted_at"]),
        reviewed_by=row["reviewed_by"] or "",
        reviewed_at=_moment_or_none(row["reviewed_at"]),
        reason=row["reason"],
        priority=row["priority"],
        expires_at=_moment_or_none(row["expires_at"]),
        binding=row["binding"],
        used_at=_moment_or_none(row["used_at"]),
        version=row["version"],
    )


def _stamped(moment: datetime | None) -> str | None:
    return None if moment is None else stamp(moment)


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _moment_or_none(text: str | None) -> datetime | None:
    return None if text is None else _moment(text)
