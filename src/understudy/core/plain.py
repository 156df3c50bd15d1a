"""Any value as plain JSON data of bounded size, so that it can be kept in a failure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Set
from itertools import islice
from typing import Any

from understudy.core.brief import brief

_DEPTH = 40
_ITEMS = 1_000
_CHARACTERS = 100_000
_LARGE = 10**300


def plain(value: Any) -> Any:
    """The value as JSON data; what JSON has no form for is shown as Python shows it, and what is long is cut.

    >>> plain({"a": (1, None), 2: {3}, "b": b"x"})
    {'a': [1, None], '2': [3], 'b': "b'x'"}
    """
    return _plain(value, _DEPTH)


def _plain(value: Any, depth: int) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _cut(str(value))
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(float(value))
    if isinstance(value, int):
        return int(value) if -_LARGE < value < _LARGE else brief(value)
    if not isinstance(value, Mapping | list | tuple | Set):
        return _cut(_shown(value))
    if not depth:
        return brief(value)
    if isinstance(value, Mapping):
        entries = {
            _cut(key if isinstance(key, str) else _shown(key)): _plain(entry, depth - 1)
            for key, entry in islice(value.items(), _ITEMS)
        }
        return entries | ({"…": f"{len(value) - _ITEMS:,} more"} if len(value) > _ITEMS else {})
    items = sorted(value, key=_shown) if isinstance(value, Set) else value
    more = [f"… {len(items) - _ITEMS:,} more"] if len(items) > _ITEMS else []
    return [*(_plain(item, depth - 1) for item in islice(items, _ITEMS)), *more]


def _shown(value: Any) -> str:
    try:
        return repr(value)
    except Exception:  # a foreign __repr__ may do anything
        return f"<{type(value).__name__}>"


def _cut(text: str) -> str:
    if len(text) <= _CHARACTERS:
        return text
    return f"{text[:_CHARACTERS]}… ({len(text):,} characters)"
