"""Patches as git writes them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trees.makers import git
from understudy.rules.ingest.diff_patch import changed_files, patch
from understudy.trees import memory_tree


@pytest.mark.parametrize(
    ("before", "after", "written"),
    [
        (b"", b"", ""),
        (b"a\n", b"a\n", ""),
        (b"", b"a\n", "@@ -0,0 +1 @@\n+a"),
        (b"", b"a\nb", "@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file"),
        (b"a\n", b"", "@@ -1 +0,0 @@\n-a"),
        (b"a", b"a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a"),
        (b"a\nb\n", b"a\nc\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c"),
        (b"a\r\n", b"b\r\n", "@@ -1 +1 @@\n-a\r\n+b\r"),
        (b"\0", b"a", ""),
        (b"caf\xe9\n", b"", "@@ -1 +0,0 @@\n-caf\ufffd"),
    ],
)
def test_a_patch_has_hunks_and_no_names(before: bytes, after: bytes, written: str) -> None:
    assert patch(before, after) == written


def _text(numbers: set[int]) -> str:
    return "".join(f"line {number}\n" for number in sorted(numbers))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sets(st.integers(0, 40), max_size=30), st.sets(st.integers(0, 40), max_size=30))
def test_where_lines_differ_from_each_other_git_says_the_same(
    tmp_path: Path, before: set[int], after: set[int]
) -> None:
    if not (tmp_path / ".git").exists():
        git(tmp_path, "init", "-q")
    for name, numbers in (("before", before), ("after", after)):
        (tmp_path / name).write_text(_text(numbers))
    blobs = [git(tmp_path, "hash-object", "-w", name) for name in ("before", "after")]
    said = git(tmp_path, "diff", *blobs)
    # Behind the second @@, git repeats a line of the file for its readers.
    hunks = re.sub(
        r"(?m)^(@@ [^@]* @@).*$", r"\1", said.partition("\n@@")[2] and said[said.index("\n@@") + 1 :]
    )
    assert patch(_text(before).encode(), _text(after).encode()) == hunks


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from("abc"), max_size=30), st.lists(st.sampled_from("abc"), max_size=30))
def test_a_patch_leads_from_the_one_to_the_other(before: list[str], after: list[str]) -> None:
    old, new = ("".join(f"{line}\n" for line in lines) for lines in (before, after))
    assert _applied(old, patch(old.encode(), new.encode())) == new


def _applied(old: str, written: str) -> str:
    lines, result, position = old.split("\n")[:-1], [], 0
    for line in written.split("\n") if written else ():
        found = re.match(r"@@ -(\d+)(?:,(\d+))? ", line)
        if found:
            start = int(found[1]) - (found[2] != "0")
            result += lines[position:start]
            position = start
        elif line.startswith("+"):
            result.append(line[1:])
        else:
            assert lines[position] == line[1:]
            if line.startswith(" "):
                result.append(line[1:])
            position += 1
    return "".join(f"{line}\n" for line in [*result, *lines[position:]])


@pytest.mark.parametrize(("between", "hunks"), [(6, 1), (7, 2)])
def test_changes_with_up_to_six_lines_between_them_share_a_hunk(between: int, hunks: int) -> None:
    lines = ["first", *(f"line {number}" for number in range(between)), "last"]
    before = "".join(f"{line}\n" for line in lines)
    after = before.replace("first", "First").replace("last", "Last")
    assert patch(before.encode(), after.encode()).count("@@ -") == hunks


def test_a_change_that_is_too_large_to_compare_replaces_what_differs() -> None:
    before = "".join(f"a{number}\n" for number in range(3000))
    after = before.replace("a", "b") + "end\n"
    written = patch(f"same\n{before}".encode(), f"same\n{after}".encode())
    assert written.startswith("@@ -1,3001 +1,3002 @@\n same\n-a0\n")
    assert _applied(f"same\n{before}", written) == f"same\n{after}"


def test_files_are_listed_by_name_and_a_moved_file_has_no_patch() -> None:
    head = memory_tree({"b/new": "x", "a": "1", "empty": ""})
    base = memory_tree({"b/old": "x", "c": "gone", "a": "1"})
    assert [(file.name, bool(file.patch)) for file in changed_files(head, base)] == [
        ("b/new", False),
        ("c", True),
        ("empty", False),
    ]


def test_a_file_that_is_too_large_is_listed_without_a_patch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("understudy.rules.ingest.diff_patch.READ_LIMIT", 3)
    head, base = memory_tree({"a": "large", "b": "large"}), memory_tree({"a": "1", "b": "large"})
    assert [(file.name, file.patch) for file in changed_files(head, base)] == [("a", "")]
