"""Where reviews are kept: what a place must offer, and the one in memory."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Protocol

from understudy.governance.review_steps import Change, Step, expired
from understudy.governance.reviews import ReviewError, ReviewEvent, ReviewItem, ReviewStatus


class ReviewShelf(Protocol):
    """A place for reviews and their trails, safe under many at once."""

    def insert(self, item: ReviewItem, event: ReviewEvent) -> None:
        """Keep a new review; ReviewError if its id is taken."""
        ...

    def get(self, review_id: str) -> ReviewItem | None:
        """The review of that id as it was last changed."""
        ...

    def change(self, review_id: str, change: Change) -> Step:
        """Take one step with a review, whole and alone: nobody else's comes in between."""
        ...

    def expire(self, now: datetime, actor: str) -> int:
        """End every pending review whose time is over; how many those were."""
        ...

    def page(
        self,
        status: ReviewStatus | None,
        having: Mapping[str, str],
        now: datetime,
        limit: int | None,
        after: ReviewItem | None,
    ) -> list[ReviewItem]:
        """Reviews that have this status and these values, in the order of their submission; those due are expired."""
        ...

    def note(self, event: ReviewEvent) -> None:
        """Add a line to a trail."""
        ...

    def trail(self, review_id: str) -> list[ReviewEvent]:
        """The trail of one review, oldest first."""
        ...


class MemoryShelf:
    """Reviews in this process, for tests and for trying things out. What it gives away are copies, as a database's
    are: nobody changes what the next one reads.
    """

    def __init__(self) -> None:
        self._items: dict[str, ReviewItem] = {}
        self._trails: dict[str, list[ReviewEvent]] = {}
        self._lock = threading.Lock()

    def insert(self, item: ReviewItem, event: ReviewEvent) -> None:
        """Keep a new review."""
        with self._lock:
            if item.id in self._items:
                raise ReviewError(item.id, "exists already")
            self._items[item.id] = _copied(item)
            self._trails[item.id] = [event]

    def get(self, review_id: str) -> ReviewItem | None:
        """The review of that id."""
        item = self._items.get(review_id)
        return None if item is None else _copied(item)

    def change(self, review_id: str, change: Change) -> Step:
        """Take one step with a review."""
        with self._lock:
            item = self._items.get(review_id)
            if item is None:
                raise ReviewError(review_id, "does not exist")
            step = change(item)
            self._keep(step)
            return replace(step, item=_copied(step.item))

    def expire(self, now: datetime, actor: str) -> int:
        """End what is due."""
        with self._lock:
            due = [i for i in self._items.values() if i.status is ReviewStatus.PENDING and i.is_due(now)]
            for item in due:
                self._keep(expired(item, actor, now))
            return len(due)

    def page(
        self,
        status: ReviewStatus | None,
        having: Mapping[str, str],
        now: datetime,
        limit: int | None,
        after: ReviewItem | None,
    ) -> list[ReviewItem]:
        """Reviews in the order of their submission."""
        with self._lock:
            items: Sequence[ReviewItem] = sorted(self._items.values(), key=place)
        begin = place(after) if after else ("", "")
        found = [
            item
            for item in items
            if place(item) > begin
            and (status is None or status_at(item, now) is status)
            and all(getattr(item, name) == value for name, value in having.items())
        ]
        return [_copied(item) for item in found[:limit]]

    def note(self, event: ReviewEvent) -> None:
        """Add a line to a trail."""
        with self._lock:
            if event.review_id not in self._trails:
                raise ReviewError(event.review_id, "does not exist")
            self._trails[event.review_id].append(event)

    def trail(self, review_id: str) -> list[ReviewEvent]:
        """The trail of one review."""
        with self._lock:
            return list(self._trails.get(review_id, ()))

    def _keep(self, step: Step) -> None:
        self._items[step.item.id] = step.item
        self._trails[step.item.id].append(step.event)


def _copied(item: ReviewItem) -> ReviewItem:
    return replace(item, payload=json.loads(json.dumps(item.payload)))


def status_at(item: ReviewItem, now: datetime) -> ReviewStatus:
    """The status of a review, in which a pending one that is due counts as expired."""
    if item.status is ReviewStatus.PENDING and item.is_due(now):
        return ReviewStatus.EXPIRED
    return item.status


def place(item: ReviewItem) -> tuple[str, str]:
    """Where a review stands in the queue."""
    return (stamp(item.submitted_at) if item.submitted_at else "", item.id)


def stamp(moment: datetime) -> str:
    """A moment as text that sorts as moments do."""
    return moment.isoformat(timespec="microseconds")
