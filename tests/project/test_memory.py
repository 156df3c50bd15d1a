"""What a run remembers is a convenience: nothing that happens to the file can spoil a run."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from understudy.core.errors import InputError
from understudy.core.outcome import Known, Outcome, Status
from understudy.project.memory import Memory
from unmeasured import unmeasured


def outcome(name: str, status: Status = Status.PASSED, **more: object) -> Outcome:
    return Outcome(name, "tiny", name, status, duration_ms=1.5, **more)  # type: ignore[arg-type]  # few fields


@pytest.fixture
def warnings() -> list[str]:
    return []


@pytest.fixture
def memory(tmp_path: Path, warnings: list[str]) -> Memory:
    return Memory(tmp_path, warnings.append)


def test_a_project_without_a_memory_remembers_nothing_and_nothing_is_made(
    memory: Memory, tmp_path: Path
) -> None:
    assert (memory.failed(), memory.durations()) == ([], {})
    assert list(tmp_path.iterdir()) == []


def test_failed_and_errored_cases_are_remembered_but_not_known_ones_and_rows(memory: Memory) -> None:
    memory.remember(
        [
            outcome("z", Status.FAILED),
            outcome("a", Status.ERRORED),
            outcome("ok"),
            outcome("skipped", Status.SKIPPED),
            outcome("known", Status.FAILED, known=Known("under repair")),
            outcome("row", Status.FAILED, parent="ok"),
        ]
    )
    assert memory.failed() == ["a", "z"]
    assert memory.durations() == dict.fromkeys(["a", "known", "ok", "skipped", "z"], 1.5)


def test_a_later_run_replaces_what_it_ran_and_keeps_the_rest(memory: Memory) -> None:
    memory.remember([outcome("a", Status.FAILED), outcome("b", Status.FAILED)])
    memory.remember([outcome("a")])
    assert memory.failed() == ["b"]


def test_the_folder_is_not_for_version_control(memory: Memory, tmp_path: Path) -> None:
    memory.remember([outcome("a")])
    assert (tmp_path / ".understudy" / ".gitignore").read_text() == "*\n"


def garbage(file: Path) -> None:
    file.write_bytes(b"this is no database at all, " * 100)


def another_table(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE cases (id TEXT)")


def more_columns(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE cases (id TEXT, status TEXT, bad INT, duration_ms REAL, seed INT)")


def torn_page(file: Path) -> None:
    """The head is whole, so that only reading the rows finds the damage."""
    Memory(file.parent.parent).remember([outcome(f"case {n}", Status.FAILED) for n in range(1000)])
    data = file.read_bytes()
    file.write_bytes(data[:4096] + b"\xa5" * (len(data) - 4096))


@pytest.mark.parametrize("damage", [garbage, another_table, more_columns, torn_page])
@pytest.mark.parametrize("first", ["reading", "writing"])
def test_a_damaged_file_is_put_aside_and_begun_again(
    memory: Memory, warnings: list[str], damage: Callable[[Path], None], first: str
) -> None:
    memory.file.parent.mkdir()
    damage(memory.file)
    before = memory.file.read_bytes()
    if first == "reading":
        assert memory.failed() == []
    memory.remember([outcome("a", Status.FAILED)])
    assert memory.failed() == ["a"]
    assert memory.file.with_name("memory.damaged").read_bytes() == before
    assert len(warnings) == 1
    assert "put aside as memory.damaged and begun again" in warnings[0]


def file_for_folder(root: Path) -> None:
    (root / ".understudy").write_text("a file")


def folder_for_file(root: Path) -> None:
    (root / ".understudy" / "memory.sqlite").mkdir(parents=True)


@pytest.mark.parametrize("obstacle", [file_for_folder, folder_for_file])
def test_a_run_that_cannot_be_remembered_only_says_so(
    memory: Memory, warnings: list[str], tmp_path: Path, obstacle: Callable[[Path], None]
) -> None:
    obstacle(tmp_path)
    memory.remember([outcome("a", Status.FAILED)])
    assert len(warnings) == 1
    assert "this run is not remembered for --rerun-failed" in warnings[0]


def test_a_folder_that_may_not_be_written_only_is_said(tmp_path: Path) -> None:
    """As another user, since root may write everywhere."""
    (tmp_path / ".understudy").mkdir(mode=0o555)
    tmp_path.chmod(0o755)
    program = (
        "import os, sqlite3; from pathlib import Path\n"
        "from understudy.project.memory import Memory\n"
        "from understudy.core.outcome import Outcome, Status\n"
        "os.geteuid() or os.setuid(65534)\n"
        "Memory(Path()).remember([Outcome('a', 'tiny', 'a', Status.FAILED)])"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=unmeasured(), capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("\n") == 1
    assert "is not remembered for --rerun-failed" in done.stderr


def test_what_cannot_be_read_is_an_error_when_it_is_asked_for(memory: Memory, tmp_path: Path) -> None:
    folder_for_file(tmp_path)
    with pytest.raises(InputError, match=r"memory\.sqlite: cannot be read: unable to open database file"):
        memory.failed()


def test_a_second_run_waits_for_the_first_to_have_written(tmp_path: Path, warnings: list[str]) -> None:
    program = (
        "import sys; from pathlib import Path\n"
        "from understudy.project.memory import Memory\n"
        "from understudy.core.outcome import Outcome, Status\n"
        "name = sys.argv[2]\n"
        "for turn in range(20):\n"
        "    Memory(Path(sys.argv[1])).remember(\n"
        "        Outcome(f'{name} {n}', 'tiny', name, Status.FAILED) for n in range(50))\n"
    )
    runs = [
        subprocess.Popen([sys.executable, "-c", program, tmp_path, name], stderr=subprocess.PIPE, text=True)
        for name in ("one", "two")
    ]
    assert [run.communicate()[1] for run in runs] == ["", ""]
    assert len(Memory(tmp_path, warnings.append).failed()) == 100
    assert warnings == []


def test_a_hundred_thousand_cases_are_remembered_within_seconds(memory: Memory) -> None:
    def outcomes() -> Iterator[Outcome]:
        for number in range(100_000):
            yield outcome(f"testbed::suite.json::case {number:06}", Status(["passed", "failed"][number % 2]))

    memory.remember(outcomes())
    failed = memory.failed()
    assert len(failed) == 50_000
    assert failed[0] == "testbed::suite.json::case 000001"
    assert memory.file.stat().st_size < 20 << 20
