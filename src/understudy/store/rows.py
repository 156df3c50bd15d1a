"""A row as it is written: every column has a value, and an id of its own tells it from any other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from sqlalchemy import Connection, Executable, Table
from sqlalchemy.exc import DataError, DBAPIError, StatementError

from understudy.core.nearness import closest_name

Row = Mapping[str, Any]
_Made = tuple[dict[str, Any], tuple[tuple[str, Callable[[Any], Any]], ...]]


def complete_row(table: Table, row: Row) -> dict[str, Any]:
    """The row with the defaults of its table.

    They are filled in here and not by SQLAlchemy: rows of one batch must have the same columns, and a row that is
    written a second time, because a connection was lost, must have the same id.

    >>> from understudy.store.tables import review_events
    >>> row = complete_row(review_events, {"review_id": "r1", "event": "approved", "at": "2026-01-01"})
    >>> row["actor"], row["details"], len(row["event_id"])
    ('', {}, 36)
    """
    plain, made = _defaults(table)
    if not plain.keys() >= row.keys():
        unknown = next(name for name in row if name not in plain)
        near = closest_name(str(unknown), plain)
        hint = f"did you mean {near!r}?" if near else f"there are {', '.join(plain)}"
        raise ValueError(f"the table {table.name} has no column {unknown!r}: {hint}")
    complete = {**plain, **row}
    for name, make in made:
        if name not in row:
            complete[name] = make(None)
    return complete


def insert_rows(connection: Connection, statement: Executable, rows: list[dict[str, Any]]) -> None:
    """Write rows; a value that cannot be written as what its column holds is a ValueError, with every driver."""
    try:
        connection.execute(statement, rows)
    except (StatementError, TypeError, ValueError, ArithmeticError, RecursionError) as error:
        if isinstance(error, DBAPIError) and not isinstance(error, DataError):
            raise  # it is not about the value
        said = getattr(error, "orig", None) or error
        raise ValueError(f"a row cannot be written: {said}") from error


@cache
def _defaults(table: Table) -> _Made:
    plain: dict[str, Any] = {}
    made: list[tuple[str, Callable[[Any], Any]]] = []
    for column in table.columns:
        if column.name == "sequence":
            continue
        default = column.default
        plain[column.name] = (
            getattr(default, "arg", None) if default is not None and default.is_scalar else None
        )
        if default is not None and default.is_callable:
            made.append((column.name, default.arg))  # type: ignore[attr-defined]  # callable defaults have it
    return plain, tuple(made)
