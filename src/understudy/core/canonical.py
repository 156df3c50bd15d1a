"""One text for equal data, whatever its order, and its hash: what was read or written is known by its content."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Set
from datetime import date, time
from typing import Any

from understudy.core.portable import portable_text

_PLAIN_REPR: Any = object.__repr__
_ESCAPED = json.JSONEncoder(ensure_ascii=True).encode
_FAST = json.JSONEncoder(ensure_ascii=True, sort_keys=True, separators=(",", ":"), allow_nan=False).encode


def canonical(value: Any) -> str:
    """The value as JSON with sorted keys and no spaces; the same for data that is equal.

    What JSON has no form for (times, bytes, sets, objects with `to_dict`) is written as a mapping with one key
    that begins with `$`. Data that holds itself is written too, at any depth.

    >>> canonical({"b": 1, "a": [True, None, "x"]})
    '{"a":[true,null,"x"],"b":1}'
    >>> canonical({"at": date(2026, 1, 2), "raw": b"hi"})
    '{"at":{"$date":"2026-01-02"},"raw":{"$bytes":"6869"}}'
    """
    try:
        return _FAST(value)
    except (TypeError, ValueError, RecursionError):
        return "".join(_written(value))


def content_hash(value: Any) -> str:
    """The SHA-256 of the canonical text, with the name of the function before it.

    >>> content_hash({"a": 1, "b": 2}) == content_hash({"b": 2, "a": 1})
    True
    >>> content_hash({})
    'sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a'
    """
    return "sha256:" + hashlib.sha256(canonical(value).encode("ascii")).hexdigest()


def _written(value: Any) -> Iterator[str]:
    """The same text as the quick encoder's, without recursion, and with forms for what that one refuses."""
    inside: dict[int, int] = {}
    stack: list[tuple[Iterator[tuple[str, Any]], int, str]] = []
    before, item = "", value
    while True:
        yield before
        item = _with_form(item)
        if isinstance(item, Mapping | list | tuple):
            if id(item) in inside:
                yield f'{{"$again":{len(stack) - inside[id(item)]}}}'
            else:
                inside[id(item)] = len(stack)
                opening, closing, parts = _opened(item)
                yield opening
                # The stack keeps the item alive, so that its id stays its own.
                stack.append((parts, id(item), closing))
        else:
            yield _scalar(item)
        while stack:
            parts, identity, closing = stack[-1]
            found = next(parts, None)
            if found is not None:
                before, item = found
                break
            yield closing
            stack.pop()
            inside.pop(identity, None)
        if not stack:
            return


def _opened(item: Any) -> tuple[str, str, Iterator[tuple[str, Any]]]:
    if isinstance(item, Mapping):
        return "{", "}", _entries(item)
    return "[", "]", (("," if number else "", entry) for number, entry in enumerate(item))


def _entries(item: Mapping[Any, Any]) -> Iterator[tuple[str, Any]]:
    try:
        keys = sorted(item)
    except TypeError:
        keys = sorted(item, key=lambda key: (type(key).__name__, _key(key)))
    for number, key in enumerate(keys):
        yield f"{',' if number else ''}{_ESCAPED(_key(key))}:", item[key]


def _key(key: Any) -> str:
    if isinstance(key, str):
        return key
    return "".join(_written(list(key) if isinstance(key, tuple) else key))


def _scalar(item: Any) -> str:
    if isinstance(item, float) and not math.isfinite(item):
        return f'{{"$float":"{float(item)!r}"}}'
    if isinstance(item, str):
        return _ESCAPED(str(item))
    return _FAST(item)


def _with_form(item: Any) -> Any:
    """The item, or what stands for it where JSON has no form."""
    if item is None or isinstance(item, bool | str | int | float | Mapping | list | tuple):
        return item
    if isinstance(item, date | time):
        return {f"${'date' if type(item) is date else 'time'}": item.isoformat()}
    if isinstance(item, bytes | bytearray | memoryview):
        return {"$bytes": bytes(item).hex()}
    if isinstance(item, Set):
        return {"$set": sorted(canonical(entry) for entry in item)}
    if callable(getattr(item, "to_dict", None)) and not isinstance(item, type):
        return {"$object": item.to_dict()}
    return {"$object": portable_text(_shown(item))}


def _shown(item: Any) -> str:
    """What an object says of itself, unless that names where it lies in memory, which no other run repeats."""
    kind = type(item)
    if callable(item) or getattr(kind, "__repr__", None) is _PLAIN_REPR:
        return f"{kind.__module__}.{kind.__qualname__}"
    try:
        return repr(item)
    except Exception:  # a foreign __repr__ may do anything
        return f"{kind.__module__}.{kind.__qualname__}"
