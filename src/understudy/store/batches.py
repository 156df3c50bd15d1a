"""Rows from many threads, written by one thread in transactions that they share: one sync for hundreds of rows."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from sqlalchemy import Connection, Table
from sqlalchemy.exc import IntegrityError

from understudy.store.errors import StoreError, store_error
from understudy.store.rows import complete_row, insert_rows
from understudy.store.store import Store

MAX_ROWS = 500
MAX_DELAY = 0.02
_WAITING_BATCHES = 20


class _Batch:
    """Rows that are written together, and what came of them."""

    __slots__ = ("done", "errors", "rows")

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.done = threading.Event()
        self.errors: dict[int, BaseException] = {}


class _Work:
    """What is still to be written, in the process that it was handed over in."""

    def __init__(self, *, closed: bool = False) -> None:
        self.process = os.getpid()
        self.changed = threading.Condition()
        self.full: list[_Batch] = []
        self.open = _Batch()
        self.writing = False
        self.hurry = False
        self.closed = closed
        self.error: BaseException | None = None
        self.thread: threading.Thread | None = None


class Ticket:
    """The receipt for a row. Once `wait` has returned, the row is on disk."""

    __slots__ = ("_batch", "_index")

    def __init__(self, batch: _Batch, index: int) -> None:
        self._batch = batch
        self._index = index

    @property
    def done(self) -> bool:
        """True once the row is on disk, or could not be written."""
        return self._batch.done.is_set()

    def wait(self, timeout: float | None = None) -> None:
        """Wait until the row is on disk; raises what kept it from there, or TimeoutError."""
        if not self._batch.done.wait(timeout):
            raise TimeoutError(f"the row was not written within {timeout} s")
        error = self._batch.errors.get(self._index)
        if error is not None:
            raise error


class BatchWriter:
    """Writes rows to one table in the background: a batch as soon as it is full or `max_delay` seconds old.

    `add` waits only while very many rows are not written yet. A row that the table refuses spoils only itself.
    What could not be written is raised by its ticket, and by the next `flush` or `close`.

    >>> from understudy.store import open_store
    >>> store = open_store("sqlite://")
    >>> writer = BatchWriter(store, store.tables.security_events)
    >>> writer.add({"kind": "trust_claim", "recorded_at": "2026-01-01T00:00:00+00:00"}).wait()
    >>> store.close()
    """

    def __init__(
        self, store: Store, table: Table, max_rows: int = MAX_ROWS, max_delay: float = MAX_DELAY
    ) -> None:
        if max_rows < 1 or max_delay < 0:
            raise ValueError(
                f"a batch has at least one row and no negative delay, not {max_rows} and {max_delay}"
            )
        self._store = store
        self._table = table
        self._max_rows = max_rows
        self._max_delay = max_delay
        self._work = _Work()
        store.attach(self)
        # A program that ends without closing has not asked for its last rows to be thrown away.
        atexit.register(self.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def add(self, row: Mapping[str, Any]) -> Ticket:
        """Hand over a row, which must not be changed any more."""
        complete = complete_row(self._table, row)
        work = self._work_here()
        with work.changed:
            if work.closed:
                raise store_error("the batch writer is closed", self._store.url, hint="make another one")
            while len(work.full) >= _WAITING_BATCHES:
                work.changed.wait()
            if work.thread is None:
                work.thread = threading.Thread(
                    target=self._serve, args=(work,), name="understudy-store", daemon=True
                )
                work.thread.start()
            batch = work.open
            batch.rows.append(complete)
            if len(batch.rows) == 1:
                work.changed.notify_all()
            if len(batch.rows) >= self._max_rows:
                work.full.append(batch)
                work.open = _Batch()
                work.changed.notify_all()
            return Ticket(batch, len(batch.rows) - 1)

    def flush(self) -> None:
        """Wait until everything that was added is on disk; raises the first thing that is not."""
        work = self._work_here()
        with work.changed:
            work.hurry = True
            work.changed.notify_all()
            while work.full or work.open.rows or work.writing:
                work.changed.wait()
            work.hurry = work.closed
            error, work.error = work.error, None
        if error is not None:
            raise error

    def close(self) -> None:
        """Write what is left, and end the thread; a second time does nothing."""
        atexit.unregister(self.close)
        self._store.detach(self)
        work = self._work_here()
        with work.changed:
            if work.closed:
                return
            work.closed = True
        try:
            self.flush()
        finally:
            if work.thread is not None:
                work.thread.join()

    def _work_here(self) -> _Work:
        """The work of this process; in one that was forked, the thread and its rows stayed with the parent."""
        if self._work.process != os.getpid():
            self._work = _Work(closed=self._work.closed)
        return self._work

    def _serve(self, work: _Work) -> None:
        while (batch := _next(work, self._max_delay)) is not None:
            try:
                batch.errors = self._written(batch)
            except BaseException as error:  # whatever it is: somebody waits for this thread to tell it
                batch.errors = dict.fromkeys(range(len(batch.rows)), error)
            _finish(work, batch)

    def _written(self, batch: _Batch) -> dict[int, BaseException]:
        """Write a batch; the errors of the rows that are not."""
        try:
            self._store.insert(self._table, batch.rows)
        except StoreError:
            raise
        except (IntegrityError, ValueError):
            return self._one_by_one(batch)
        return {}

    def _one_by_one(self, batch: _Batch) -> dict[int, BaseException]:
        """Find the rows that are wrong, and write the others."""

        def insert_each(connection: Connection) -> dict[int, BaseException]:
            errors: dict[int, BaseException] = {}
            for index, row in enumerate(batch.rows):
                try:
                    with connection.begin_nested():
                        insert_rows(connection, self._table.insert(), [row])
                except (IntegrityError, ValueError) as error:
                    errors[index] = error
            return errors

        return self._store.transact(insert_each)


def _next(work: _Work, max_delay: float) -> _Batch | None:
    """The batch to write next, once there is one; None once all is written and nothing more will come."""
    with work.changed:
        while True:
            if not work.full and work.open.rows:
                if not work.hurry:
                    work.changed.wait_for(lambda: bool(work.full) or work.hurry, max_delay)
                if not work.full:
                    work.full.append(work.open)
                    work.open = _Batch()
            if work.full:
                work.writing = True
                batch = work.full.pop(0)
                work.changed.notify_all()
                return batch
            if work.closed:
                return None
            work.changed.wait()


def _finish(work: _Work, batch: _Batch) -> None:
    batch.done.set()
    with work.changed:
        work.writing = False
        if batch.errors and work.error is None:
            work.error = batch.errors[min(batch.errors)]
        work.changed.notify_all()
