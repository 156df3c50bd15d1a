"""The revisions of the schema that this version knows, oldest first; kept apart, since it is read without alembic."""

from __future__ import annotations

VERSION_TABLE = "understudy_version"
REVISIONS = ("0001", "0002")
HEAD = REVISIONS[-1]
