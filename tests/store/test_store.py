"""A store keeps what it acknowledged, and nothing else; SQLite and PostgreSQL do the same."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, func, select
from sqlalchemy.exc import IntegrityError

from store.postgres_server import PostgresServer
from understudy.core.portable import portable_text
from understudy.store import Store, open_store

HOSTILE = {
    "NUL": "before\0after",
    "half a character": "a\ud800b",
    "SQL": "'); DROP TABLE execution_log; --",
    "percent and colon": "100% of %(name)s and :name and {braces}",
    "control characters": "\x01\x1b[31m\x7f",
    "beyond the plane": "\U0001f9ea\u202e\ufeff\ufffe",
    "empty": "",
    "long": "x" * 1_000_000,
}


def entry(**columns: Any) -> dict[str, Any]:
    """A row of the execution log."""
    return {"context_id": "c", "operation": "list", "recorded_at": "2026-01-01T00:00:00", **columns}


def entries(store: Store) -> list[dict[str, Any]]:
    """What the execution log holds, in the order of writing."""
    table = store.tables.execution_log
    with store.read() as connection:
        return [dict(row) for row in connection.execute(table.select().order_by(table.c.sequence)).mappings()]


def test_what_was_appended_is_there_for_whoever_opens_the_store_next(place: str) -> None:
    with open_store(place) as store:
        store.append(store.tables.execution_log, [entry(operation="a"), entry(operation="b", units=7)])
    with open_store(place) as store:
        found = entries(store)
    assert [(row["operation"], row["units"], row["kind"], row["is_replay"]) for row in found] == [
        ("a", 0, "call", False),
        ("b", 7, "call", False),
    ]
    assert len({row["entry_id"] for row in found}) == 2
    assert found[0]["sequence"] < found[1]["sequence"]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_kept_and_does_nothing(store: Store, text: str) -> None:
    details = {"text": text, text: [text, {"deep": text}]}
    store.append(
        store.tables.execution_log,
        [entry(operation=text, context_id=text, parent_context_id=text, details=details)],
    )
    (row,) = entries(store)
    assert row["operation"] == row["context_id"] == row["parent_context_id"] == portable_text(text)
    assert row["details"] == details
    table = store.tables.execution_log
    with store.read() as connection:
        assert connection.execute(select(func.count()).where(table.c.context_id == text)).scalar() == 1


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(alphabet=st.characters()), details=st.dictionaries(st.text(), JSON, max_size=4))
def test_any_text_and_any_data_comes_back_as_it_was(store: Store, text: str, details: dict[str, Any]) -> None:
    store.append(store.tables.execution_log, [entry(operation=text, details=details)])
    last = entries(store)[-1]
    assert (last["operation"], last["details"]) == (portable_text(text), details)


@pytest.mark.parametrize("value", [float("inf"), float("nan"), b"bytes", {1, 2}], ids=repr)
def test_what_is_no_json_is_refused_by_every_database_alike(store: Store, value: Any) -> None:
    with pytest.raises(ValueError, match=r"a row cannot be written: .*JSON"):
        store.append(store.tables.execution_log, [entry(), entry(details={"value": value})])
    assert entries(store) == []


def test_a_transaction_that_raises_leaves_nothing(store: Store) -> None:
    table = store.tables.execution_log
    store.append(table, [entry(operation="kept")])

    def work(connection: Connection) -> None:
        connection.execute(table.insert(), [entry(operation="lost", entry_id="1", details={})])
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.transact(work)
    assert [row["operation"] for row in entries(store)] == ["kept"]


def test_a_row_that_is_there_already_is_the_callers_fault_and_says_so(store: Store) -> None:
    table = store.tables.execution_log
    store.append(table, [entry(entry_id="one")])
    with pytest.raises(IntegrityError):
        store.append(table, [entry(entry_id="two"), entry(entry_id="one")])
    assert [row["entry_id"] for row in entries(store)] == ["one"]


def test_an_unknown_column_is_refused_with_the_nearest(store: Store) -> None:
    with pytest.raises(
        ValueError, match=r"execution_log has no column 'operatoin': did you mean 'operation'\?"
    ):
        store.append(store.tables.execution_log, [{"operatoin": "list"}])
    assert entries(store) == []


def test_a_read_sees_one_state_whatever_is_written_meanwhile(store: Store) -> None:
    table = store.tables.execution_log
    store.append(table, [entry()])
    count = select(func.count()).select_from(table)
    with store.read() as connection:
        before = connection.execute(count).scalar()
        writer = threading.Thread(target=store.append, args=(table, [entry()]))
        writer.start()
        writer.join()
        assert connection.execute(count).scalar() == before == 1
    assert len(entries(store)) == 2


def test_a_read_within_a_write_sees_what_was_written(store: Store) -> None:
    table = store.tables.execution_log
    with store.write() as connection:
        connection.execute(table.insert(), [entry(entry_id="1", details={})])
        assert len(entries(store)) == 1


def test_a_write_within_a_write_is_refused_instead_of_waiting_for_itself(store: Store) -> None:
    with store.write(), pytest.raises(RuntimeError, match="a transaction is open in this thread"):
        store.append(store.tables.execution_log, [entry()])


def test_writers_in_many_threads_wait_for_each_other(store: Store) -> None:
    table = store.tables.execution_log

    def write(name: int) -> None:
        for number in range(10):
            store.append(table, [entry(operation=f"{name}/{number}")])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(8)))
    assert {row["operation"] for row in entries(store)} == {f"{a}/{b}" for a in range(8) for b in range(10)}


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_a_forked_process_does_not_share_connections_with_its_parent(store: Store) -> None:
    table = store.tables.execution_log
    store.append(table, [entry(operation="before")])
    child = os.fork()
    if child == 0:  # pragma: no cover - another process
        code = 1
        try:
            store.append(table, [entry(operation="child")])
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    store.append(table, [entry(operation="after")])
    assert [row["operation"] for row in entries(store)] == ["before", "child", "after"]


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_a_forked_process_has_a_connection_of_its_own_to_the_server(server: PostgresServer) -> None:
    def backend(store: Store) -> Any:
        with store.read() as connection:
            return connection.execute(select(func.pg_backend_pid())).scalar()

    with open_store(server.empty_place()) as store:
        before = backend(store)
        child = os.fork()
        if child == 0:  # pragma: no cover - another process
            code = 1
            try:
                code = 0 if backend(store) != before else 2
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert backend(store) == before


def test_who_will_write_has_the_right_to_from_its_first_read_on(tmp_path: Path) -> None:
    """Or what was read could be out of date when it is time to write, for which no waiting helps."""
    with open_store(tmp_path / "store.sqlite") as store, ThreadPoolExecutor(4) as pool:
        table = store.tables.execution_log
        begin = threading.Barrier(4)

        def count_up(number: int) -> None:
            begin.wait(30)
            for _ in range(10):
                with store.write() as connection:
                    highest = connection.execute(select(func.max(table.c.units))).scalar() or 0
                    row = entry(units=highest + 1, entry_id=str(highest + 1), details={})
                    connection.execute(table.insert(), [row])

        list(pool.map(count_up, range(4)))
        assert sorted(row["units"] for row in entries(store)) == list(range(1, 41))


def test_many_may_open_a_new_store_at_once(place: str) -> None:
    with ExitStack() as stack, ThreadPoolExecutor(6) as pool:
        stores = [stack.enter_context(store) for store in pool.map(open_store, [place] * 6)]
        for number, store in enumerate(stores):
            store.append(store.tables.execution_log, [entry(operation=str(number))])
        assert len(entries(stores[0])) == 6


def test_a_store_in_memory_is_shared_by_threads_and_gone_when_it_is_closed() -> None:
    with open_store("sqlite://") as store, ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: store.append(store.tables.execution_log, [entry(units=n)]), range(40)))
        assert sorted(row["units"] for row in entries(store)) == list(range(40))
    with open_store("sqlite://") as store:
        assert entries(store) == []


def test_the_file_is_in_wal_mode_and_every_commit_is_synced(tmp_path: Path) -> None:
    with open_store(tmp_path / "store.sqlite") as store, store.read() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2


def test_what_a_store_shows_of_itself_has_no_password(store: Store) -> None:
    assert "s3cret" not in repr(store)
    assert store.url in repr(store)
