"""Copies of objects: one that the store owns, made with care, and the quick ones that are handed out."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Mapping, Set
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import partial
from typing import Any, cast
from uuid import UUID

from understudy.core.errors import InputError, Problem

DEPTH_LIMIT = 100
CONTAINER_LIMIT = 250_000

Copier = Callable[[], dict[str, Any]]

_IMMUTABLE = (
    str, int, float, complex, bytes, type(None), date, time, timedelta, Decimal, Fraction, UUID, Enum, type,
)  # fmt: skip
_ATOMS = frozenset({*_IMMUTABLE, bool, datetime}) - {Enum, type}


class _Refused(Exception):
    """The quick way cannot copy this; a second look says why and where."""


def owned(value: Mapping[str, Any], name: str = "the object") -> dict[str, Any]:
    """A deep copy that nobody else can reach. Mappings and stix2 objects within become dicts.

    Datetimes and bytes stay what they are. Raises InputError, with the path, for what refers back to itself, is
    deeper than 100 levels, larger than 250,000 containers, or cannot be copied.

    >>> loop = {"id": "tool--1", "parts": []}
    >>> loop["parts"].append(loop)
    >>> owned(loop)
    Traceback (most recent call last):
    understudy.core.errors.InputError: the object refers back to itself: $.parts[0] is $ again (break the cycle)
    """
    try:
        return _Taking().mapping(value, 1)
    except _Refused:
        raise InputError([_why(value, name)]) from None


def copier(mine: dict[str, Any]) -> Copier:
    """What makes deep copies of an owned object, as quickly as its content allows.

    >>> kept = owned({"name": "a", "labels": ["x"]})
    >>> handed_out = copier(kept)()
    >>> handed_out["labels"].append("y")
    >>> kept
    {'name': 'a', 'labels': ['x']}
    """
    return _dict_copier(mine)


def _dict_copier(mine: dict[Any, Any]) -> Callable[[], Any]:
    # what has to be copied is found out once, as objects are handed out far more often than they come in
    parts = tuple((key, _part(value)) for key, value in mine.items() if type(value) not in _ATOMS)
    return partial(_with_parts, mine, parts) if parts else mine.copy


def _with_parts(mine: dict[Any, Any], parts: tuple[tuple[Any, Callable[[], Any]], ...]) -> dict[Any, Any]:
    result = mine.copy()
    for key, make in parts:
        result[key] = make()
    return result


def _part(value: Any) -> Callable[[], Any]:
    kind = type(value)
    if kind is dict:
        return _dict_copier(value)
    if kind is list:
        if all(type(item) in _ATOMS for item in value):
            return cast("Callable[[], Any]", value.copy)
        return partial(_made, [_part(item) for item in value])
    if kind is tuple:
        return partial(_made_tuple, [_part(item) for item in value])
    if isinstance(value, _IMMUTABLE):
        return partial(_same, value)
    return partial(copy.deepcopy, value)


def _made(makers: list[Callable[[], Any]]) -> list[Any]:
    return [make() for make in makers]


def _made_tuple(makers: list[Callable[[], Any]]) -> tuple[Any, ...]:
    return tuple(make() for make in makers)


def _same(value: Any) -> Any:
    return value


class _Taking:
    """One object on its way into the store, with how much of it has been seen."""

    def __init__(self) -> None:
        self._containers = 0

    def mapping(self, value: Mapping[Any, Any], depth: int) -> dict[Any, Any]:
        self._count(depth)
        return {
            key: item if type(item) in _ATOMS else self._value(item, depth + 1) for key, item in value.items()
        }

    def _value(self, value: Any, depth: int) -> Any:
        if isinstance(value, _IMMUTABLE):
            return value
        if isinstance(value, Mapping):
            return self.mapping(unpacked(value), depth)
        kind = type(value)
        if kind is list or kind is tuple:
            self._count(depth)
            items = [item if type(item) in _ATOMS else self._value(item, depth + 1) for item in value]
            return items if kind is list else tuple(items)
        try:
            return copy.deepcopy(value)
        except Exception as error:
            raise _Refused from error

    def _count(self, depth: int) -> None:
        self._containers += 1
        if depth > DEPTH_LIMIT or self._containers > CONTAINER_LIMIT:
            raise _Refused


def unpacked(value: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """A stix2 object as the data that it serializes to; any other mapping as it is."""
    serialize = None if type(value) is dict else getattr(value, "serialize", None)
    if not callable(serialize):
        return value
    text = serialize()
    loaded = json.loads(text) if isinstance(text, str | bytes) else text
    return loaded if isinstance(loaded, Mapping) else value


def _why(value: Any, name: str) -> Problem:
    """What stands in the way of a copy. Walks on a stack of its own, as the data may be deeper than Python's."""
    open_at: dict[int, str] = {id(value): "$"}
    stack: list[tuple[str, Any, Iterator[tuple[str, Any]]]] = [("$", value, _children(value))]
    seen = 0
    while stack:
        path, container, children = stack[-1]
        step, child = next(children, ("", None))
        if not step:
            del open_at[id(container)]
            stack.pop()
            continue
        seen += 1
        place = path + step
        if id(child) in open_at:
            said = f"{name} refers back to itself: {_short(place)} is {_short(open_at[id(child)])} again"
            return Problem(said, hint="break the cycle")
        if len(stack) > 10 * DEPTH_LIMIT or seen > CONTAINER_LIMIT:
            break
        if isinstance(child, Mapping | list | tuple):
            open_at[id(child)] = place
            stack.append((place, child, _children(child)))
        elif not isinstance(child, _IMMUTABLE) and (trouble := _uncopyable(child)):
            return Problem(f"{name} holds a {type(child).__name__} at {_short(place)}: {trouble}")
    limits = f"{DEPTH_LIMIT} levels or {CONTAINER_LIMIT:,} containers"
    return Problem(f"{name} has more than {limits}", hint="flatten it, or keep the data beside it")


def _children(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        return ((f".{key}", item) for key, item in list(value.items()))
    return ((f"[{number}]", item) for number, item in enumerate(list(value)))


def _uncopyable(value: Any) -> str:
    if isinstance(value, Set | bytearray):
        return ""
    try:
        copy.deepcopy(value)
    except Exception as error:
        return f"it cannot be copied ({error})"
    return ""


def _short(path: str) -> str:
    return path if len(path) <= 200 else f"{path[:80]}…{path[-100:]}"
