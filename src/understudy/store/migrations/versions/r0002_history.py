"""What the history of runs needs: known failures, the environment, outcomes by their case. And ids of any length.

PostgreSQL orders no text beyond 2,704 bytes in a tree, and who names a context or a case may name it longer; where
ids are only looked up, a hash serves as well.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_LOOKED_UP = (
    ("execution_log", "context_id"),
    ("security_events", "context_id"),
    ("agent_actions", "agent_id"),
    ("review_events", "review_id"),
)


def upgrade() -> None:
    """Add the columns, and make the indexes anew."""
    op.add_column("runs", sa.Column("environment", sa.Text, nullable=False, server_default=""))
    op.add_column("outcomes", sa.Column("known", sa.Boolean, nullable=False, server_default=sa.false()))
    op.create_index("ix_outcomes_case_id", "outcomes", ["case_id"], postgresql_using="hash")
    for table, column in _LOOKED_UP:
        op.drop_index(f"ix_{table}_{column}", table)
        op.create_index(f"ix_{table}_{column}", table, [column], postgresql_using="hash")


def downgrade() -> None:
    """Take all of it back."""
    for table, column in _LOOKED_UP:
        op.drop_index(f"ix_{table}_{column}", table)
        op.create_index(f"ix_{table}_{column}", table, [column])
    op.drop_index("ix_outcomes_case_id", "outcomes")
    op.drop_column("outcomes", "known")
    op.drop_column("runs", "environment")
