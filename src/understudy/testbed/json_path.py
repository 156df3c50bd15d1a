"""Finds values in JSON by path: RFC 9535 (`$.items[0].id`), dotted (`items[0].id`, `items.0.id`), or `/items/0/id`."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from understudy.core.errors import InputError, UnderstudyError, missing_extra
from understudy.core.nearness import closest_name

Finder = Callable[[Any], list[Any]]
_DOTTED = re.compile(r"[^.\[\]]+|\[(\d+)\]|\[(['\"])(.*?)\2\]")
_NOTHING = object()


class PathSyntaxError(InputError):
    """The path cannot be read."""


class PathNotWalked(UnderstudyError):
    """The document is such that the path cannot be followed in it, as when it is nested too deeply."""


@lru_cache(maxsize=4096)
def compile_path(path: str) -> tuple[Finder, bool]:
    """A function that finds all values at the path, and whether the path can find one at most.

    >>> find, single = compile_path("items[0].name")
    >>> find({"items": [{"name": "tea"}]}), single
    (['tea'], True)
    """
    if path.startswith("$"):
        return _standard(path)
    if path.startswith("/"):
        segments = [part.replace("~1", "/").replace("~0", "~") for part in path[1:].split("/")]
    else:
        segments = _dotted(path)
    return (lambda data: _walk(data, segments)), True


def missing_hint(path: str, data: Any) -> str:
    """Where a path that can find one value at most leaves the data, and what stands there instead."""
    if path.startswith("$"):
        text, dollar = path[1:], "$"
    else:
        text, dollar = path, ""
    try:
        segments = path[1:].split("/") if path.startswith("/") else _dotted(text.removeprefix("."))
    except PathSyntaxError:
        return ""
    here, walked = data, dollar
    for segment in segments:
        found = _step(here, segment)
        if found is _NOTHING:
            return f"at {walked or 'the top'} there {_what_is_there(here, segment)}"
        here, walked = found, f"{walked}.{segment}" if walked else segment
    return ""


def _what_is_there(value: Any, segment: str) -> str:
    if isinstance(value, dict):
        near = closest_name(segment, value)
        names = ", ".join(list(value)[:12]) + (", ..." if len(value) > 12 else "")
        keys = f"is an object with the keys {names}" if value else "is an object without keys"
        return f"{keys}; did you mean {near!r}?" if near else keys
    if isinstance(value, list):
        return f"is a list of {len(value)}"
    return f"is {value!r}" if len(repr(value)) < 80 else f"is a {type(value).__name__}"


def _standard(path: str) -> tuple[Finder, bool]:
    try:
        import jsonpath_rfc9535
    except ImportError:
        raise missing_extra("testbed", "jsonpath-rfc9535") from None
    try:
        query = jsonpath_rfc9535.compile(path)
    except (jsonpath_rfc9535.JSONPathError, RecursionError) as error:
        raise PathSyntaxError(f"{path!r} is no JSONPath: {error}") from None

    def find(data: Any) -> list[Any]:
        if not isinstance(data, dict | list):
            # A body that is a plain value has nothing but itself to find.
            return [data] if path == "$" else []
        try:
            return list(query.find(data).values())
        except (jsonpath_rfc9535.JSONPathError, RecursionError) as error:
            raise PathNotWalked(f"{path} cannot be looked for in this document: {error}") from None

    return find, query.singular_query()


def _dotted(path: str) -> list[str]:
    segments, position = [], 0
    for found in _DOTTED.finditer(path):
        between = path[position : found.start()]
        if between not in ("", ".") or (between == "" and position and found[0][0] != "["):
            break
        segments.append(found[1] or found[3] or found[0])
        position = found.end()
    if not segments or position != len(path):
        raise PathSyntaxError(f"{path!r} is no path: write $.items[0].id, items[0].id or /items/0/id")
    return segments


def _walk(data: Any, segments: list[str]) -> list[Any]:
    for segment in segments:
        data = _step(data, segment)
        if data is _NOTHING:
            return []
    return [data]


def _step(data: Any, segment: str) -> Any:
    if isinstance(data, dict):
        return data.get(segment, _NOTHING)
    if isinstance(data, list) and segment.isascii() and segment.isdigit() and int(segment) < len(data):
        return data[int(segment)]
    return _NOTHING
