"""What the store owns nobody else can reach, and what it hands out are whole copies, whatever the objects hold."""

from __future__ import annotations

import copy
import pickle
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from types import MappingProxyType
from typing import Any
from uuid import UUID

import pytest
import stix2
from hypothesis import given, settings
from hypothesis import strategies as st

from understudy.core.errors import InputError
from understudy.simulation.object_copies import copier, owned


class Colour(Enum):
    RED = "red"


ATOMS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=5)
    | st.binary(max_size=5)
    | st.datetimes()
    | st.sampled_from([Colour.RED, Decimal("1.5"), UUID(int=1), date(2026, 1, 1), timedelta(1), int])
)
VALUES = st.recursive(
    ATOMS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=3)
        | st.tuples(inner, inner)
        | st.sets(st.integers(), max_size=3)
        | st.binary(max_size=3).map(bytearray)
    ),
    max_leaves=15,
)
OBJECTS = st.dictionaries(st.text(max_size=4), VALUES, max_size=5)


@settings(deadline=None)
@given(OBJECTS)
def test_copies_are_equal_and_share_nothing_that_can_be_changed(value: dict[str, Any]) -> None:
    before = copy.deepcopy(value)
    mine = owned(value)
    handed_out = copier(mine)()
    assert handed_out == mine == value
    assert not _changeable(mine) & _changeable(value)
    assert not _changeable(handed_out) & _changeable(mine)
    _spoil(handed_out)
    _spoil(value)
    assert mine == before
    assert copier(mine)() == before


@settings(deadline=None)
@given(OBJECTS)
def test_types_are_kept(value: dict[str, Any]) -> None:
    handed_out = copier(owned(value))()
    assert pickle.dumps(_types(handed_out)) == pickle.dumps(_types(value))


def test_other_mappings_become_dicts_with_the_data_that_they_have() -> None:
    reference = stix2.v21.ExternalReference(source_name="a", url="http://a.test")
    mine = owned(MappingProxyType({"id": "x", "references": [reference], "more": MappingProxyType({"a": 1})}))
    assert mine == {
        "id": "x",
        "references": [{"source_name": "a", "url": "http://a.test"}],
        "more": {"a": 1},
    }
    assert type(mine) is type(mine["references"][0]) is type(mine["more"]) is dict


def _cycle() -> dict[str, Any]:
    value: dict[str, Any] = {"id": "tool--1", "parts": [{"name": "a"}]}
    value["parts"][0]["whole"] = value["parts"]
    return value


def _deep(levels: int) -> dict[str, Any]:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return {"id": "tool--1", "deep": value}


def _deep_mappings(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {"deep": value}
    return value


def _wide() -> dict[str, Any]:
    """Thirty lines that unfold to a billion lists."""
    value: Any = []
    for _ in range(30):
        value = [value, value]
    return {"wide": value}


class Stubborn:
    def __deepcopy__(self, memo: Any) -> Any:
        raise RuntimeError("there can be only one")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            _cycle(),
            r"tool 7 refers back to itself: \$.parts\[0\].whole is \$.parts again \(break the cycle\)",
        ),
        (_deep(101), "tool 7 has more than 100 levels or 250,000 containers .flatten it"),
        (_deep(100_000), "tool 7 has more than 100 levels"),
        (_deep_mappings(100), "tool 7 has more than 100 levels"),
        (_wide(), "tool 7 has more than 100 levels or 250,000 containers"),
        (
            {"a": [1, Stubborn()]},
            r"tool 7 holds a Stubborn at \$.a\[1\]: it cannot be copied \(there can be only one\)",
        ),
    ],
    ids=["cycle", "deep", "very deep", "deep mappings", "unfolding", "not to be copied"],
)
def test_what_cannot_be_kept_is_refused_with_its_path(value: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        owned(value, "tool 7")


def test_what_stands_in_two_places_is_no_cycle() -> None:
    shared = {"name": "a"}
    assert owned({"one": shared, "other": [shared]}) == {"one": {"name": "a"}, "other": [{"name": "a"}]}


def test_times_bytes_and_a_hundred_levels_are_kept() -> None:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    value = {"at": at, "raw": b"\x00\xff", **_deep(99)}
    assert owned(value) == value
    assert owned(_deep_mappings(99)) == _deep_mappings(99)


def _changeable(value: Any) -> set[int]:
    """The ids of everything within that can be changed."""
    if isinstance(value, dict):
        return {id(value)}.union(*(_changeable(item) for item in value.values()))
    if isinstance(value, list | tuple):
        own = {id(value)} if isinstance(value, list) else set()
        return own.union(*(_changeable(item) for item in value))
    return {id(value)} if isinstance(value, set | bytearray) else set()


def _spoil(value: Any) -> None:
    if isinstance(value, tuple):
        for item in value:
            _spoil(item)
    if isinstance(value, list):
        for item in value:
            _spoil(item)
        value.append("spoiled")
    if isinstance(value, dict):
        for item in value.values():
            _spoil(item)
        value["spoiled"] = True
    if isinstance(value, set | bytearray):
        value.clear()


def _types(value: Any) -> Any:
    if isinstance(value, dict):
        return dict, [(key, _types(item)) for key, item in value.items()]
    if isinstance(value, list | tuple):
        return type(value), [_types(item) for item in value]
    return type(value)
