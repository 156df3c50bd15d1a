"""A batch writer loses no row that it took, tells of every one that is refused, and acknowledges none too early."""

from __future__ import annotations

import os
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy.exc import IntegrityError

from project.processes import wait_until
from store.losing_proxy import LosingProxy
from store.postgres_server import PostgresServer
from store.test_store import entries, entry
from understudy.store import BatchWriter, Store, StoreError, open_store


def operations(store: Store) -> list[str]:
    return [row["operation"] for row in entries(store)]


def names(*numbers: int) -> list[str]:
    return [str(number) for number in numbers]


def test_rows_are_kept_in_the_order_in_which_they_were_added(store: Store) -> None:
    with BatchWriter(store, store.tables.execution_log, max_rows=7) as writer:
        for number in range(100):
            writer.add(entry(operation=str(number)))
    assert operations(store) == names(*range(100))


def test_a_row_is_on_disk_once_its_ticket_says_so(store: Store) -> None:
    with BatchWriter(store, store.tables.execution_log) as writer:
        for number in range(5):
            ticket = writer.add(entry(operation=str(number)))
            ticket.wait(30)
            assert ticket.done
            assert operations(store)[-1] == str(number)


def test_a_lonely_row_does_not_wait_for_others_for_ever(store: Store) -> None:
    with BatchWriter(store, store.tables.execution_log, max_rows=1_000_000, max_delay=0.01) as writer:
        writer.add(entry()).wait(30)


def test_flush_writes_what_would_otherwise_wait(store: Store) -> None:
    writer = BatchWriter(store, store.tables.execution_log, max_delay=3600)
    ticket = writer.add(entry())
    assert not ticket.done
    writer.flush()
    assert ticket.done
    assert len(entries(store)) == 1


def test_closing_the_store_writes_what_is_left(place: str) -> None:
    store = open_store(place)
    writer = BatchWriter(store, store.tables.execution_log, max_delay=3600)
    writer.add(entry(operation="last"))
    store.close()
    with pytest.raises(StoreError, match=r"the batch writer is closed .make another one"):
        writer.add(entry())
    writer.close()
    with open_store(place) as again:
        assert operations(again) == ["last"]


def test_what_one_writer_cannot_write_does_not_keep_the_others_from_it(ready_place: str) -> None:
    store = open_store(ready_place)
    first, second, third = (BatchWriter(store, store.tables.execution_log, max_delay=3600) for _ in range(3))
    first.add(entry(operation="first"))
    second.add(entry(operation="second", units=2**80))
    third.add(entry(operation="third"))
    with pytest.raises(ValueError, match="a row cannot be written"):
        store.close()
    with open_store(ready_place) as again:
        assert sorted(operations(again)) == ["first", "third"]


def test_threads_share_a_writer(store: Store) -> None:
    with BatchWriter(store, store.tables.execution_log, max_rows=20) as writer, ThreadPoolExecutor(8) as pool:
        tickets = list(pool.map(lambda n: writer.add(entry(operation=str(n))), range(400)))
        for ticket in tickets:
            ticket.wait(60)
    assert sorted(operations(store), key=int) == names(*range(400))


def test_a_row_that_is_refused_spoils_only_itself(store: Store) -> None:
    writer = BatchWriter(store, store.tables.execution_log, max_delay=3600)
    good = [writer.add(entry(operation="1", entry_id="same")), writer.add(entry(operation="2"))]
    twice = writer.add(entry(operation="3", entry_id="same"))
    no_json = writer.add(entry(operation="4", details={"n": float("nan")}))
    too_large = writer.add(entry(operation="5", units=2**80))
    good.append(writer.add(entry(operation="6")))
    with pytest.raises(IntegrityError):
        writer.flush()
    writer.flush()  # what was told once is not told again
    for ticket in good:
        ticket.wait(0)
    with pytest.raises(IntegrityError):
        twice.wait(0)
    for ticket in (no_json, too_large):
        with pytest.raises(ValueError, match="a row cannot be written"):
            ticket.wait(0)
    assert operations(store) == names(1, 2, 6)


def test_an_unknown_column_is_refused_when_it_is_added(store: Store) -> None:
    writer = BatchWriter(store, store.tables.execution_log)
    with pytest.raises(ValueError, match="has no column 'operatoin'"):
        writer.add({"operatoin": "x"})


def test_a_ticket_that_is_not_served_in_time_says_so(store: Store) -> None:
    writer = BatchWriter(store, store.tables.execution_log, max_delay=3600)
    ticket = writer.add(entry())
    with pytest.raises(TimeoutError, match="the row was not written within 0"):
        ticket.wait(0)
    writer.flush()


@pytest.mark.parametrize(("rows", "delay"), [(0, 1), (1, -1)])
def test_a_batch_of_nothing_is_refused(rows: int, delay: float) -> None:
    with open_store("sqlite://") as store, pytest.raises(ValueError, match="a batch has at least one row"):
        BatchWriter(store, store.tables.execution_log, rows, delay)


def test_who_adds_too_fast_waits_instead_of_filling_the_memory(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    with open_store(file, patience=60) as store:
        writer = BatchWriter(store, store.tables.execution_log, max_rows=1)
        added = 0

        def add() -> None:
            nonlocal added
            for number in range(200):
                writer.add(entry(operation=str(number)))
                added += 1

        with closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as other:
            other.execute("BEGIN IMMEDIATE")
            thread = threading.Thread(target=add)
            thread.start()
            wait_until(lambda: added >= 20, "a backlog")
            thread.join(0.05)
            assert thread.is_alive()
            assert added < 30
            other.execute("COMMIT")
        thread.join()
        writer.close()
        assert operations(store) == names(*range(200))


def test_what_could_not_be_written_is_told_by_ticket_and_by_close(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    with open_store(file, patience=0.05) as store:
        writer = BatchWriter(store, store.tables.execution_log)
        with closing(sqlite3.connect(file, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            ticket = writer.add(entry())
            with pytest.raises(StoreError, match="is locked by another process"):
                ticket.wait(30)
        with pytest.raises(StoreError, match="is locked by another process"):
            writer.close()
        assert entries(store) == []


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_a_forked_process_writes_its_own_rows_and_not_its_parents(store: Store) -> None:
    writer = BatchWriter(store, store.tables.execution_log, max_delay=3600)
    writer.add(entry(operation="parent"))
    child = os.fork()
    if child == 0:  # pragma: no cover - another process
        code = 1
        try:
            writer.add(entry(operation="child"))
            writer.flush()
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    writer.flush()
    assert operations(store) == ["child", "parent"]


def test_rows_whose_acknowledgement_got_lost_are_there_once(server: PostgresServer) -> None:
    with LosingProxy(server.port) as proxy:
        place = server.new_place().replace(f":{server.port}/", f":{proxy.port}/")
        with open_store(place, patience=60) as store:
            writer = BatchWriter(store, store.tables.execution_log, max_delay=3600)
            tickets = [writer.add(entry(operation=str(number))) for number in range(3)]
            proxy.lose_next()
            writer.flush()
            for ticket in tickets:
                ticket.wait(0)
            assert proxy.lost.is_set()
            proxy.lost.clear()
            proxy.lose_next()
            store.append(store.tables.execution_log, [entry(operation="3")])
            assert proxy.lost.is_set()
            assert operations(store) == names(0, 1, 2, 3)
