"""The tables: what is kept of runs, of pipelines and of agents. Times are ISO 8601 texts in UTC.

This is the schema as it stands at the newest revision; `migrations/versions` holds the way to it.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Dialect,
    Double,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.types import TypeDecorator

from understudy.core.clock import random_ids
from understudy.core.portable import portable_text


class PortableText(TypeDecorator[str]):
    """Text of which every database keeps the same."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Escape what PostgreSQL or SQLite would refuse."""
        return None if value is None else portable_text(value)


# SQLite numbers rows by itself only in a column of exactly this type.
Sequence = BigInteger().with_variant(Integer(), "sqlite")
metadata = MetaData()


def _text(name: str, **options: Any) -> Column[str]:
    return Column(name, PortableText, nullable=False, **options)


def _number(name: str, default: int = 0) -> Column[int]:
    return Column(name, BigInteger, nullable=False, default=default)


def _data(name: str) -> Column[Any]:
    return Column(name, JSON, nullable=False, default=dict)


def _sequence() -> Column[int]:
    return Column("sequence", Sequence, primary_key=True, autoincrement=True)


def _looked_up(table: str, column: str) -> Index:
    """An index of ids of any length, which PostgreSQL cannot order, but find."""
    return Index(f"ix_{table}_{column}", column, postgresql_using="hash")


def _identity(name: str) -> Column[str]:
    """An id that whoever writes the row gives it, so that writing it twice can be told from two rows."""
    return _text(name, default=random_ids)


runs = Table(
    "runs",
    metadata,
    _text("id", primary_key=True),
    _text("project", default=""),
    _text("environment", default=""),
    _text("started_at", index=True),
    _text("finished_at"),
    _text("stopped", default=""),
    _data("summary"),
    _data("plan"),
)

outcomes = Table(
    "outcomes",
    metadata,
    _text("run_id", primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    _text("case_id"),
    _text("act"),
    _text("name"),
    _text("status"),
    _text("reason", default=""),
    _text("parent", default=""),
    Column("duration_ms", Double, nullable=False, default=0.0),
    Column("known", Boolean, nullable=False, default=False),
    _data("record"),
    _looked_up("outcomes", "case_id"),
)

execution_log = Table(
    "execution_log",
    metadata,
    _sequence(),
    _identity("entry_id"),
    _text("context_id"),
    Column("parent_context_id", PortableText),
    _text("initiated_by", default=""),
    _text("domain", default=""),
    _text("workspace_id", default=""),
    _text("trust_level", default=""),
    _text("policy_set", default=""),
    Column("is_replay", Boolean, nullable=False, default=False),
    _text("subject", default=""),
    _text("operation"),
    _text("kind", default="call"),
    _text("target_ref", default=""),
    _text("content_hash", default=""),
    _number("units"),
    _text("status", default="ok"),
    _text("recorded_at", index=True),
    _data("details"),
    _looked_up("execution_log", "context_id"),
    UniqueConstraint("entry_id", name="execution_log_entry_id"),
    sqlite_autoincrement=True,
)

security_events = Table(
    "security_events",
    metadata,
    _sequence(),
    _identity("event_id"),
    _text("context_id", default=""),
    _text("kind"),
    _text("subject", default=""),
    _text("claimed", default=""),
    _text("actual", default=""),
    _text("recorded_at", index=True),
    _data("details"),
    _looked_up("security_events", "context_id"),
    UniqueConstraint("event_id", name="security_events_event_id"),
    sqlite_autoincrement=True,
)

agent_actions = Table(
    "agent_actions",
    metadata,
    _sequence(),
    _identity("action_id"),
    _text("agent_id"),
    _text("action_type"),
    _text("target_ref", default=""),
    _text("impact_level", default=""),
    _text("trust_level", default=""),
    _text("status"),
    _text("reason", default=""),
    _text("arguments_hash", default=""),
    Column("review_id", PortableText),
    Column("reviewed_by", PortableText),
    Column("context_id", PortableText),
    _text("recorded_at", index=True),
    _data("details"),
    _looked_up("agent_actions", "agent_id"),
    UniqueConstraint("action_id", name="agent_actions_action_id"),
    sqlite_autoincrement=True,
)

reviews = Table(
    "reviews",
    metadata,
    _text("id", primary_key=True),
    _text("item_type"),
    _data("payload"),
    _text("submitter", default=""),
    _text("priority", default="normal"),
    _text("status", index=True),
    _text("submitted_at"),
    Column("expires_at", PortableText),
    Column("reviewed_at", PortableText),
    Column("reviewed_by", PortableText),
    _text("reason", default=""),
    _text("binding", default=""),
    Column("used_at", PortableText),
    Column("version", Integer, nullable=False, default=1),
)

review_events = Table(
    "review_events",
    metadata,
    _sequence(),
    _identity("event_id"),
    _text("review_id"),
    _text("event"),
    _text("actor", default=""),
    _text("reason", default=""),
    _text("at"),
    _data("details"),
    _looked_up("review_events", "review_id"),
    UniqueConstraint("event_id", name="review_events_event_id"),
    sqlite_autoincrement=True,
)
