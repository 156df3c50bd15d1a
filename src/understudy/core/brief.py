"""Any value as a short piece of text for a message, however large, deep or strange the value is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import islice
from numbers import Number
from typing import Any

_WIDTH = 80
_DEPTH = 4
_ITEMS = 8


def json_type(value: Any) -> str:
    """What JSON calls the type of a value; what JSON has no word for goes by the name of its class.

    >>> json_type(True), json_type(1.5), json_type(None), json_type(("a",))
    ('boolean', 'number', 'null', 'array')
    """
    if isinstance(value, str):
        return "string"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, Number):
        return "number"
    if value is None:
        return "null"
    if isinstance(value, Mapping):
        return "object"
    if isinstance(value, list | tuple):
        return "array"
    return type(value).__name__


def brief(value: Any, width: int = _WIDTH) -> str:
    """A value in JSON's spelling on one line, cut with an ellipsis where it is long.

    >>> brief({"name": "first item", "tags": ["a", None, True]})
    '{"name": "first item", "tags": ["a", null, true]}'
    >>> brief("x" * 500, width=10)
    '"xxxxxxxxxx…" (500 characters)'
    """
    if isinstance(value, str):
        return _text(value, width)
    text = _container(value, width, _DEPTH)
    if len(text) <= width:
        return text
    size = f" ({len(value):,} {_item_word(value)})" if isinstance(value, Mapping | list | tuple) else ""
    return f"{text[:width]}…{size}"


def brief_pair(expected: Any, actual: Any) -> tuple[str, str]:
    """Two different values, cut so that what makes them differ is still to be seen.

    >>> brief_pair("a" * 200 + "x", "a" * 200 + "y")
    ('"…aaaaaaaaaaaaaaaaaaaax" (201 characters)', '"…aaaaaaaaaaaaaaaaaaaay" (201 characters)')
    """
    if not (isinstance(expected, str) and isinstance(actual, str)):
        return brief(expected), brief(actual)
    start = max(first_difference(expected, actual) - 20, 0)
    if start and max(len(expected), len(actual)) > _WIDTH:
        return _text(expected, _WIDTH, start), _text(actual, _WIDTH, start)
    return _text(expected, _WIDTH), _text(actual, _WIDTH)


def first_difference(left: str, right: str) -> int:
    """The index of the first character in which two texts differ, found in C by halving."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def visible(text: str) -> str:
    """A text with everything that cannot be seen written as an escape.

    >>> visible("a\\u200bb\\tc")
    'a\\\\u200bb\\\\tc'
    """
    if text.isprintable():
        return text
    escape = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}
    return "".join(
        c if c.isprintable() else escape.get(c) or c.encode("unicode_escape").decode("ascii") for c in text
    )


def _text(value: str, width: int, start: int = 0) -> str:
    part = value[start : start + width]
    before, after = "…" if start else "", "…" if start + width < len(value) else ""
    quoted = visible(json.dumps(part, ensure_ascii=False)[1:-1])
    size = f" ({len(value):,} characters)" if before or after else ""
    return f'"{before}{quoted}{after}"{size}'


def _container(value: Any, width: int, depth: int) -> str:
    if isinstance(value, str):
        return _text(value, width)
    if isinstance(value, Mapping | list | tuple) and not depth:
        inside = "…" if len(value) else ""
        return f"{{{inside}}}" if isinstance(value, Mapping) else f"[{inside}]"
    if isinstance(value, Mapping):
        entries = [
            f"{_text(_name(key), width)}: {_container(entry, width, depth - 1)}"
            for key, entry in islice(value.items(), _ITEMS)
        ]
        return "{" + ", ".join(entries + ["…"] * (len(value) > _ITEMS)) + "}"
    if isinstance(value, list | tuple):
        items = [_container(entry, width, depth - 1) for entry in value[:_ITEMS]]
        return "[" + ", ".join(items + ["…"] * (len(value) > _ITEMS)) + "]"
    return _scalar(value)


def _scalar(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    try:
        return visible(str(value) if isinstance(value, int | float) else repr(value))
    except Exception:  # a foreign __repr__ may do anything, and so may an integer of 5,000 digits
        return f"<{type(value).__name__}>"


def _name(key: Any) -> str:
    return key if isinstance(key, str) else _scalar(key)


def _item_word(value: Any) -> str:
    word = "key" if isinstance(value, Mapping) else "item"
    return word if len(value) == 1 else word + "s"
