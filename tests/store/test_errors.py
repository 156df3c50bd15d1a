"""What drivers say is told in words that help, and what is only a lost connection is told from what is wrong."""

from __future__ import annotations

import sqlite3

import psycopg
import pytest
from psycopg import errors
from sqlalchemy.exc import OperationalError

from understudy.store.errors import explained, was_lost


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            errors.ReadOnlySqlTransaction("cannot execute INSERT in a read-only transaction"),
            "db: may not be written: the server is a standby, or read-only (name the primary server)",
        ),
        (
            errors.DiskFull('could not extend file "base/1": No space left on device'),
            "db: cannot grow: the disk of the server is full (free some space there)",
        ),
        (
            sqlite3.DatabaseError("database disk image is malformed"),
            "db: is no SQLite database, or is damaged (move the file away; a new one is made then)",
        ),
        (
            sqlite3.OperationalError("something\n  nobody has heard of"),
            "db: cannot be used: something nobody has heard of (see whether the server runs, and try again)",
        ),
    ],
    ids=lambda value: "" if isinstance(value, str) else type(value).__name__,
)
def test_a_driver_is_understood(error: Exception, said: str) -> None:
    assert str(explained(error, "db")) == said


@pytest.mark.parametrize(
    ("error", "lost"),
    [
        (errors.AdminShutdown("terminating connection due to administrator command"), True),
        (errors.TooManyConnections("sorry, too many clients already"), True),
        (psycopg.OperationalError("connection failed: Connection refused"), True),
        (psycopg.OperationalError("FATAL:  the database system is starting up"), True),
        (psycopg.OperationalError("FATAL:  password authentication failed for user"), False),
        (psycopg.OperationalError('FATAL:  database "x" does not exist'), False),
        (errors.ProgramLimitExceeded("index row size 11464 exceeds maximum"), False),
        (errors.LockNotAvailable("canceling statement due to lock timeout"), False),
        (errors.UniqueViolation("duplicate key"), False),
        (sqlite3.OperationalError("database is locked"), False),
    ],
    ids=lambda value: "" if isinstance(value, bool) else str(value)[:30],
)
def test_only_a_connection_that_is_gone_is_worth_another_try(error: Exception, lost: bool) -> None:
    assert was_lost(OperationalError("INSERT", {}, error)) is lost
