"""The quick way into a SQLite file makes and finds what the thorough one does, and imports no library for it."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from store.test_schema import migrate, raw_store, revision
from store.test_store import entries, entry
from understudy.store import StoreError, open_store, quick
from understudy.store.quick import SCHEMA_FILE, schema_of
from understudy.store.reach import Reach, reached
from understudy.store.revisions import HEAD, VERSION_TABLE
from unmeasured import unmeasured

RUN = {
    "id": "r1",
    "project": "",
    "environment": "",
    "started_at": "2026",
    "finished_at": "2026",
    "stopped": "",
    "summary": "{}",
    "plan": "{}",
}


def ids(reach: Reach) -> list[str]:
    with reach.read() as sql:
        return [row["id"] for row in sql.rows("SELECT id FROM runs ORDER BY id")]


def add(reach: Reach, *names: str) -> None:
    with reach.write() as sql:
        sql.add("runs", ({**RUN, "id": name} for name in names))


def test_a_file_is_made_as_the_migrations_would(tmp_path: Path) -> None:
    thorough, quick = tmp_path / "thorough.sqlite", tmp_path / "quick.sqlite"
    open_store(thorough).close()
    with reached(quick) as reach:
        assert ids(reach) == []
    schemas = []
    for file in (thorough, quick):
        with closing(sqlite3.connect(file)) as connection:
            schemas.append(schema_of(connection))
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert schemas[1] == schemas[0], f"after a migration is added, write the second into store/{SCHEMA_FILE}"


def test_both_ways_read_what_the_other_wrote(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    with reached(file) as reach:
        add(reach, "quick")
    with open_store(file) as store:
        assert revision(store) == HEAD
        store.append(store.tables.runs, [{**RUN, "id": "thorough", "summary": {}, "plan": {}}])
        store.append(store.tables.execution_log, [entry()])
        assert len(entries(store)) == 1
    with reached(file) as reach:
        assert ids(reach) == ["quick", "thorough"]


def test_the_quick_way_imports_no_library(tmp_path: Path) -> None:
    program = (
        "import sys\nfrom understudy.store.reach import reached\n"
        "from understudy.store import case_history, runs\n"
        "with reached(sys.argv[1]) as store:\n    runs.kept_runs(store)\n"
        "print(*sorted({name.partition('.')[0] for name in sys.modules} - set(sys.stdlib_module_names)))"
    )
    command = [sys.executable, "-I", "-c", program, str(tmp_path / "store.sqlite")]
    done = subprocess.run(command, env=unmeasured(), capture_output=True, text=True, check=True)
    assert "sqlalchemy" not in done.stdout.split()
    assert {"pydantic", "alembic", "rich", "click"}.isdisjoint(done.stdout.split())


def test_a_transaction_is_kept_whole_or_not_at_all(reach: Reach) -> None:
    add(reach, "before")

    def fail() -> None:
        with reach.write() as sql:
            sql.add("runs", [{**RUN, "id": "lost"}])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert ids(reach) == ["before"]
    add(reach, "after")
    assert ids(reach) == ["after", "before"]


def test_a_thousand_rows_and_hostile_text_are_added(reach: Reach) -> None:
    add(reach, *(f"{number:04}\0\ud800'); DROP TABLE runs; --" for number in range(1203)))
    found = ids(reach)
    assert len(found) == 1203
    assert found[1202] == "1202\\x00\\ud800'); DROP TABLE runs; --"
    add(reach)
    with reach.write() as sql:
        assert sql.change("DELETE FROM runs WHERE id < :id", {"id": "1"}) == 1000


def test_an_older_file_is_migrated(tmp_path: Path) -> None:
    file = str(tmp_path / "store.sqlite")
    with raw_store(file) as store, store.write() as connection:
        migrate(connection, "0001")
    with reached(file) as reach:
        add(reach, "r1")
        assert ids(reach) == ["r1"]
    with open_store(file) as store:
        assert revision(store) == HEAD


def test_a_newer_file_is_refused_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    open_store(file).close()
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(f"UPDATE {VERSION_TABLE} SET version_num = '9999'")
    with (
        reached(file) as reach,
        pytest.raises(StoreError, match=r"was written by a newer Understudy: .*'9999'"),
    ):
        ids(reach)


def test_tables_of_somebody_else_are_not_touched(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE runs (distance INTEGER)")
    with reached(file) as reach, pytest.raises(StoreError, match="has other tables than ours"):
        ids(reach)
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("runs",)]


@pytest.mark.parametrize("what", ["garbage", "folder", "missing folder", "locked"])
def test_what_cannot_be_used_says_why(tmp_path: Path, what: str) -> None:
    file = tmp_path / ("gone/store.sqlite" if what == "missing folder" else "store.sqlite")
    said = {
        "garbage": "is no SQLite database, or is damaged",
        "folder": "cannot be opened",
        "missing folder": "its folder does not exist, or may not be entered",
        "locked": "is locked by another process",
    }[what]
    with closing(sqlite3.connect(tmp_path / "store.sqlite" if what == "locked" else ":memory:")) as other:
        other.isolation_level = None
        if what == "garbage":
            file.write_bytes(b"no database, " * 1000)
        elif what == "folder":
            file.mkdir()
        elif what == "locked":
            other.execute("BEGIN EXCLUSIVE")
        with reached(file, patience=0.05) as reach, pytest.raises(StoreError, match=said):
            ids(reach)


def test_tables_that_another_process_has_just_made_are_not_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "store.sqlite"
    real, looked = quick._revision, []

    def slow(connection: sqlite3.Connection, where: str) -> str:
        found = real(connection, where)
        looked.append(found)
        if len(looked) == 1:
            with reached(file) as other:
                add(other, "theirs")
        return found

    monkeypatch.setattr(quick, "_revision", slow)
    with reached(file) as reach:
        add(reach, "ours")
        assert ids(reach) == ["ours", "theirs"]
    assert looked[0] == ""


ADD = """
import sys
from understudy.store.reach import reached
from understudy.store.runs import keep_run
from understudy.core.report import Report, Summary
print("ready", flush=True)
sys.stdin.readline()
for number in range(5):
    with reached(sys.argv[1], patience=60) as reach:
        keep_run(reach, Report(Summary(), [], started_at="2026-01-01T00:00:00+00:00"))
"""


def test_many_processes_may_make_a_file_at_once(tmp_path: Path) -> None:
    file = str(tmp_path / "store.sqlite")
    pipes: dict[str, Any] = {
        "stdin": subprocess.PIPE,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        "text": True,
    }
    running = [
        subprocess.Popen([sys.executable, "-c", ADD, file], env=unmeasured(), **pipes) for _ in range(6)
    ]
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    assert [process.communicate("go\n")[1] for process in running] == [""] * 6
    with reached(file) as reach:
        assert len(ids(reach)) == 30
