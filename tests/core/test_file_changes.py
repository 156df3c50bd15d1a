"""Files are looked at until they change, and until they have come to rest."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from understudy.core.file_changes import FileChanges, Look, changes_between, look_at, next_changes


def looks(*each: Look) -> Callable[[], Look]:
    """A look that sees one after the other, and for ever the last."""
    left = list(each)
    return lambda: left.pop(0) if len(left) > 1 else left[0]


def test_what_is_below_a_folder_and_named_beside_it_is_seen(tmp_path: Path) -> None:
    for name in ("in/a", "in/deep/b", "in/.git/c", "out/d", "out/e"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    (tmp_path / "in" / "nowhere").symlink_to(tmp_path / "missing")
    (tmp_path / "in" / "round").symlink_to(tmp_path / "in")
    files = [str(tmp_path / "out" / "d"), str(tmp_path / "out" / "missing")]
    found = look_at([str(tmp_path / "in")], files, {".git"})
    assert sorted(os.path.relpath(path, tmp_path) for path in found) == ["in/a", "in/deep/b", "out/d"]


def test_a_pipe_is_no_file_to_look_at(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert look_at([str(tmp_path)]) == {}


def test_a_file_that_is_replaced_by_one_of_the_same_size_and_time_has_changed(tmp_path: Path) -> None:
    old, new = tmp_path / "a", tmp_path / "b"
    old.write_text("1")
    new.write_text("2")
    os.utime(old, ns=(5, 5))
    os.utime(new, ns=(5, 5))
    before = look_at([], [str(old)])
    new.replace(old)
    assert changes_between(before, look_at([], [str(old)])).changed == {str(old)}


def test_several_steps_close_together_are_one_change() -> None:
    before: Look = {"a": (1, 1, 1), "b": (1, 1, 2)}
    half: Look = {"a": (2, 0, 1), "b": (1, 1, 2)}
    whole: Look = {"a": (3, 9, 1), "c": (1, 1, 3)}
    pauses: list[float] = []
    changes, now = next_changes(before, looks(before, before, half, whole, whole), pauses.append)
    assert changes == FileChanges(frozenset("a"), frozenset("c"), frozenset("b"))
    assert changes.paths == ["a", "b", "c"]
    assert now == whole
    assert len(pauses) == 4, "it waits before each look but the first"


def test_what_comes_back_as_it_was_is_no_change() -> None:
    before: Look = {"a": (1, 1, 1)}
    after: Look = {"a": (2, 1, 1)}
    changes, _ = next_changes(before, looks({}, before, before, after, after), lambda seconds: None)
    assert changes.changed == {"a"}
    assert not changes.gone
