"""What alembic runs for a migration: on the connection, and in the transaction, that it is handed."""

from __future__ import annotations

from alembic import context

VERSION_TABLE = "understudy_version"


def migrate() -> None:
    """Run the revisions that are missing."""
    context.configure(connection=context.config.attributes["connection"], version_table=VERSION_TABLE)
    with context.begin_transaction():
        context.run_migrations()


if __name__ == "env_py":  # the name under which alembic loads this file; others only read it
    migrate()
