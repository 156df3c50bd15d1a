"""Which revision of the schema a database has, and the way to ours. Only a migration imports alembic."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect, text

from understudy.core.errors import missing_extra
from understudy.store.errors import newer_schema
from understudy.store.revisions import HEAD, REVISIONS, VERSION_TABLE

# Two processes that open a new PostgreSQL database at once must not both make the tables; any number will do.
_LOCK = 7_205_759_403


def is_current(connection: Connection, where: str) -> bool:
    """True if the database stands at our revision; a StoreError if it stands at one that we do not know."""
    found = _revision(connection)
    if found and found not in REVISIONS:
        raise newer_schema(found, where)
    return found == HEAD


def upgrade(connection: Connection, where: str) -> None:
    """Bring the database to our revision, in the transaction that the connection is in: all of it, or nothing."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
    if is_current(connection, where):
        return
    try:
        from alembic import command
        from alembic.config import Config
    except ImportError:
        raise missing_extra("store", "alembic") from None
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _revision(connection: Connection) -> str:
    """The revision that the database has; '' if it has no tables of ours."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return ""
    found = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()  # noqa: S608 - a constant
    return str(found or "")
