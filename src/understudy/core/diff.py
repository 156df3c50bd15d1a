"""What differs between what was expected and what came: every difference, named by its path."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from numbers import Number
from typing import Any, Literal

from understudy.core.brief import brief, brief_pair, json_type
from understudy.core.nearness import closest_name, nearest
from understudy.core.text_diff import text_diff

__all__ = ["Difference", "closest_name", "diff", "differences", "nearest", "structural_diff", "text_diff"]

Kind = Literal["changed", "missing", "added", "type"]
_Path = tuple[Any, ...]  # linked: (parent path, key), so that deep data does not build long texts
_Visit = tuple[_Path, Any, Any]

_ABSENT: Any = object()
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LOOK_AHEAD = 8
_ALIGNMENT_BUDGET = 200_000
_LINES_SHOWN = 50
_COUNTED = 5_000
_PATH_SHOWN = 300
_KEYS_SHOWN = 100
_PARSED_AS_JSON = 4 << 20


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where the data differ. What is not there (`missing`, `added`) is None on its side."""

    path: str
    kind: Kind
    expected: Any
    actual: Any

    def __str__(self) -> str:
        path = self.path
        if len(path) > _PATH_SHOWN:
            path = f"{path[: _PATH_SHOWN // 3]}…{path[-_PATH_SHOWN // 3 * 2 :]}"
        if self.kind == "missing":
            return f"{path}: is missing, expected {brief(self.expected)}"
        if self.kind == "added":
            return f"{path}: was not expected, got {brief(self.actual)}"
        expected, actual = brief_pair(self.expected, self.actual)
        if self.kind == "type":
            expected += f" ({json_type(self.expected)})"
            actual += f" ({json_type(self.actual)})"
        return f"{path}: expected {expected}, got {actual}"


def differences(expected: Any, actual: Any, *, limit: int = 200) -> list[Difference]:
    """Every difference between two JSON-like values, in the order of `expected`, at most `limit` of them.

    `True` is not `1`, but `1` is `1.0`; tuples are lists. Lists are compared item by item; where one is
    longer, the items are aligned first, so that one inserted item is one difference.

    >>> for found in differences({"items": [{"name": "a"}], "n": 1}, {"items": [{"name": "b"}], "n": 1.0}):
    ...     print(found)
    $.items[0].name: expected "a", got "b"
    """
    if limit <= 0:
        return []
    found: list[Difference] = []
    walk = _Walk()
    for difference in walk.differences(expected, actual):
        found.append(difference)
        if len(found) >= limit:
            break
    return found


def structural_diff(expected: Any, actual: Any) -> str:
    """One line for each difference, with its path; '' if there is none."""
    found = differences(expected, actual, limit=_COUNTED)
    lines = [str(difference) for difference in found[:_LINES_SHOWN]]
    more = len(found) - len(lines)
    if more:
        at_least = "at least " if len(found) == _COUNTED else ""
        lines.append(f"… and {at_least}{more:,} more {'difference' if more == 1 else 'differences'}")
    return "\n".join(lines)


def diff(expected: Any, actual: Any) -> str:
    """The diff that suits the values: by line for text, by path for data and for texts that are JSON both."""
    if isinstance(expected, bytes | bytearray) and isinstance(actual, bytes | bytearray):
        expected, actual = (bytes(side).decode("utf-8", "backslashreplace") for side in (expected, actual))
    if isinstance(expected, str) and isinstance(actual, str):
        left, right = _parsed(expected), _parsed(actual)
        by_path = structural_diff(left, right) if left is not None and right is not None else ""
        return by_path or text_diff(expected, actual)
    return structural_diff(expected, actual)


def _parsed(text: str) -> Any:
    """The JSON container that a text is, or None."""
    if len(text) > _PARSED_AS_JSON or not text.lstrip(" \t\r\n").startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


class _Walk:
    """Compares depth first without recursion; what is shared or circular in the data is compared once."""

    def __init__(self, budget: int | None = None) -> None:
        self._budget = budget
        self._alignment = _ALIGNMENT_BUDGET
        self._equal: set[tuple[int, int]] = set()

    def differences(self, expected: Any, actual: Any) -> Iterator[Difference]:
        count = 0
        root: Iterator[_Visit] = iter([((), expected, actual)])
        # frames: what is left to visit, the pair being visited, and how many differences were known before it
        frames: list[tuple[Iterator[_Visit], tuple[int, int], int]] = [(root, (0, 0), 0)]
        active: set[tuple[int, int]] = set()
        while frames:
            visits, pair, before = frames[-1]
            visit = next(visits, None)
            if visit is None:
                frames.pop()
                active.discard(pair)
                if count == before:
                    self._equal.add(pair)
                continue
            path, left, right = visit
            kind = self._judge(left, right)
            if kind is not None:
                count += 1
                yield Difference(
                    _render(path),
                    kind,
                    None if kind == "added" else left,
                    None if kind == "missing" else right,
                )
            elif left is not right and isinstance(left, Mapping | list | tuple):
                pair = (id(left), id(right))
                if pair not in active and pair not in self._equal:
                    active.add(pair)
                    frames.append((self._children(path, left, right), pair, count))

    def _judge(self, left: Any, right: Any) -> Kind | None:
        """How the two differ by themselves; None for equal scalars and for containers of one type."""
        if self._budget is not None:
            self._budget -= 1
            if self._budget < 0:
                raise _OutOfBudget
        if right is _ABSENT:
            return "missing"
        if left is _ABSENT:
            return "added"
        if left is right:
            return None
        if json_type(left) != json_type(right):
            return "type"
        if isinstance(left, Mapping | list | tuple):
            return None
        return None if _equal_scalars(left, right) else "changed"

    def _children(self, path: _Path, left: Any, right: Any) -> Iterator[_Visit]:
        if isinstance(left, Mapping):
            shared = (((path, key), value, right.get(key, _ABSENT)) for key, value in left.items())
            added = (((path, key), _ABSENT, value) for key, value in right.items() if key not in left)
            return chain(shared, added)
        if len(left) == len(right) or self._budget is not None:
            return self._by_position(path, left, right)
        return self._aligned(path, left, right)

    @staticmethod
    def _by_position(path: _Path, left: Sequence[Any], right: Sequence[Any]) -> Iterator[_Visit]:
        for index in range(max(len(left), len(right))):
            yield (
                (path, index),
                left[index] if index < len(left) else _ABSENT,
                right[index] if index < len(right) else _ABSENT,
            )

    def _aligned(self, path: _Path, left: Sequence[Any], right: Sequence[Any]) -> Iterator[_Visit]:
        """Pairs items of lists of different lengths: where they stop being equal, looks a few items ahead."""
        here = there = 0
        while here < len(left) and there < len(right):
            if len(left) - here != len(right) - there and not self._same(left[here], right[there]):
                skipped, inserted = self._resume(left, right, here, there)
                for index in range(here, here + skipped):
                    yield ((path, index), left[index], _ABSENT)
                for index in range(there, there + inserted):
                    yield ((path, index), _ABSENT, right[index])
                here, there = here + skipped, there + inserted
            yield ((path, here), left[here], right[there])
            here, there = here + 1, there + 1
        for index in range(here, len(left)):
            yield ((path, index), left[index], _ABSENT)
        for index in range(there, len(right)):
            yield ((path, index), _ABSENT, right[index])

    def _resume(self, left: Sequence[Any], right: Sequence[Any], here: int, there: int) -> tuple[int, int]:
        """How many items to pass over on either side until the lists are equal again; none if that is far."""
        for ahead in range(1, _LOOK_AHEAD + 1):
            if here + ahead < len(left) and self._same(left[here + ahead], right[there]):
                return ahead, 0
            if there + ahead < len(right) and self._same(left[here], right[there + ahead]):
                return 0, ahead
        return 0, 0

    def _same(self, left: Any, right: Any) -> bool:
        """Whether two items are equal, within a budget for the whole comparison: no, when that is used up."""
        if self._alignment <= 0:
            return False
        walk = _Walk(self._alignment)
        try:
            return next(walk.differences(left, right), None) is None
        except _OutOfBudget:
            return False
        finally:
            self._alignment = max(walk._budget or 0, 0)


class _OutOfBudget(Exception):
    """The comparison of list items for their alignment has taken all the work that it may."""


def _equal_scalars(left: Any, right: Any) -> bool:
    try:
        if left == right:
            return True
        # NaN is no different from NaN to somebody who reads a diff
        return isinstance(left, Number) and bool(left != left) and bool(right != right)
    except Exception:  # a foreign __eq__ may do anything
        return False


def _render(path: _Path) -> str:
    parts: list[str] = []
    while path and len(parts) < _KEYS_SHOWN:
        path, key = path
        if isinstance(key, int) and not isinstance(key, bool):
            parts.append(f"[{key}]")
        elif isinstance(key, str) and _IDENTIFIER.fullmatch(key):
            parts.append(f".{key}")
        else:
            name = key if isinstance(key, str) else brief(key)
            quoted = json.dumps(name, ensure_ascii=False)[1:-1].replace('\\"', '"').replace("'", "\\'")
            parts.append(f"['{quoted}']")
    return "$" + "…" * bool(path) + "".join(reversed(parts))
