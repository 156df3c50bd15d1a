"""Evidence joined: what several units, workers or shards did, as if one had done it all."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any


class EvidenceClash(ValueError):
    """The same key holds things that cannot be joined, such as a number here and a list there."""


def merge_evidence(a: Mapping[str, Any], b: Mapping[str, Any]) -> dict[str, Any]:
    """Join two pieces of evidence; neither is changed.

    Numbers add up, lists are united and sorted, mappings are merged key by key, of two booleans the truer one
    stands, and unequal texts become a list of both. The order does not matter, nor how three are bracketed
    (count in whole numbers: the sum of fractions rounds).

    >>> merge_evidence({"hits": {"GET /a": 1}, "seen": ["b"]}, {"hits": {"GET /a": 2}, "seen": ["a"]})
    {'hits': {'GET /a': 3}, 'seen': ['a', 'b']}
    """
    return _merge_mappings(a, b, "")


def _merge_mappings(a: Mapping[str, Any], b: Mapping[str, Any], path: str) -> dict[str, Any]:
    return {
        key: _merge(a.get(key), b.get(key), f"{path}.{key}" if path else str(key)) for key in sorted({*a, *b})
    }


def _merge(a: Any, b: Any, path: str) -> Any:
    if a is None or b is None:
        return _settled(b if a is None else a, path)
    kinds = _kind(a), _kind(b)
    if kinds[0] != kinds[1]:
        raise EvidenceClash(f"evidence at {path!r} is a {kinds[0]} in one place and a {kinds[1]} in another")
    if kinds[0] == "mapping":
        return _merge_mappings(a, b, path)
    if kinds[0] == "number":
        return a + b
    if kinds[0] == "boolean":
        return a or b
    if isinstance(a, str) and a == b:
        return a
    return _united([*_as_list(a), *_as_list(b)])


def _settled(value: Any, path: str) -> Any:
    """What has nothing to be joined with, brought into the form that joining would give it."""
    if isinstance(value, Mapping):
        return _merge_mappings(value, {}, path)
    return _united(value) if isinstance(value, list | tuple | set | frozenset) else value


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return "mapping" if isinstance(value, Mapping) else "list"


def _as_list(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list | tuple | set | frozenset) else [value]


def _united(values: Iterable[Any]) -> list[Any]:
    values = list(values)
    if all(type(value) is str for value in values):
        return sorted(set(values))  # what most lists hold, at a tenth of the time
    distinct = {json.dumps(value, sort_keys=True, default=str): value for value in values}
    return [distinct[text] for text in sorted(distinct, key=lambda text: _order(distinct[text], text))]


def _order(value: Any, text: str) -> tuple[int, float, str]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return 0, value, text
    return 1, 0, value if isinstance(value, str) else text
