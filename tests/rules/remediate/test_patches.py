"""A patch turns the old text into the new one, as git reads it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.rules.remediate.patches import file_patch


def applied(before: str, patch: str) -> str:
    """What git makes of a text with a patch of one file, written down from the format's description."""
    old = re.findall(r"[^\n]*\n|[^\n]+$", before)
    new: list[str] = []
    position = 0
    lines = patch.split("\n")[:-1]
    while lines and not lines[0].startswith("@@"):
        lines.pop(0)
    for index, line in enumerate(lines):
        if head := re.fullmatch(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", line):
            start = int(head[1]) - (0 if head[2] == "0" else 1)
            new += old[position:start]
            position = start
            continue
        if line.startswith("\\"):
            continue
        unended = index + 1 < len(lines) and lines[index + 1].startswith("\\")
        text = line[1:] + ("" if unended else "\n")
        if line[0] in " -":
            assert old[position] == text
            position += 1
        if line[0] in " +":
            new.append(text)
    return "".join(new + old[position:])


texts = st.lists(st.sampled_from(["a", "b", "c", "", "d"]), max_size=30).map("\n".join)


@given(texts, texts)
def test_a_patch_makes_the_new_text_of_the_old(before: str, after: str) -> None:
    assert applied(before, file_patch("a.txt", before, after)) == after


@given(texts)
def test_a_new_file_is_made_of_nothing(after: str) -> None:
    assert applied("", file_patch("a.txt", None, after)) == after


def test_distant_changes_are_hunks_of_their_own() -> None:
    before = "".join(f"{number}\n" for number in range(40))
    patch = file_patch("a.txt", before, before.replace("2\n", "two\n", 1).replace("35\n", "x\n"))
    assert [line for line in patch.splitlines() if line.startswith("@@")] == [
        "@@ -1,6 +1,6 @@",
        "@@ -33,7 +33,7 @@",
    ]


@pytest.mark.parametrize("size", [5_000, 200_000])
def test_a_large_file_is_compared_in_bounded_time(size: int) -> None:
    before = "".join(f"{number % 7}\n" for number in range(size))
    after = before.replace("3\n", "three\n")
    assert applied(before, file_patch("a.txt", before, after)) == after


def test_an_unchanged_file_has_no_patch() -> None:
    assert file_patch("a.txt", "a\n", "a\n") == ""
