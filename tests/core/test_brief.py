"""A value in a message is short, on one line, and never breaks the message."""

from __future__ import annotations

from typing import Any

import pytest

from understudy.core.brief import brief, brief_pair, visible


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ('say "hi"\n', '"say \\"hi\\"\\n"'),
        ("a\u200bb\u00a0c", '"a\\u200bb\\xa0c"'),
        (None, "null"),
        (1.50, "1.5"),
        ({"a": [True, {}]}, '{"a": [true, {}]}'),
        ([[[[[1]]]]], "[[[[[…]]]]]"),
        (list(range(20)), "[0, 1, 2, 3, 4, 5, 6, 7, …]"),
        (b"x", "b'x'"),
    ],
)
def test_values_are_spelled_as_json_where_json_has_a_word(value: Any, text: str) -> None:
    assert brief(value) == text


def test_a_wide_container_is_cut_and_says_its_size() -> None:
    assert brief(["x" * 60] * 3).endswith("… (3 items)")
    assert brief({"k" * 90: 1}).endswith("… (1 key)")


def test_whatever_it_is_it_stays_short() -> None:
    deep: Any = []
    for _ in range(50_000):
        deep = [deep, deep]
    for value in (deep, "x" * 10**6, {str(number): deep for number in range(10**4)}, 10**5000):
        assert len(brief(value)) < 120


def test_a_pair_is_cut_where_it_differs() -> None:
    assert brief_pair("abc", "abd") == ('"abc"', '"abd"')
    left, right = brief_pair("a" * 500, "a" * 500 + "b")
    assert left != right


def test_visible_leaves_what_can_be_seen() -> None:
    assert visible("naïve ✓") == "naïve ✓"
