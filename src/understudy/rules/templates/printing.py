"""Values as Go's fmt prints them without a format: `%v`, Print and Println."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from understudy.rules.templates.values import Struct

NIL = "<nil>"
NO_VALUE = "<no value>"
_DEPTH = 100


def printed(value: Any) -> str:
    """What `%v` makes of a value.

    >>> printed({"b": [1, 2.5, None], "a": True})
    'map[a:true b:[1 2.5 <nil>]]'
    """
    kind = type(value)
    if kind is str:
        return value  # type: ignore[no-any-return]  # mypy does not narrow by `type(...) is`
    if kind is int:
        return str(value)
    return _printed(value, _DEPTH)


def joined(values: Sequence[Any]) -> str:
    """What Go's Print makes of several values: a blank stands between two if neither is a string.

    >>> joined([1, 2, "a", "b", 3, None])
    '1 2ab3 <nil>'
    """
    pieces: list[str] = []
    for index, value in enumerate(values):
        if index and not isinstance(value, str) and not isinstance(values[index - 1], str):
            pieces.append(" ")
        pieces.append(printed(value))
    return "".join(pieces)


def shortest_float(value: float, upper: bool = False) -> str:
    """A float in the fewest digits that tell it apart, with an exponent from 1e+06 and below 1e-04.

    >>> shortest_float(2.0), shortest_float(1000000.0), shortest_float(0.00001), shortest_float(123456.5)
    ('2', '1e+06', '1e-05', '123456.5')
    """
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "+Inf" if value > 0 else "-Inf"
    sign, digit_tuple, exponent = Decimal(repr(value)).as_tuple()
    digits = "".join(map(str, digit_tuple)).rstrip("0")
    power = len(digit_tuple) + int(exponent) - 1
    prefix = "-" if sign else ""
    if not digits:
        return prefix + "0"
    if not -4 <= power < 6:
        fraction = f".{digits[1:]}" if len(digits) > 1 else ""
        return f"{prefix}{digits[0]}{fraction}{'E' if upper else 'e'}{power:+03d}"
    if power < 0:
        return f"{prefix}0.{'0' * (-power - 1)}{digits}"
    whole = digits[: power + 1].ljust(power + 1, "0")
    fraction = digits[power + 1 :]
    return f"{prefix}{whole}.{fraction}" if fraction else prefix + whole


def _printed(value: Any, depth: int) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return NIL
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, float):
        return shortest_float(value)
    if isinstance(value, int):
        return str(value)
    if not depth:
        return "…"
    if isinstance(value, Mapping):
        entries = (f"{key}:{_printed(value[key], depth - 1)}" for key in sorted(value, key=str))
        return f"map[{' '.join(entries)}]"
    if isinstance(value, list | tuple):
        return f"[{' '.join(_printed(item, depth - 1) for item in value)}]"
    if isinstance(value, Struct):
        fields = (f"{name}:{_printed(value.get(name), depth - 1)}" for name in sorted(value.fields))
        return f"{{{' '.join(fields)}}}"
    return str(value)
