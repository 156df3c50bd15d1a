"""What can go wrong with a store, in the words of whoever has to set it right."""

from __future__ import annotations

import re

from understudy.core.errors import InputError, Problem
from understudy.store.revisions import REVISIONS

_NO_DATABASE = "is no SQLite database, or is damaged"
_KNOWN = {
    "database is locked": (
        "is locked by another process",
        "wait for it to end, or see who has the file open",
    ),
    "database table is locked": ("is locked by another process", "wait for it to end, and try again"),
    "readonly database": (
        "may not be written",
        "make the file and its folder writable, or name another store",
    ),
    "disk is full": ("cannot grow: the disk is full", "free some space, or delete old rows with prune()"),
    "disk i/o error": ("cannot be read or written: the disk refuses", "see whether it is full or failing"),
    "unable to open database file": (
        "cannot be opened",
        "its folder must exist and be writable, and it must be a file",
    ),
    "not a database": (_NO_DATABASE, "name another file, or move this one away"),
    "malformed": (_NO_DATABASE, "move the file away; a new one is made then"),
    "no space left on device": ("cannot grow: the disk of the server is full", "free some space there"),
    "password authentication failed": ("refuses the user or the password", "check both in the URL"),
    "no password supplied": ("asks for a password", "write it into the URL, or set PGPASSWORD"),
    "permission denied": ("gives the user no right to this", "let its owner GRANT what the message names"),
    "lock timeout": ("is locked by another transaction", "wait for it to end, or see who holds it"),
    "read-only transaction": (
        "may not be written: the server is a standby, or read-only",
        "name the primary server",
    ),
}
_NO_DATABASE_CALLED = re.compile(r'FATAL: +database "([^"]*)" does not exist')
# SQLSTATE: what becomes of a connection, too many of them, and a server that shuts down or was restarted.
_LOST_STATES = ("08", "53300", "57P")
_SOON_OVER = re.compile(r"database system|too many|remaining connection slots|terminating connection")
_NO_TABLE = re.compile(r"no such (?:table|column)|relation .* does not exist|already exists", re.IGNORECASE)


class StoreError(InputError):
    """The store cannot be used; the message says which, why, and what to do.

    >>> print(store_error("is locked by another process", "runs.sqlite3", hint="wait for it to end"))
    runs.sqlite3: is locked by another process (wait for it to end)
    """


def store_error(message: str, where: str = "", *, hint: str = "") -> StoreError:
    """An error about the store at `where`, which must be named without its password."""
    return StoreError([Problem(message, where, hint=hint)])


def explained(error: BaseException, where: str) -> StoreError:
    """A driver's error as ours. `error` is what the driver raised, not what SQLAlchemy wrapped around it.

    >>> import sqlite3
    >>> print(explained(sqlite3.OperationalError("attempt to write a readonly database"), "runs.sqlite3"))
    runs.sqlite3: may not be written (make the file and its folder writable, or name another store)
    """
    said = " ".join(str(error).split())
    lowered = said.lower()
    for words, (message, hint) in _KNOWN.items():
        if words in lowered:
            return store_error(message, where, hint=hint)
    if missing := _NO_DATABASE_CALLED.search(said):
        hint = f"make it with: createdb {missing[1]}; or name another one"
        return store_error("there is no database of this name", where, hint=hint)
    if _NO_TABLE.search(said):
        hint = "it holds tables of somebody else; give the store a database, or a schema, of its own"
        return store_error(f"has other tables than ours: {said}", where, hint=hint)
    return store_error(f"cannot be used: {said}", where, hint="see whether the server runs, and try again")


def was_lost(error: BaseException | None) -> bool:
    """True if the connection, not the work, failed: the server has gone away, or lets nobody in at the moment.

    `error` is what SQLAlchemy raised. A file is never lost.
    """
    raised = getattr(error, "orig", None)
    if not type(raised).__module__.startswith("psycopg") or not _is_about_the_connection(raised):
        return False
    if state := getattr(raised, "sqlstate", None):
        return str(state).startswith(_LOST_STATES)
    # Without a state it is about connecting; what the server answers to that is final, unless it is only busy.
    return "FATAL:" not in str(raised) or bool(_SOON_OVER.search(str(raised)))


def _is_about_the_connection(raised: object) -> bool:
    names = {kind.__name__ for kind in type(raised).__mro__}
    return bool(names & {"OperationalError", "InterfaceError"})


def newer_schema(found: str, where: str) -> StoreError:
    """The error about a store that a later version of ours has written."""
    known = ", ".join(REVISIONS)
    return store_error(
        f"was written by a newer Understudy: its schema is {found!r}, and this version knows {known}",
        where,
        hint="update with: pip install --upgrade understudy; or name another store",
    )
