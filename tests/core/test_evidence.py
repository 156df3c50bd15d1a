"""Evidence of several units becomes what one would have brought, whatever the order."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.evidence import EvidenceClash, merge_evidence

# What a key holds is of one kind in every unit, so the kind is drawn by the key's first letter.
_texts = st.text("abc", max_size=2)
_values = {
    "n": st.integers(),
    "b": st.booleans(),
    "s": _texts | st.lists(_texts, max_size=3),
    "l": st.lists(st.integers(-2, 2) | _texts | st.lists(st.integers(0, 1), max_size=2), max_size=3),
}


def _leaf_maps() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional={**_values, "x": st.none()})


_evidence = st.fixed_dictionaries({}, optional={**_values, "m": _leaf_maps(), "m2": _leaf_maps()})


def _bytes(evidence: Any) -> str:
    return json.dumps(evidence)


@given(_evidence, _evidence)
def test_the_order_of_two_does_not_matter(a: dict[str, Any], b: dict[str, Any]) -> None:
    assert _bytes(merge_evidence(a, b)) == _bytes(merge_evidence(b, a))


@given(_evidence, _evidence, _evidence)
def test_it_does_not_matter_how_three_are_bracketed(
    a: dict[str, Any], b: dict[str, Any], c: dict[str, Any]
) -> None:
    left = merge_evidence(merge_evidence(a, b), c)
    assert _bytes(left) == _bytes(merge_evidence(a, merge_evidence(b, c)))


@given(_evidence, _evidence)
def test_neither_side_is_changed(a: dict[str, Any], b: dict[str, Any]) -> None:
    before = _bytes(a), _bytes(b)
    merge_evidence(a, b)
    assert (_bytes(a), _bytes(b)) == before


def test_numbers_add_lists_unite_sorted_and_mappings_merge() -> None:
    merged = merge_evidence(
        {"hits": {"a": 1, "b": 2}, "seen": ["z", "a", 10], "all": True},
        {"hits": {"b": 3, "c": 4}, "seen": ["m", "a", 9], "all": False, "only": ["b", "a", "b"]},
    )
    assert merged == {
        "hits": {"a": 1, "b": 5, "c": 4},
        "seen": [9, 10, "a", "m", "z"],
        "all": True,
        "only": ["a", "b"],
    }
    assert list(merged) == sorted(merged)


def test_what_cannot_be_joined_is_named_by_its_path() -> None:
    with pytest.raises(
        EvidenceClash, match=r"'mocks\.hit' is a number in one place and a mapping in another"
    ):
        merge_evidence({"mocks": {"hit": 1}}, {"mocks": {"hit": {"a": 1}}})
