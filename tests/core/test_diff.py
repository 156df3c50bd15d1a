"""Every difference is named by its path, and no data is too large, too deep or too strange to be compared."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from endless import ends
from understudy.core.diff import Difference, diff, differences, structural_diff


def paths(expected: Any, actual: Any) -> list[tuple[str, str]]:
    return [(found.path, found.kind) for found in differences(expected, actual)]


def nested(depth: int, leaf: Any, beside: tuple[Any, ...] = ()) -> Any:
    value = leaf
    for _ in range(depth):
        value = [value, *beside]
    return value


def test_every_difference_is_named_not_only_the_first() -> None:
    expected = {"items": [{"name": "a", "n": 1}, {"name": "b"}], "total": 2, "gone": None}
    actual = {"items": [{"name": "x", "n": 1}, {"name": "y"}], "total": "2", "more": []}
    assert differences(expected, actual) == [
        Difference("$.items[0].name", "changed", "a", "x"),
        Difference("$.items[1].name", "changed", "b", "y"),
        Difference("$.total", "type", 2, "2"),
        Difference("$.gone", "missing", None, None),
        Difference("$.more", "added", None, []),
    ]


def test_keys_that_are_no_identifiers_are_quoted_in_the_path() -> None:
    expected = {"a b": 1, "": 1, "it's": 1, 'say "x"': 1, "1a": 1, 7: 1, "ok_1": 1}
    assert [path for path, _ in paths(expected, {})] == [
        "$['a b']",
        "$['']",
        "$['it\\'s']",
        "$['say \"x\"']",
        "$['1a']",
        "$[7]",
        "$.ok_1",
    ]


@pytest.mark.parametrize(
    ("expected", "actual", "kind"),
    [
        (True, 1, "type"),
        (0, False, "type"),
        (None, 0, "type"),
        ("1", 1, "type"),
        ([], {}, "type"),
        (1, 2.5, "changed"),
        ("a", "A", "changed"),
    ],
)
def test_values_that_differ_say_how(expected: Any, actual: Any, kind: str) -> None:
    assert paths({"v": expected}, {"v": actual}) == [("$.v", kind)]


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (1, 1.0),
        (float("nan"), float("nan")),
        ((1, 2), [1, 2]),
        (Decimal(1), 1),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ],
)
def test_values_that_mean_the_same_do_not_differ(expected: Any, actual: Any) -> None:
    assert differences(expected, actual) == []
    assert structural_diff(expected, actual) == ""


@pytest.mark.parametrize(
    ("expected", "actual", "found"),
    [
        ([1, 2, 3, 4], [1, 3, 4], [("$[1]", "missing")]),
        ([1, 2, 3], [9, 1, 2, 3], [("$[0]", "added")]),
        ([{"id": 1}, {"id": 2}], [{"id": 1}, {"id": 5}, {"id": 2}], [("$[1]", "added")]),
        ([1, 2, 3, 4, 5], [1, 3, 4, 8], [("$[1]", "missing"), ("$[4]", "changed")]),
        ([1, 2, 3], [3, 2, 1], [("$[0]", "changed"), ("$[2]", "changed")]),
        ([], [1, 2], [("$[0]", "added"), ("$[1]", "added")]),
    ],
)
def test_an_item_too_many_or_too_few_is_one_difference(expected: Any, actual: Any, found: Any) -> None:
    assert paths(expected, actual) == found


def test_no_more_differences_are_made_than_were_asked_for() -> None:
    assert len(differences([0] * 500, [1] * 500)) == 200
    assert len(differences([0] * 500, [1] * 500, limit=3)) == 3
    assert differences(1, 2, limit=0) == []


def test_a_structural_diff_has_one_line_each_and_says_how_many_more() -> None:
    lines = structural_diff(list(range(60)), [-1] * 60).split("\n")
    assert lines[0] == "$[0]: expected 0, got -1"
    assert len(lines) == 51
    assert lines[-1] == "… and 10 more differences"
    assert structural_diff([0] * 51, [1] * 51).endswith("… and 1 more difference")
    assert structural_diff([0] * 9000, [1] * 9000).endswith("… and at least 4,950 more differences")


def test_lines_tell_types_absent_and_unexpected_values_apart() -> None:
    assert structural_diff({"a": 1, "b": [1, "x"], "c": 0}, {"a": True, "c": 0, "d": {"k": None}}).split(
        "\n"
    ) == [
        "$.a: expected 1 (number), got true (boolean)",
        '$.b: is missing, expected [1, "x"]',
        '$.d: was not expected, got {"k": null}',
    ]


def test_long_texts_are_shown_around_what_differs() -> None:
    line = structural_diff("a" * 5000 + "x", "a" * 5000 + "y")
    assert len(line) < 200
    assert 'aax" (5,001 characters)' in line
    assert 'aay" (5,001 characters)' in line


def test_deep_data_is_compared_without_recursion() -> None:
    (found,) = differences(nested(100_000, 1), nested(100_000, 2))
    assert (found.kind, found.expected, found.actual) == ("changed", 1, 2)
    assert found.path.startswith("$…[0][0]")
    assert len(str(found)) < 400


def test_circular_and_exponentially_shared_data_are_compared_once() -> None:
    left: list[Any] = [1]
    left.append(left)
    right: list[Any] = [1]
    right.append(right)
    assert differences(left, right) == []

    def bomb(leaf: int) -> Any:
        value: Any = leaf
        for _ in range(60):
            value = [value, value]
        return value

    assert differences(bomb(1), bomb(1)) == []
    assert len(differences(bomb(1), bomb(2))) == 200


def test_long_lists_of_different_lengths_are_aligned_in_linear_time() -> None:
    with ends():
        structural_diff(list(range(200_000)), [number + 1 for number in range(300_000)])
        structural_diff(nested(20_000, 1, (0, 0)), nested(20_000, 2, (0,)))


class Strange:
    def __eq__(self, other: object) -> bool:
        raise ValueError("no")

    def __repr__(self) -> str:
        raise ValueError("no")

    __hash__ = object.__hash__


def test_values_with_a_broken_equality_or_repr_are_shown_by_their_class() -> None:
    assert structural_diff([Strange()], [Strange()]) == "$[0]: expected <Strange>, got <Strange>"
    assert structural_diff(10**6000, 1) == "$: expected <int>, got 1"


def test_diff_goes_by_path_for_data_and_for_texts_that_are_json_both() -> None:
    assert diff({"a": 1}, {"a": 2}) == "$.a: expected 1, got 2"
    assert diff(' {"a": [1]}', '{"a":[2]}') == "$.a[0]: expected 1, got 2"
    assert diff("a", 1) == '$: expected "a" (string), got 1 (number)'


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("one\ntwo", "one\n2"),
        ('{"a": 1}', "{"),
        ('{"a": 1}', '{"a":1}'),
        ("[" * 100_000, "[" * 99_999),
        (b"a", b"\xff"),
    ],
)
def test_diff_goes_by_line_for_other_texts(expected: Any, actual: Any) -> None:
    assert diff(expected, actual).startswith("--- expected\n+++ actual\n@@ ")
    assert diff(expected, expected) == ""
