"""SQL in the same words for both kinds of store: a SQLite file without SQLAlchemy, or a server through it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from understudy.core.portable import portable_text
from understudy.store.address import parse_address

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from understudy.store.store import Store

_AT_ONCE = 500
Values = Mapping[str, Any]


class Sql(Protocol):
    """A transaction. Values are named in a statement as `:name`; texts are written as every database keeps them."""

    def rows(self, statement: str, values: Values | None = None) -> list[dict[str, Any]]:
        """What a query finds."""
        ...

    def change(self, statement: str, values: Values | None = None) -> int:
        """Do something; the number of rows that it concerned."""
        ...

    def add(self, table: str, rows: Iterable[Values]) -> None:
        """Add rows that all have the same columns."""
        ...


class Reach(Protocol):
    """A store as this module reaches it."""

    @property
    def url(self) -> str:
        """Where it is, without a password."""
        ...

    def read(self) -> AbstractContextManager[Sql]:
        """A transaction that only reads, and sees one state of the store."""
        ...

    def write(self) -> AbstractContextManager[Sql]:
        """A transaction that may write: all of it, or nothing if the block raises."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


@contextmanager
def reached(where: str | os.PathLike[str], patience: float = 10.0) -> Iterator[Reach]:
    """Reach the store at a path or URL, made or brought to our schema if need be.

    >>> with reached("sqlite://") as store, store.read() as sql:
    ...     sql.rows("SELECT id FROM runs")
    []
    """
    address = parse_address(where)
    reach: Reach
    if address.kind == "sqlite":
        from understudy.store.quick import QuickStore

        reach = QuickStore(address, patience)
    else:
        from understudy.store.store import open_store

        reach = ServedStore(open_store(where, patience=patience))
    try:
        yield reach
    finally:
        reach.close()


class ServedStore:
    """A store that is open already, such as one on a server."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @property
    def url(self) -> str:
        """Where it is, without a password."""
        return self._store.url

    @contextmanager
    def read(self) -> Iterator[Sql]:
        """A transaction that only reads."""
        with self._store.read() as connection:
            yield _ServedSql(connection)

    @contextmanager
    def write(self) -> Iterator[Sql]:
        """A transaction that may write."""
        with self._store.write() as connection:
            yield _ServedSql(connection)

    def close(self) -> None:
        """Close the store."""
        self._store.close()


class _ServedSql:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def rows(self, statement: str, values: Values | None = None) -> list[dict[str, Any]]:
        from sqlalchemy import text

        return [dict(row) for row in self._connection.execute(text(statement), portable(values)).mappings()]

    def change(self, statement: str, values: Values | None = None) -> int:
        from sqlalchemy import text

        return self._connection.execute(text(statement), portable(values)).rowcount

    def add(self, table: str, rows: Iterable[Values]) -> None:
        from sqlalchemy import text

        some: list[dict[str, Any]] = []
        for row in rows:
            some.append(portable(row))
            if len(some) == _AT_ONCE:
                self._connection.execute(text(insertion(table, row)), some)
                some = []
        if some:
            self._connection.execute(text(insertion(table, some[0])), some)


def insertion(table: str, columns: Iterable[str]) -> str:
    """The statement that adds a row.

    >>> insertion("runs", ["id", "plan"])
    'INSERT INTO runs ("id", "plan") VALUES (:id, :plan)'
    """
    names = list(columns)
    quoted, marked = (", ".join(shape.format(name) for name in names) for shape in ('"{}"', ":{}"))
    return f"INSERT INTO {table} ({quoted}) VALUES ({marked})"  # noqa: S608 - our own names


def portable(values: Values | None) -> dict[str, Any]:
    """The values, with texts as every database keeps them."""
    return {
        name: portable_text(value) if isinstance(value, str) else value
        for name, value in (values or {}).items()
    }
