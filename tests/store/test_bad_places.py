"""A store that cannot be used says which, why, and what to do; what was in it stays."""

from __future__ import annotations

import resource
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import event

from store.postgres_server import PASSWORD, PostgresServer
from store.test_store import entries, entry
from understudy.store import Store, StoreError, open_store
from unmeasured import unmeasured

BIG = "x" * 100_000


def said_of(place: str | Path, patience: float = 0.1) -> str:
    """What is said when a store is opened that cannot be."""
    with pytest.raises(StoreError) as caught:
        open_store(place, patience=patience)
    return str(caught.value)


def garbage(file: Path) -> None:
    file.write_bytes(b"this is no database at all, " * 1000)


def torn(file: Path) -> None:
    with open_store(file) as store:
        store.append(store.tables.execution_log, [entry(operation=BIG)] * 3)
    data = file.read_bytes()
    file.write_bytes(data[:100] + b"\xa5" * (len(data) - 100))


@pytest.mark.parametrize("damage", [garbage, torn])
def test_what_is_no_database_is_left_alone(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    file = tmp_path / "store.sqlite"
    damage(file)
    before = file.read_bytes()
    assert said_of(file).startswith(f"{file}: is no SQLite database, or is damaged (")
    assert file.read_bytes() == before


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    assert said_of(tmp_path) == (
        f"{tmp_path}: cannot be opened (its folder must exist and be writable, and it must be a file)"
    )


def test_a_folder_that_is_missing_is_not_made(tmp_path: Path) -> None:
    file = tmp_path / "gone" / "store.sqlite"
    assert (
        said_of(file) == f"{file}: its folder does not exist, or may not be entered (make the folder first)"
    )
    assert not file.parent.exists()


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    (tmp_path / "store.sqlite").touch()
    with open_store(tmp_path / "store.sqlite") as store:
        assert entries(store) == []


def test_a_locked_file_is_told_after_some_patience(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    with open_store(file, patience=0.05) as store:
        with closing(sqlite3.connect(file, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreError, match=r"is locked by another process .wait for it to end"):
                store.append(store.tables.execution_log, [entry()])
        store.append(store.tables.execution_log, [entry(operation="later")])
        assert [row["operation"] for row in entries(store)] == ["later"]


def test_a_new_file_that_somebody_locks_is_told_when_it_is_opened(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert "is locked by another process" in said_of(file)


def test_a_lock_that_is_let_go_in_time_is_waited_for(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    with open_store(file) as store:
        other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
        other.execute("BEGIN IMMEDIATE")
        waiting = threading.Thread(target=store.append, args=(store.tables.execution_log, [entry()]))
        waiting.start()
        other.execute("COMMIT")
        other.close()
        waiting.join()
        assert len(entries(store)) == 1


def limit_pages(store: Store, pages: int) -> None:
    """Let a file not grow any more, as on a disk that is full."""

    def limit(connection: Any, record: object) -> None:
        connection.execute(f"PRAGMA max_page_count = {pages}")

    event.listen(store.engine, "connect", limit)
    store.engine.dispose()


def write_until_refused(store: Store) -> tuple[int, str]:
    """How many rows were acknowledged, and what was said to the first that was not."""
    number = 0
    while True:
        try:
            store.append(store.tables.execution_log, [entry(operation=BIG)])
        except StoreError as error:
            return number, str(error)
        number += 1


def test_a_full_disk_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    with open_store(file) as store:
        limit_pages(store, 100)
        kept, said = write_until_refused(store)
        assert (
            said
            == f"{file}: cannot grow: the disk is full (free some space, or delete old rows with prune())"
        )
        assert 0 < kept < 10
        assert len(entries(store)) == kept
    with open_store(file) as store:
        store.append(store.tables.execution_log, [entry(operation="there is room again")])
        assert len(entries(store)) == kept + 1


CHILD = "import sys\nfrom store.test_bad_places import {0}\n{0}(*sys.argv[1:])"


def in_a_child(name: str, *arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Call a function of this module in a process of its own, which it may spoil."""
    paths = [path for path in sys.path if path]
    environment = unmeasured(PYTHONPATH=":".join(paths))
    command = [sys.executable, "-c", CHILD.format(name), *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, **options)


def fill_up(file: str) -> None:
    """Write until the system refuses; say how many rows were acknowledged, and why no more."""
    with open_store(file) as store:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, resource.RLIM_INFINITY))
        print(*write_until_refused(store), sep="\n")


def test_a_system_that_refuses_to_write_loses_nothing_either(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    done = in_a_child("fill_up", file)
    assert done.returncode == 0, done.stderr
    number, said = done.stdout.splitlines()
    assert said == (
        f"{file}: cannot be read or written: the disk refuses (see whether it is full or failing)"
    )
    with open_store(file) as store:
        assert len(entries(store)) == int(number) > 0


def open_as_nobody(file: str) -> None:
    """Open a store as a user who may not write it."""
    import os

    if os.geteuid() == 0:
        os.setuid(65534)
    try:
        with open_store(file, patience=0.1) as store:
            store.append(store.tables.execution_log, [entry()])
    except StoreError as error:
        print(error)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter, other than pytest's."""
    with TemporaryDirectory(prefix="understudy-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.mark.parametrize("exists", [True, False])
def test_a_read_only_place_is_told(open_folder: Path, exists: bool) -> None:
    file = open_folder / "store.sqlite"
    if exists:
        open_store(file).close()
        file.chmod(0o444)
    open_folder.chmod(0o555)
    done = in_a_child("open_as_nobody", file)
    open_folder.chmod(0o755)
    assert done.returncode == 0, done.stderr
    reasons = (
        "may not be written (make the file and its folder writable",
        "cannot be opened (its folder must",
    )
    assert done.stdout.startswith(tuple(f"{file}: {reason}" for reason in reasons))


def test_a_folder_that_may_not_be_entered_is_told(open_folder: Path) -> None:
    (open_folder / "closed").mkdir(mode=0o000)
    done = in_a_child("open_as_nobody", open_folder / "closed" / "inner" / "store.sqlite")
    assert done.returncode == 0, done.stderr
    assert "its folder does not exist, or may not be entered" in done.stdout


def test_a_wrong_password_is_told_at_once_and_not_shown(server: PostgresServer) -> None:
    url = server.url("postgres").replace("s3cret", "wr0ng")
    said = said_of(url, patience=600)
    assert "refuses the user or the password (check both in the URL)" in said
    assert "wr0ng" not in said
    assert "understudy:***@127.0.0.1" in said


def test_a_database_that_does_not_exist_is_told_at_once(server: PostgresServer) -> None:
    said = said_of(server.url("no such"), patience=600)
    assert said.endswith(
        "there is no database of this name (make it with: createdb no such; or name another one)"
    )


def test_a_server_that_does_not_run_is_told_after_some_patience() -> None:
    said = said_of(f"postgresql://ann:{PASSWORD.replace('@', '%40').replace('/', '%2f')}@127.0.0.1:1/runs")
    assert "postgresql://ann:***@127.0.0.1:1/runs: cannot be used: connection" in said
    assert "see whether the server runs, and try again" in said
    assert PASSWORD not in said


def test_a_message_of_the_server_does_not_give_the_password_away(server: PostgresServer) -> None:
    statement = f"DO $$ BEGIN RAISE EXCEPTION 'it is {PASSWORD}' USING ERRCODE = '55000'; END $$"
    with open_store(server.new_place()) as store, pytest.raises(StoreError) as caught:
        store.transact(lambda connection: connection.exec_driver_sql(statement))
    assert "cannot be used: it is <secret 1>" in str(caught.value)
    assert PASSWORD not in str(caught.value)


def test_a_user_without_rights_is_told(server: PostgresServer) -> None:
    url = server.new_database()
    database = url.rpartition("/")[2]
    server.execute(sql.SQL("CREATE ROLE guest LOGIN PASSWORD 'guest'"))
    server.execute(sql.SQL("REVOKE CREATE ON SCHEMA public FROM PUBLIC"), database)
    try:
        said = said_of(f"postgresql://guest:guest@127.0.0.1:{server.port}/{database}")
    finally:
        server.execute(sql.SQL("DROP ROLE guest"))
    assert "gives the user no right to this (let its owner GRANT what the message names)" in said


def test_a_table_that_somebody_has_locked_is_told_after_some_patience(server: PostgresServer) -> None:
    place = server.new_place()
    with open_store(place, patience=0.1) as store:
        with psycopg.connect(place) as other:
            other.execute("LOCK TABLE execution_log IN ACCESS EXCLUSIVE MODE")
            with pytest.raises(StoreError, match=r"is locked by another transaction .wait for it to end"):
                store.append(store.tables.execution_log, [entry()])
        store.append(store.tables.execution_log, [entry(operation="later")])
        assert [row["operation"] for row in entries(store)] == ["later"]
