"""The diff of two texts shows what differs, also what cannot be seen, and its time and size are bounded."""

from __future__ import annotations

import pytest

from endless import ends
from understudy.core.text_diff import text_diff


def body(expected: str, actual: str) -> list[str]:
    head, second, *lines = text_diff(expected, actual).split("\n")
    assert (head, second) == ("--- expected", "+++ actual")
    return lines


def test_a_line_that_differs_stands_between_its_neighbours_with_a_caret() -> None:
    assert body("1\n2\n3\nstatus: open\n5\n", "1\n2\n3\nstatus: done\n5\n") == [
        "@@ -4 +4 @@",
        " 1",
        " 2",
        " 3",
        "-status: open",
        "+status: done",
        "         ^",
        " 5",
    ]


def test_several_changes_are_hunks_with_right_line_numbers() -> None:
    left = [str(number) for number in range(1, 31)]
    right = [*left[:1], "two", *left[2:19], *left[20:], "31"]
    assert body("\n".join(left), "\n".join(right)) == [
        *("@@ -1,5 +1,5 @@", " 1", "-2", "+two", " 3", " 4", " 5"),
        *("@@ -17,7 +17,6 @@", " 17", " 18", " 19", "-20", " 21", " 22", " 23"),
        *("@@ -28,3 +27,4 @@", " 28", " 29", " 30", "+31"),
    ]


@pytest.mark.parametrize(
    ("expected", "actual", "shown"),
    [
        ("b ", "b", ["-b·", "+b"]),
        ("a\r\nx", "a\nx", ["-a\\r", "+a"]),
        ("x\ty", "x y", ["-x\\ty", "+x·y"]),
        ("a\u200bb", "ab", ["-a\\u200bb", "+ab"]),
        ("no\u00a0break", "no break", ["-no\\xa0break", "+no·break"]),
        ("one word", "two words ", ["-one word", "+two words·"]),
        ("col\tone", "col\ttwo", ["-col\tone", "+col\ttwo"]),
    ],
)
def test_invisible_characters_are_shown_where_they_matter(
    expected: str, actual: str, shown: list[str]
) -> None:
    assert [line for line in body(expected, actual) if line[0] in "-+"] == shown


def test_dots_for_blanks_are_explained() -> None:
    assert "hint: the difference is in blanks" in text_diff("b ", "b")
    assert "hint" not in text_diff("b", "c")


def test_a_missing_last_newline_is_said() -> None:
    assert body("abc\n", "abc")[-1] == "hint: the actual text does not end with a newline"
    assert body("abc", "abc\n")[-1] == "hint: the expected text does not end with a newline"


def test_a_missing_last_newline_is_said_beside_other_changes_too() -> None:
    assert body("1\n2\n3\n", "one\n2\nthree")[-1] == "hint: the actual text does not end with a newline"


def test_equal_texts_have_no_diff() -> None:
    assert text_diff("a\n", "a\n") == ""


def test_an_empty_text_is_a_text() -> None:
    assert body("", "abc") == ["@@ -0,0 +1 @@", "+abc"]


def test_a_long_line_is_cut_around_what_differs_and_the_caret_points_at_it() -> None:
    left, right, caret = (
        line for line in body("a" * 9000 + "x" + "b" * 9000, "a" * 9000 + "y" + "b" * 9000)[1:]
    )
    place = caret.index("^")
    assert (left[place], right[place]) == ("x", "y")
    assert "18,001 characters" in left
    assert len(left) < 200


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("a\n" * 400_000, "b\n" * 400_000),
        ("x\ny\n" * 150, "y\nx\nx\n" * 100),
        ("x\ny\n" * 200_000, "y\nx\nx\n" * 130_000),
        ("a b " * 300_000, "b a " * 300_000),
        ("a\n" * 400_000, "a\n" * 399_000),
        ("\t" * 1_000_000, " " * 1_000_000),
    ],
)
def test_large_and_repetitive_texts_take_little_time_and_room(expected: str, actual: str) -> None:
    with ends():
        text = text_diff(expected, actual)
    assert len(text) < 40_000
    assert text


def test_what_is_left_out_is_counted() -> None:
    assert body("a\n" * 200, "")[-1] == "… and 81 more lines"
    assert body("a\n" * 1000, "b\n" * 1000)[-1] == "… and 960 more lines on the actual side"
