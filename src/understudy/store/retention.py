"""What is deleted because it is old: runs when another one is kept, and what was logged when somebody asks for it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from understudy.core.brief import brief
from understudy.core.errors import InputError, Problem
from understudy.store.reach import Sql

if TYPE_CHECKING:
    from sqlalchemy import Select

    from understudy.store.store import Store

_AT_ONCE = 5_000


@dataclass(frozen=True, slots=True)
class Retention:
    """How many runs of a project are kept, for how many days, and how many outcomes all of them may have.

    The run that has just ended is kept in any case, unless `runs` is 0.
    """

    runs: int = 200
    days: float | None = None
    outcomes: int = 1_000_000


KEEP = Retention()


def prune_runs(sql: Sql, project: str, retention: Retention, now: str, but: str = "") -> int:
    """Delete the runs of a project that are to go with their outcomes, `but` one, or the newest; how many went."""
    query = (
        "SELECT id, started_at, CAST(summary AS TEXT) AS summary FROM runs "
        "WHERE project = :project ORDER BY started_at DESC, id DESC"
    )
    oldest = _days_before(now, retention.days)
    gone, outcomes = 0, 0
    # The one that stays counts first: a machine whose clock is slow keeps its runs as others do.
    rows = sorted(sql.rows(query, {"project": project}), key=lambda row: row["id"] != but)
    for place, row in enumerate(rows):
        outcomes += int(json.loads(row["summary"])["total"])
        too_many = place >= retention.runs or outcomes > retention.outcomes
        if (too_many or row["started_at"] < oldest) and (place or not retention.runs):
            sql.change("DELETE FROM outcomes WHERE run_id = :id", {"id": row["id"]})
            gone += sql.change("DELETE FROM runs WHERE id = :id", {"id": row["id"]})
    return gone


def prune(store: Store, before: datetime) -> dict[str, int]:
    """Delete what was logged before a moment, and reviews that were decided by then; how many rows went, by table.

    A moment without a zone is one in UTC. Some thousand rows go at a time, so that nobody who writes waits for
    long. Reviews that are still pending stay.

    >>> from understudy.store import open_store
    >>> with open_store("sqlite://") as store:
    ...     prune(store, datetime(2026, 1, 1, tzinfo=UTC))
    {'execution_log': 0, 'security_events': 0, 'agent_actions': 0, 'reviews': 0, 'review_events': 0}
    """
    from sqlalchemy import select

    if not isinstance(before, datetime):
        hint = "give a datetime, such as datetime.now(UTC) - timedelta(days=90)"
        raise InputError([Problem(f"before is {brief(before)}, and no moment", hint=hint)])
    tables = store.tables
    moment = (
        (before if before.tzinfo else before.replace(tzinfo=UTC))
        .astimezone(UTC)
        .isoformat(timespec="microseconds")
    )
    reviews, events = tables.reviews, tables.review_events
    decided = (reviews.c.status != "pending") & (reviews.c.submitted_at < moment)
    queries = {
        table.name: select(table.c.sequence).where(table.c.recorded_at < moment)
        for table in (tables.execution_log, tables.security_events, tables.agent_actions)
    }
    queries["reviews"] = select(reviews.c.id).where(decided)
    # Trails whose review has gone by now.
    queries["review_events"] = select(events.c.sequence).where(
        ~select(reviews.c.id).where(reviews.c.id == events.c.review_id).exists()
    )
    return {name: _deleted(store, query) for name, query in queries.items()}


def _deleted(store: Store, query: Select[tuple[str | int]]) -> int:
    """Delete the rows whose keys a query finds."""
    key = query.selected_columns[0]
    table = store.tables.metadata.tables[query.get_final_froms()[0].description]
    deleted = 0
    while True:
        with store.write() as connection:
            keys = connection.execute(query.limit(_AT_ONCE)).scalars().all()
            if keys:
                connection.execute(table.delete().where(table.c[key.name].in_(keys)))
        deleted += len(keys)
        if len(keys) < _AT_ONCE:
            return deleted


def _days_before(moment: str, days: float | None) -> str:
    if days is None:
        return ""
    try:
        return (datetime.fromisoformat(moment) - timedelta(days=days)).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError):
        return ""
