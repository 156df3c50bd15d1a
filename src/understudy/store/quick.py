"""A SQLite store by the standard library alone, for the command line: SQLAlchemy takes longer to import than a run."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from understudy.store.address import Address, parent_of
from understudy.store.errors import explained, newer_schema, store_error
from understudy.store.reach import Sql, Values, insertion, portable
from understudy.store.revisions import HEAD, REVISIONS, VERSION_TABLE

SCHEMA_FILE = "schema.sql"


class QuickStore:
    """A file with the same tables as `open_store` makes; one of an older version is brought to ours by that."""

    def __init__(self, address: Address, patience: float) -> None:
        self._address = address
        self._patience = patience
        self._connection: sqlite3.Connection | None = None

    @property
    def url(self) -> str:
        """Where it is."""
        return self._address.shown

    @contextmanager
    def read(self) -> Iterator[Sql]:
        """A transaction that only reads."""
        with self._transaction("DEFERRED") as sql:
            yield sql

    @contextmanager
    def write(self) -> Iterator[Sql]:
        """A transaction that may write, from its beginning on."""
        with self._transaction("IMMEDIATE") as sql:
            yield sql

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @contextmanager
    def _transaction(self, kind: str) -> Iterator[Sql]:
        try:
            connection = self._ready()
            connection.execute(f"BEGIN {kind}")
            try:
                yield _QuickSql(connection)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:  # what has failed badly has been undone by itself
                    connection.execute("ROLLBACK")
                raise
        except sqlite3.IntegrityError:
            raise  # what the caller wrote is wrong, not the store
        except sqlite3.Error as error:
            raise explained(error, self.url) from error

    def _ready(self) -> sqlite3.Connection:
        """The connection, to a file that has our tables."""
        if self._connection is None:
            self._connection = self._open()
            if _revision(self._connection, self.url) != HEAD:
                self._bring_up_to_date()
        return self._connection

    def _open(self) -> sqlite3.Connection:
        if not self._address.in_memory and not os.path.isdir(parent_of(self._address.path)):
            message = "its folder does not exist, or may not be entered"
            raise store_error(message, self.url, hint="make the folder first")
        path = self._address.path or ":memory:"
        connection = sqlite3.connect(path, timeout=self._patience, isolation_level=None)
        try:
            connection.row_factory = sqlite3.Row
            connection.execute("PRAGMA synchronous = FULL")
            if connection.execute("PRAGMA journal_mode").fetchone()[0] == "delete":
                connection.execute("PRAGMA journal_mode = WAL")
        except BaseException:
            connection.close()
            raise
        return connection

    def _bring_up_to_date(self) -> None:
        assert self._connection is not None  # noqa: S101 - _ready has opened it
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        found = _revision(connection, self.url)  # another process may have been quicker
        if not found:
            for statement in schema_statements():
                connection.execute(statement)
        connection.execute("COMMIT")
        if found and found != HEAD:
            self.close()
            from understudy.store.store import open_store

            open_store(self._address.path, patience=self._patience).close()
            self._connection = self._open()


class _QuickSql:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, statement: str, values: Values | None = None) -> list[dict[str, Any]]:
        return [dict(row) for row in self._connection.execute(statement, portable(values))]

    def change(self, statement: str, values: Values | None = None) -> int:
        return self._connection.execute(statement, portable(values)).rowcount

    def add(self, table: str, rows: Iterable[Values]) -> None:
        iterator = iter(rows)
        if (first := next(iterator, None)) is None:
            return
        statement = insertion(table, first)
        self._connection.execute(statement, portable(first))
        self._connection.executemany(statement, map(portable, iterator))


def schema_statements() -> Sequence[str]:
    """What makes a new file as all migrations would."""
    text = Path(__file__).with_name(SCHEMA_FILE).read_text("utf-8")
    return [statement for statement in text.split(";\n") if statement.strip()]


def schema_of(connection: sqlite3.Connection) -> str:
    """The statements that make a file as this one is, for `schema.sql`."""
    query = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
    statements = [row[0] for row in connection.execute(query)]
    version = connection.execute(f"SELECT version_num FROM {VERSION_TABLE}").fetchone()[0]  # noqa: S608 - a constant
    statements.append(f"INSERT INTO {VERSION_TABLE} (version_num) VALUES ('{version}')")  # noqa: S608 - the same
    return "".join(f"{statement};\n" for statement in statements)


def _revision(connection: sqlite3.Connection, where: str) -> str:
    """The revision that a file has; '' if it has no tables of ours."""
    query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
    with closing(connection.execute(query, (VERSION_TABLE,))) as found:
        if found.fetchone() is None:
            return ""
    row = connection.execute(f"SELECT version_num FROM {VERSION_TABLE}").fetchone()  # noqa: S608 - a constant
    if row is not None and row[0] not in REVISIONS:
        raise newer_schema(str(row[0]), where)
    return "" if row is None else str(row[0])
