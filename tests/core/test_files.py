"""Reading with a limit, writing whole or not at all, staying inside a folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from understudy.core.errors import InputError
from understudy.core.files import atomic_write, atomic_writer, inside, read_text
from unmeasured import unmeasured


def problem_of(path: Path, limit: int = 1000) -> str:
    with pytest.raises(InputError) as caught:
        read_text(path, limit=limit)
    (problem,) = caught.value.problems
    assert problem.file == str(path)
    assert problem.hint
    return str(problem).removeprefix(str(path))


def write_fails(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        atomic_write(path, "new")
    (problem,) = caught.value.problems
    assert problem.file == str(path)
    assert problem.hint
    return problem.message


def test_text_is_read_and_a_byte_order_mark_dropped(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfgr\xc3\xbc\xc3\x9fe\n")
    assert read_text(tmp_path / "a") == "grüße\n"


def test_what_cannot_be_read_says_why_and_what_to_do(tmp_path: Path) -> None:
    assert problem_of(tmp_path / "absent") == ": does not exist (check the path)"
    assert "is a directory" in problem_of(tmp_path)
    (tmp_path / "latin1").write_bytes(b"one\ntwo\nhell\xf6\n")
    assert problem_of(tmp_path / "latin1").startswith(":3: is not UTF-8: byte 0xf6 at offset 12, line 3")
    (tmp_path / "utf16").write_bytes("a: 1".encode("utf-16"))
    assert "is UTF-16" in problem_of(tmp_path / "utf16")
    (tmp_path / "binary").write_bytes(b"a\nb\0c")
    assert problem_of(tmp_path / "binary").startswith(":2: is binary: a NUL byte at offset 3")


def test_a_nul_in_the_path_is_a_problem_not_a_traceback() -> None:
    with pytest.raises(InputError, match="no usable path"):
        read_text("a\0b")
    with pytest.raises(InputError, match="no usable path"):
        atomic_write("a\0b", "")
    with pytest.raises(InputError, match="no usable path"):
        inside("/", "a\0b")


def test_a_file_of_just_the_limit_is_read_and_one_byte_more_is_too_large(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 1000)
    assert len(read_text(tmp_path / "a", limit=1000)) == 1000
    assert "is too large: 1,000 bytes, and at most 999 are read" in problem_of(tmp_path / "a", 999)


def test_a_pipe_and_a_device_are_refused_instead_of_hanging(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "is a pipe, socket or device" in problem_of(tmp_path / "pipe")
    assert "is a pipe, socket or device" in problem_of(Path("/dev/zero"))


def test_a_file_that_may_not_be_read_says_so(tmp_path: Path) -> None:
    """As another user, since root may read everything."""
    (tmp_path / "a").write_text("x")
    (tmp_path / "a").chmod(0)
    tmp_path.chmod(0o755)
    program = (
        "import os; from understudy.core.errors import InputError\n"
        "from understudy.core.files import read_text\n"
        "os.geteuid() or os.setuid(65534)\n"
        "try: read_text('a')\n"
        "except InputError as error: print(error)"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=unmeasured(), capture_output=True, text=True, cwd=tmp_path, check=True)
    assert "may not be read by you" in done.stdout


def test_a_new_file_has_the_usual_mode_and_an_existing_one_keeps_its_own(tmp_path: Path) -> None:
    old_mask = os.umask(0o027)
    try:
        atomic_write(tmp_path / "new", "a")
    finally:
        os.umask(old_mask)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o640
    (tmp_path / "new").chmod(0o750)
    atomic_write(tmp_path / "new", b"b")
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o750
    assert (tmp_path / "new").read_bytes() == b"b"


def test_a_failing_block_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")

    def write() -> None:
        with atomic_writer(tmp_path / "a") as file:
            file.write("half")
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        write()
    assert (tmp_path / "a").read_text() == "old"
    assert os.listdir(tmp_path) == ["a"]


def test_readers_see_the_old_file_until_the_block_has_ended(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    with atomic_writer(tmp_path / "a") as file:
        print("new", file=file)
        file.flush()
        assert (tmp_path / "a").read_text() == "old"
    assert (tmp_path / "a").read_text() == "new\n"


def test_content_and_folder_are_synced_around_the_rename(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    fsync, replace = os.fsync, os.replace

    def see_fsync(descriptor: int) -> None:
        is_folder = os.path.isdir(f"/proc/self/fd/{descriptor}")
        calls.append("sync folder" if is_folder else "sync file")
        fsync(descriptor)

    def see_replace(old: str, new: str) -> None:
        calls.append("rename")
        replace(old, new)

    monkeypatch.setattr(os, "fsync", see_fsync)
    monkeypatch.setattr(os, "replace", see_replace)
    atomic_write(tmp_path / "a", "x")
    assert calls == ["sync file", "rename", "sync folder"]


def test_a_symbolic_link_stays_and_its_target_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/a").write_text("old")
    (tmp_path / "link").symlink_to("real/a")
    atomic_write(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real/a").read_text() == "new"


def test_where_nothing_can_be_written_the_folder_is_named(tmp_path: Path) -> None:
    assert (
        write_fails(tmp_path / "absent/a")
        == f"cannot be written: the folder {tmp_path}/absent does not exist"
    )
    (tmp_path / "file").write_text("")
    assert write_fails(tmp_path / "file/a") == f"cannot be written: {tmp_path}/file is not a folder"
    assert "is a directory" in write_fails(tmp_path)


def test_a_full_disk_is_the_users_to_mend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert write_fails(tmp_path / "a") == "cannot be written: No space left on device"
    assert os.listdir(tmp_path) == []


def test_a_pipe_is_written_to_and_not_replaced_and_one_without_a_reader_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "cannot be written" in write_fails(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    atomic_write(tmp_path / "pipe", "through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert (tmp_path / "pipe").is_fifo()


def test_a_lone_surrogate_is_written_as_its_escape(tmp_path: Path) -> None:
    with atomic_writer(tmp_path / "a") as file:
        file.write('"\ud800"\n')
    assert (tmp_path / "a").read_bytes() == b'"\\ud800"\n'


def test_a_path_may_wander_but_must_end_inside_its_root(tmp_path: Path) -> None:
    (tmp_path / "root/sub").mkdir(parents=True)
    assert inside(tmp_path / "root", "sub/../a.yaml") == tmp_path / "root/a.yaml"
    assert inside(tmp_path / "root", tmp_path / "root/sub") == tmp_path / "root/sub"
    assert inside(tmp_path / "root", ".") == tmp_path / "root"


@pytest.mark.parametrize("path", ["../rooted", "..", "/etc/passwd", "sub/../../x", "link/x"])
def test_a_path_that_leaves_its_root_is_refused(tmp_path: Path, path: str) -> None:
    (tmp_path / "root/sub").mkdir(parents=True)
    (tmp_path / "root/link").symlink_to(tmp_path)
    with pytest.raises(InputError, match="outside of"):
        inside(tmp_path / "root", path)
