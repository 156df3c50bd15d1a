"""The SQLAlchemy engine for an address: how its connections are set up, and how its transactions begin."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import QueuePool, StaticPool

from understudy.store.address import Address

if TYPE_CHECKING:
    import sqlite3

# A connection for each thread that may be at it at once; more than that wait for one.
_CONNECTIONS = 16
# A server that has vanished without a word must not be waited for until somebody kills us.
_SERVER = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
# Infinity is no JSON, which PostgreSQL would refuse and SQLite not.
_AS_JSON = partial(json.dumps, allow_nan=False)


def make_engine(address: Address, patience: float) -> Engine:
    """An engine that has connected to nothing yet."""
    if address.kind == "postgresql":
        assert address.url is not None  # noqa: S101 - parse_address has set it
        engine = create_engine(
            address.url,
            poolclass=QueuePool,
            pool_size=_CONNECTIONS,
            max_overflow=0,
            pool_pre_ping=True,
            json_serializer=_AS_JSON,
            connect_args={"application_name": "understudy", **_SERVER},
        )
        event.listen(engine, "connect", partial(_let_wait, seconds=patience))
        return engine
    arguments = {"timeout": patience, "check_same_thread": False, "isolation_level": None}
    if address.in_memory:
        engine = create_engine(
            "sqlite://", poolclass=StaticPool, json_serializer=_AS_JSON, connect_args=arguments
        )
    else:
        engine = create_engine(
            # The driver takes a name as it is only if it does not stand in the URL.
            "sqlite://",
            poolclass=QueuePool,
            pool_size=_CONNECTIONS,
            max_overflow=0,
            json_serializer=_AS_JSON,
            creator=_opener(address.path, arguments),
        )
    event.listen(engine, "connect", _set_up)
    event.listen(engine, "begin", _begin)
    return engine


def options_of(engine: Engine, *, writes: bool) -> dict[str, Any]:
    """The options of a connection for a transaction that writes, or only reads and sees one state of the store."""
    if engine.dialect.name == "postgresql" and not writes:
        return {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    return {"writes": writes}


def _opener(path: str, arguments: dict[str, Any]) -> Any:
    def open_file() -> Any:
        import sqlite3

        return sqlite3.connect(path, **arguments)

    return open_file


def _set_up(connection: sqlite3.Connection, record: object) -> None:
    # In WAL mode NORMAL would survive the death of the process, but not that of the machine, and what we have
    # acknowledged must. A sync for each transaction is cheap where many rows share one.
    connection.execute("PRAGMA synchronous = FULL")


def _let_wait(connection: Any, record: object, seconds: float) -> None:
    """Let a connection to a server wait so long for what another transaction has locked."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET lock_timeout = {max(1, round(seconds * 1000))}")
    connection.commit()


def _begin(connection: Connection) -> None:
    """Python's driver would begin by itself only before the first write, and never before a change of tables.

    A transaction that reads first and then writes can find that another wrote in between, for which no waiting
    helps; so whoever will write says so at once.
    """
    mode = "IMMEDIATE" if connection.get_execution_options().get("writes") else "DEFERRED"
    connection.exec_driver_sql(f"BEGIN {mode}")
