"""Many processes write at once and lose nothing; one that is killed has lost nothing that it was told is kept."""

from __future__ import annotations

import signal
import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing

import pytest
from sqlalchemy import select

from store import writers
from store.postgres_server import PostgresServer
from understudy.store import BatchWriter, Store, open_store
from understudy.store.reach import reached
from understudy.store.runs import kept_runs, outcomes_of


def operations(place: str) -> Counter[str]:
    """How often each operation stands in the execution log."""
    with open_store(place) as store, store.read() as connection:
        return Counter(connection.execute(select(store.tables.execution_log.c.operation)).scalars())


def test_eight_processes_lose_nothing(place: str) -> None:
    running = [writers.start("some", place, str(name)) for name in range(8)]
    assert [(process.communicate()[1], process.returncode) for process in running] == [("", 0)] * 8
    assert operations(place) == Counter(f"{name}/{number}" for name in range(8) for number in range(320))


def test_a_process_that_is_killed_keeps_every_row_that_was_acknowledged(place: str) -> None:
    process = writers.start("endlessly", place, "row")
    assert process.stdout is not None
    acknowledged = [process.stdout.readline().strip() for _ in range(400)]
    process.send_signal(signal.SIGKILL)  # in the middle of some write or other
    said, _ = process.communicate()
    acknowledged += [line for line in said.splitlines(keepends=False) if line.startswith("row/")]
    found = operations(place)
    # The last line may have been cut while it was written; a row of its beginning is there anyway.
    assert [row for row in acknowledged if row not in found] == []
    assert set(found.values()) == {1}
    with open_store(place) as store:
        store.append(store.tables.execution_log, [writers.entry(operation="afterwards")])
    assert operations(place)["afterwards"] == 1


def test_a_file_whose_writer_was_killed_is_whole(tmp_path: object) -> None:
    place = f"{tmp_path}/store.sqlite"
    process = writers.start("endlessly", place, "row")
    assert process.stdout is not None
    process.stdout.readline()
    process.kill()
    process.communicate()
    with closing(sqlite3.connect(place)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_a_run_is_kept_whole_or_not_at_all_whenever_its_process_is_killed(place: str) -> None:
    process = writers.start("runs", place, "shop")
    assert process.stdout is not None
    kept = [process.stdout.readline().strip() for _ in range(2)]
    process.kill()  # while it keeps the next one
    said, _ = process.communicate()
    kept += [line for line in said.splitlines() if len(line) == len(kept[0])]
    with reached(place) as store:
        found = kept_runs(store, "shop", most=1000)
        assert {run.id for run in found}.issuperset(kept[-4:])
        assert [len(list(outcomes_of(store, run.id))) for run in found] == [2000] * len(found)
        with store.read() as sql:
            (counted,) = sql.rows("SELECT COUNT(*) AS number FROM outcomes")
        assert counted["number"] == 2000 * len(found)


def test_a_program_that_ends_without_closing_loses_nothing(place: str) -> None:
    process = writers.start("without_closing", place, "row")
    said = process.communicate()
    assert process.returncode == 0, said
    assert operations(place) == Counter(f"row/{number}" for number in range(10))


STOPPING = {
    "in order": PostgresServer.stop,
    "as by a power cut": lambda server: server.stop(signal.SIGQUIT),
}


@pytest.mark.parametrize("stop", STOPPING.values(), ids=STOPPING)
def test_a_server_that_goes_away_and_comes_back_is_waited_for(
    server: PostgresServer, stop: Callable[[PostgresServer], None]
) -> None:
    place = server.new_place()
    with open_store(place, patience=60) as store:
        table = store.tables.execution_log
        writer = BatchWriter(store, table, max_rows=5)
        tickets = [writer.add(writers.entry(operation="before")) for _ in range(10)]
        for ticket in tickets:
            ticket.wait()
        stop(server)
        try:
            ticket = writer.add(writers.entry(operation="while it was away"))
            assert not ticket.done
        finally:
            server.start()
        ticket.wait(60)
        writer.close()
        store.append(table, [writers.entry(operation="after")])
    assert operations(place) == {"before": 10, "while it was away": 1, "after": 1}


def test_a_transaction_of_the_callers_own_is_not_done_twice_but_told(server: PostgresServer) -> None:
    """Only the caller knows whether what it has done so far may be done again."""
    place = server.new_place()
    with open_store(place, patience=60) as store:
        with pytest.raises(ValueError, match=r"cannot be used: .*terminating connection"):
            lose_the_server_within(store, server)
        store.append(store.tables.execution_log, [writers.entry(operation="after")])
    assert operations(place) == {"after": 1}


def lose_the_server_within(store: Store, server: PostgresServer) -> None:
    with store.write() as connection:
        connection.execute(store.tables.execution_log.insert(), [writers.entry(entry_id="1", details={})])
        server.stop()
        server.start()
        connection.execute(select(store.tables.execution_log))
