"""eq, ne, lt, le, gt and ge, which compare values of one basic kind only."""

from __future__ import annotations

from typing import Any

from understudy.rules.templates.faults import FunctionFault
from understudy.rules.templates.printing import printed
from understudy.rules.templates.values import type_name

_UNORDERED = "invalid type for comparison"


def equal(first: Any, *others: Any) -> bool:
    """Whether the first argument equals one of the others; numbers of different kinds are an error, as in Go.

    >>> equal("a", "b", "a"), equal(None, "a")
    (True, False)
    """
    if not others:
        raise FunctionFault("missing argument for comparison", "eq takes two arguments or more")
    return any(_same(first, other) for other in others)


def unequal(first: Any, other: Any) -> bool:
    """Whether two values differ."""
    return not _same(first, other)


def less(first: Any, other: Any) -> bool:
    """Whether the first of two numbers or strings comes before the other."""
    kind = _ordered_kind(first)
    if kind != _ordered_kind(other):
        raise _incompatible(first, other)
    if kind == "bool":
        raise FunctionFault(_UNORDERED, "only numbers and strings have an order")
    if kind == "string":
        return bool(first.encode("utf-8", "surrogatepass") < other.encode("utf-8", "surrogatepass"))
    return bool(first < other)


def less_or_equal(first: Any, other: Any) -> bool:
    """Whether the first of two numbers or strings does not come after the other."""
    return less(first, other) or _same(first, other)


def greater(first: Any, other: Any) -> bool:
    """Whether the first of two numbers or strings comes after the other."""
    return not less_or_equal(first, other)


def greater_or_equal(first: Any, other: Any) -> bool:
    """Whether the first of two numbers or strings does not come before the other."""
    return not less(first, other)


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int"
    if isinstance(value, float):
        return "float"
    return "string" if isinstance(value, str) else ""


def _ordered_kind(value: Any) -> str:
    kind = _kind(value)
    if not kind:
        raise FunctionFault(
            _UNORDERED, f"{type_name(value)} has no order: compare a number or a string of it"
        )
    return kind


def _same(first: Any, other: Any) -> bool:
    kind, other_kind = _kind(first), _kind(other)
    if kind != other_kind:
        if first is None or other is None:
            return False
        raise _incompatible(first, other)
    if kind or first is None or other is None:
        return bool(first == other)
    message = f"non-comparable type {printed(other)[:80]}: {type_name(other)}"
    raise FunctionFault(message, "compare a number or a string of it")


def _incompatible(first: Any, other: Any) -> FunctionFault:
    names = type_name(first), type_name(other)
    hint = "convert one of them with print"
    if set(names) == {"int", "float64"}:
        hint = "Go does not compare whole numbers with floats: write both with a point, or neither"
    return FunctionFault(f"incompatible types for comparison: {names[0]} and {names[1]}", hint)
