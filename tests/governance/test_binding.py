"""Two different sets of arguments never have the same hash, and what has no clear text is refused."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.errors import InputError
from understudy.governance import hash_arguments
from understudy.governance.binding import LARGEST, binding_of, data_of, exact_text

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters())
)
KEYS = st.text(st.characters(), max_size=5).filter(lambda key: key != "\0tuple")
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(KEYS, inner, max_size=4)
        | st.tuples(inner, inner)
        | st.tuples()
    ),
    max_leaves=8,
)


def exact(value: Any) -> Any:
    """A value that is equal only to values that are the same in every way but the order of their keys."""
    if isinstance(value, dict):
        return "dict", frozenset((key, exact(entry)) for key, entry in value.items())
    if isinstance(value, list | tuple):
        return type(value).__name__, tuple(exact(entry) for entry in value)
    return type(value).__name__, repr(value)


@given(one=VALUES, other=VALUES)
def test_values_have_the_same_hash_only_if_they_are_the_same(one: Any, other: Any) -> None:
    assert (hash_arguments([one]) == hash_arguments([other])) == (exact(one) == exact(other))


@given(value=VALUES)
def test_nothing_is_changed_by_hashing_and_a_copy_is_the_same_but_for_tuples(value: Any) -> None:
    before = exact(value)
    copy = data_of(value)

    assert exact(value) == before
    assert hash_arguments([copy]) == hash_arguments([listed(value)])


def listed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: listed(entry) for key, entry in value.items()}
    return [listed(entry) for entry in value] if isinstance(value, list | tuple) else value


DIFFERENT: list[tuple[Any, Any]] = [
    (1, 1.0),
    (1, True),
    (0, False),
    (0.0, -0.0),
    ("1", 1),
    ("", None),
    ([], {}),
    ([], ()),
    ([1, 2], (1, 2)),
    ([[1], 2], [1, [2]]),
    ({"a": None}, {}),
    ({"a": 1, "b": 2}, {"a": 2, "b": 1}),
    ("é", "e\u0301"),
    ("a", "a\u200b"),
    ("\ud83d\ude00", "\U0001f600"),
    ("x" * 99, "x" * 100),
    ("x" * 101, "x" * 102),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_is_nearly_the_same_is_not(one: Any, other: Any) -> None:
    assert hash_arguments({"value": one}) != hash_arguments({"value": other})
    assert hash_arguments([one]) != hash_arguments([other])


def test_the_order_of_keys_does_not_count() -> None:
    assert hash_arguments({"a": {"x": 1, "y": 2}, "b": []}) == hash_arguments(
        {"b": [], "a": {"y": 2, "x": 1}}
    )


def test_no_arguments_are_an_empty_set_of_them() -> None:
    assert hash_arguments(None) == hash_arguments({})


class Smiling(str):
    """A text that could say anything when it is asked again."""


class Counting(int):
    pass


class Growing(dict[str, Any]):
    pass


class Level(StrEnum):
    high = "high"


ROUND: list[Any] = []
ROUND.append(ROUND)
DEEP: Any = {}
for _ in range(60):
    DEEP = {"deeper": DEEP}
WIDE: Any = ["x"] * 30
for _ in range(10):
    WIDE = [WIDE] * 30
WIDE_KEYS: Any = {str(number): "x" for number in range(30)}
for _ in range(10):
    WIDE_KEYS = {str(number): WIDE_KEYS for number in range(30)}
LONG = ["y" * 1_000] * 1_001
UNBOUND: dict[str, tuple[Any, str]] = {
    "an object": (object(), "a value of type object"),
    "bytes": (b"raw", "a value of type bytes"),
    "a set": ({1}, "a value of type set"),
    "a text of another class": (Smiling("x"), "a value of type Smiling"),
    "a number of another class": (Counting(1), "a value of type Counting"),
    "a dict of another class": (Growing(), "a value of type Growing"),
    "a member of an enum": (Level.high, "a value of type Level"),
    "a key that is a number": ({1: "x"}, "the key 1 "),
    "a key of another class": ({Smiling("x"): 1}, 'the key "x" '),
    "a key that is nothing": ({None: "x"}, "the key null "),
    "the reserved key": ({"\0tuple": []}, r'the key "\\u0000tuple" \(it is reserved'),
    "NaN": (math.nan, "the number nan"),
    "infinity": (math.inf, "the number inf"),
    "itself": (ROUND, "more than 50 levels, or themselves"),
    "too deep": (DEEP, "more than 50 levels"),
    "too wide": (WIDE, "more than 1,000,000 bytes"),
    "too wide by keys": (WIDE_KEYS, "more than 1,000,000 bytes"),
    "a long text": ("x" * (LARGEST + 1), "more than 1,000,000 bytes"),
    "a long text many times": (LONG, "more than 1,000,000 bytes"),
    "a long key": ({"k" * (LARGEST + 1): 1}, "more than 1,000,000 bytes"),
    "wide characters": ("\U0001f600" * 300_000, "more than 1,000,000 bytes"),
    "an enormous number": (10**5000, "a number that is too large"),
}


@pytest.mark.parametrize("what", UNBOUND)
def test_what_cannot_be_bound_is_refused(what: str) -> None:
    value, says = UNBOUND[what]
    for arguments in ({"value": value}, [value], (value,), {"deeper": [{"value": value}]}):
        with pytest.raises(InputError, match=f"arguments cannot be bound to an approval: they hold {says}"):
            hash_arguments(arguments)


def test_the_text_is_json_that_is_the_same_on_every_machine() -> None:
    value = {"z": [1, 2.5, -0.0, 1e300], "a": (True, None, "é\n\ud800")}

    assert exact_text(value) == (
        b'{"a":{"\\u0000tuple":[true,null,"\xc3\xa9\\n\xed\xa0\x80"]},"z":[1,2.5,-0.0,1e+300]}'
    )
    assert hash_arguments({"a": 1}) == "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"


def test_a_binding_tells_all_of_its_parts_apart() -> None:
    bindings = [
        binding_of("bot", "export", "x", "h"),
        binding_of("bo", "texport", "x", "h"),
        binding_of("bot", "export", "xh", ""),
        binding_of("bot", "export", "", "hx"),
        binding_of("bot", "export", "x\0h", ""),
        binding_of("bot", "export", "x", "h\0"),
        binding_of("bot", "export", "\ud800", "h"),
        binding_of("bot", "export", "\\ud800", "h"),
    ]

    assert len(set(bindings)) == len(bindings)
