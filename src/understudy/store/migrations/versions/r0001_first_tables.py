"""The first tables: runs and their outcomes, the execution log, security events, agents' actions, reviews.

It stands for itself: what `tables` says changes with later revisions, and this must not change with it.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_SEQUENCE = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "runs",
        _text("id", primary_key=True),
        *_texts("project", "started_at", "finished_at", "stopped"),
        *_data("summary", "plan"),
    )
    op.create_table(
        "outcomes",
        _text("run_id", primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
        *_texts("case_id", "act", "name", "status", "reason", "parent"),
        sa.Column("duration_ms", sa.Double, nullable=False),
        *_data("record"),
    )
    op.create_table(
        "execution_log",
        _sequence(),
        *_texts("entry_id", "context_id"),
        sa.Column("parent_context_id", sa.Text),
        *_texts("initiated_by", "domain", "workspace_id", "trust_level", "policy_set"),
        sa.Column("is_replay", sa.Boolean, nullable=False),
        *_texts("subject", "operation", "kind", "target_ref", "content_hash"),
        sa.Column("units", sa.BigInteger, nullable=False),
        *_texts("status", "recorded_at"),
        *_data("details"),
        sa.UniqueConstraint("entry_id", name="execution_log_entry_id"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "security_events",
        _sequence(),
        *_texts("event_id", "context_id", "kind", "subject", "claimed", "actual", "recorded_at"),
        *_data("details"),
        sa.UniqueConstraint("event_id", name="security_events_event_id"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "agent_actions",
        _sequence(),
        *_texts("action_id", "agent_id", "action_type", "target_ref", "impact_level", "trust_level"),
        *_texts("status", "reason", "arguments_hash"),
        *(sa.Column(name, sa.Text) for name in ("review_id", "reviewed_by", "context_id")),
        *_texts("recorded_at"),
        *_data("details"),
        sa.UniqueConstraint("action_id", name="agent_actions_action_id"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "reviews",
        _text("id", primary_key=True),
        *_texts("item_type"),
        *_data("payload"),
        *_texts("submitter", "priority", "status", "submitted_at"),
        *(sa.Column(name, sa.Text) for name in ("expires_at", "reviewed_at", "reviewed_by")),
        *_texts("reason", "binding"),
        sa.Column("used_at", sa.Text),
        sa.Column("version", sa.Integer, nullable=False),
    )
    op.create_table(
        "review_events",
        _sequence(),
        *_texts("event_id", "review_id", "event", "actor", "reason", "at"),
        *_data("details"),
        sa.UniqueConstraint("event_id", name="review_events_event_id"),
        sqlite_autoincrement=True,
    )
    for table, column in (
        ("runs", "started_at"),
        ("execution_log", "context_id"),
        ("execution_log", "recorded_at"),
        ("security_events", "context_id"),
        ("security_events", "recorded_at"),
        ("agent_actions", "agent_id"),
        ("agent_actions", "recorded_at"),
        ("reviews", "status"),
        ("review_events", "review_id"),
    ):
        op.create_index(f"ix_{table}_{column}", table, [column])


def downgrade() -> None:
    """Delete the tables, and all that is in them."""
    for table in (
        "review_events",
        "reviews",
        "agent_actions",
        "security_events",
        "execution_log",
        "outcomes",
        "runs",
    ):
        op.drop_table(table)


def _text(name: str, *, primary_key: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False, primary_key=primary_key)


def _texts(*names: str) -> list[sa.Column[str]]:
    return [_text(name) for name in names]


def _data(*names: str) -> list[sa.Column[object]]:
    return [sa.Column(name, sa.JSON, nullable=False) for name in names]


def _sequence() -> sa.Column[int]:
    return sa.Column("sequence", _SEQUENCE, primary_key=True, autoincrement=True)
