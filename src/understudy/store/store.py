"""A store that is open: transactions that wait for their turn, rows that are kept once `append` returns."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from understudy.core.clock import Clock, SystemClock
from understudy.core.errors import missing_extra
from understudy.store.address import Address, parent_of, parse_address, without_secrets
from understudy.store.errors import StoreError, explained, store_error, was_lost

try:
    from sqlalchemy import Connection, Engine, Table
    from sqlalchemy.dialects import postgresql
    from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, SQLAlchemyError
    from sqlalchemy.exc import TimeoutError as PoolTimeout
except ImportError:
    raise missing_extra("store", "SQLAlchemy") from None

from understudy.store import tables
from understudy.store.engines import make_engine, options_of
from understudy.store.rows import Row, complete_row, insert_rows
from understudy.store.schema import is_current, upgrade

if TYPE_CHECKING:
    from understudy.store.batches import BatchWriter

PATIENCE = 10.0
_PAUSE = 0.05
T = TypeVar("T")


def open_store(
    where: str | os.PathLike[str], *, clock: Clock | None = None, patience: float = PATIENCE
) -> Store:
    """Open the store at a path or URL, made or brought to our schema if need be. A context manager.

    `where` is a file (a path, or `sqlite:///path`), `sqlite://` for one in memory, or
    `postgresql://user@host/name`. For `patience` seconds it waits for others that write, and for a server that
    has gone away. What cannot be used is a StoreError that says what to do.

    >>> with open_store("sqlite://") as store:
    ...     with store.read() as connection:
    ...         connection.execute(store.tables.runs.select()).all()
    []
    """
    address = parse_address(where)
    if address.path and not os.path.isdir(parent_of(address.path)):
        raise store_error(
            "its folder does not exist, or may not be entered", address.shown, hint="make the folder first"
        )
    store = Store(address, clock or SystemClock(), patience)
    try:
        store.prepare()
    except BaseException:
        store.close()
        raise
    return store


class Store:
    """What `open_store` gives. It can be used from many threads, and by a process that was forked from ours."""

    def __init__(self, address: Address, clock: Clock, patience: float) -> None:
        self.clock = clock
        self.engine: Engine = make_engine(address, patience)
        self.tables: ModuleType = tables
        self._address = address
        self._patience = patience
        self._mine = threading.local()
        self._turn = threading.RLock() if address.in_memory else None
        self._writers: list[BatchWriter] = []
        self._process = os.getpid()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Store {self.url}>"

    @property
    def url(self) -> str:
        """Where the store is, without its password."""
        return self._address.shown

    def close(self) -> None:
        """Write what batch writers still hold, and let go of all connections."""
        with ExitStack() as stack:
            # What one of them cannot write must not keep the others from it.
            stack.callback(self.engine.dispose)
            for writer in reversed(self._writers):
                stack.callback(writer.close)

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One transaction that may write; it is committed when the block ends, and undone if the block raises.

        It has the right to write from its start on: it waits for other writers before the block, never in it.
        """
        if getattr(self._mine, "connection", None) is not None:
            raise RuntimeError(
                f"{self.url}: a transaction is open in this thread already; use its connection, or end it first"
            )
        with self._transaction(writes=True) as connection:
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """One transaction that only reads, and sees one state of the store; within `write`, what that has written."""
        outer: Connection | None = getattr(self._mine, "connection", None)
        if outer is not None:
            yield outer
            return
        with self._transaction(writes=False) as connection:
            yield connection

    def transact(self, work: Callable[[Connection], T], again: Callable[[], object] = bool) -> T:
        """Do the work in one writing transaction, and all of it again if the connection is lost meanwhile.

        It may have been lost after the work was kept: `again` is called before it is done once more.
        """
        deadline = time.monotonic() + self._patience
        while True:
            try:
                with self.write() as connection:
                    return work(connection)
            except StoreError as error:
                if not was_lost(error.__cause__) or time.monotonic() >= deadline:
                    raise
                self._pause()
                again()

    def append(self, table: Table, rows: Sequence[Row]) -> None:
        """Add rows. Once this returns they are on disk, and outlive this process and the machine's power."""
        if not rows:
            return
        self.insert(table, [complete_row(table, row) for row in rows])

    def insert(self, table: Table, complete: list[dict[str, Any]]) -> None:
        """Add rows that `complete_row` has given, as `append` does."""
        statement = table.insert()

        def work(connection: Connection) -> None:
            nonlocal statement
            insert_rows(connection, statement, complete)

        def again() -> None:
            # The connection may have been lost after the rows were kept, and before we heard of it.
            nonlocal statement
            statement = postgresql.insert(table).on_conflict_do_nothing()

        self.transact(work, again)

    def attach(self, writer: BatchWriter) -> None:
        """Remember a writer that has to be closed before the store is."""
        self._writers.append(writer)

    def detach(self, writer: BatchWriter) -> None:
        """Forget a writer that is closed."""
        if writer in self._writers:
            self._writers.remove(writer)

    def prepare(self) -> None:
        """Bring the schema to ours."""
        if self._address.kind == "sqlite" and not self._address.in_memory:
            self._use_wal()
        with self.read() as connection:
            if is_current(connection, self.url):
                return
        with self.write() as connection:
            upgrade(connection, self.url)

    @contextmanager
    def _transaction(self, *, writes: bool) -> Iterator[Connection]:
        self._after_fork()
        if self._turn is not None:
            self._turn.acquire()
        try:
            with self._translated(), self._begun(writes=writes) as connection:
                self._mine.connection = connection
                try:
                    yield connection
                finally:
                    self._mine.connection = None
        finally:
            if self._turn is not None:
                self._turn.release()

    @contextmanager
    def _begun(self, *, writes: bool) -> Iterator[Connection]:
        connection = self._connected(writes=writes)
        try:
            yield connection
            connection.commit()
        except BaseException:
            with suppress(DBAPIError):  # what undoing fails of is undone by the database
                connection.rollback()
            raise
        finally:
            with suppress(DBAPIError):
                connection.close()

    def _connected(self, *, writes: bool) -> Connection:
        """A connection in a transaction that has begun; a server that is away for a moment is waited for."""
        deadline = time.monotonic() + self._patience
        while True:
            connection: Connection | None = None
            try:
                connection = self.engine.connect().execution_options(**options_of(self.engine, writes=writes))
                connection.begin()
            except DBAPIError as error:
                if connection is not None:
                    with suppress(DBAPIError):
                        connection.close()
                if not was_lost(error) or time.monotonic() >= deadline:
                    raise
                self._pause()
            else:
                return connection

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (IntegrityError, DataError):
            raise  # what the caller wrote is wrong, not the store
        except (DBAPIError, PoolTimeout) as error:
            raise self._explained(error) from error

    def _explained(self, error: SQLAlchemyError) -> StoreError:
        problem = explained(getattr(error, "orig", None) or error, self.url).problems[0]
        message, hint = (without_secrets(self._address, text) for text in (problem.message, problem.hint))
        return store_error(message, problem.file, hint=hint)

    def _use_wal(self) -> None:
        """Let readers and a writer work side by side. The file keeps the mode; changing it needs the file alone."""
        try:
            with closing(self.engine.raw_connection()) as connection, closing(connection.cursor()) as cursor:
                if cursor.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                    cursor.execute("PRAGMA journal_mode = WAL")
        except sqlite3.Error as error:  # it has come past SQLAlchemy
            raise explained(error, self.url) from error

    def _pause(self) -> None:
        threading.Event().wait(_PAUSE)

    def _after_fork(self) -> None:
        """A connection must be used only by the process that opened it."""
        if self._process != os.getpid():
            self._process = os.getpid()
            self.engine.dispose(close=False)
