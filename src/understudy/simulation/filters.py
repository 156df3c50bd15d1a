"""Which objects are asked for: property paths with values or operators, as one predicate."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from understudy.core.brief import brief
from understudy.core.errors import InputError, Problem
from understudy.core.nearness import closest_name
from understudy.simulation.moments import moment

__all__ = ["Predicate", "Wanted", "read_filters", "spec_version_of"]

Predicate = Callable[[Mapping[str, Any]], bool]
Test = Callable[[Any], bool]

_STEP = re.compile(r"'([^']*)'|\"([^\"]*)\"|([^.\[\]'\"]+)")
_TAXII = re.compile(r"match\[(\w+)\]")
_MANY = (list, tuple, set, frozenset)


class Wanted:
    """What filters say: an id or a type that narrows the search, versions, and a predicate for the rest."""

    __slots__ = ("ids", "kinds", "predicates", "versions")

    def __init__(self) -> None:
        self.ids: list[Any] | None = None
        self.kinds: list[str] | None = None
        self.versions: Any = None
        self.predicates: list[Predicate] = []

    def matches(self, obj: Mapping[str, Any]) -> bool:
        """True if every predicate holds."""
        return all(predicate(obj) for predicate in self.predicates)


def read_filters(filters: Any) -> Wanted:
    """Filters in any of their forms. Raises InputError.

    A mapping of property paths to a value, to several (any of them) or to operators; TAXII's names may be written
    `match[type]`, with several values joined by commas; or a list of (path, operator, value), as stix2's Filter is.
    Where a path meets a list, one of its items has to match; a name with a dot in it stands in quotes.

    >>> wanted = read_filters({"confidence": {">=": 50}, "kill_chain_phases.phase_name": ["delivery", "c2"]})
    >>> wanted.matches({"confidence": 70, "kill_chain_phases": [{"phase_name": "c2"}]})
    True
    """
    wanted = Wanted()
    for path, operator_name, value in _conditions(filters):
        _add(wanted, path, operator_name, value)
    return wanted


def spec_version_of(obj: Mapping[str, Any]) -> Any:
    """The STIX version of an object that may not say it: 2.0 had no other objects than those that are created."""
    said = obj.get("spec_version")
    if said is not None:
        return said
    return "2.0" if "created" in obj else "2.1"


def _conditions(filters: Any) -> Iterable[tuple[str, str, Any]]:
    if filters is None:
        return
    if isinstance(filters, Mapping):
        for path, value in filters.items():
            if isinstance(value, Mapping):
                if not value:
                    hint = "give one, such as {'=': {}} for an empty object"
                    raise _wrong(f"the filter of {brief(path)} has no operator", hint)
                for name, operand in value.items():
                    yield path, name, operand
            else:
                yield path, "in" if isinstance(value, _MANY) else "=", value
        return
    if isinstance(filters, tuple) and hasattr(filters, "_fields"):  # a single stix2 Filter
        filters = [filters]
    if not isinstance(filters, Iterable) or isinstance(filters, str | bytes):
        raise _wrong(f"filters are a mapping of property paths to values, not {brief(filters)}")
    for condition in filters:
        if not isinstance(condition, tuple | list) or len(condition) != 3:
            raise _wrong(f"a filter in a list is (path, operator, value), not {brief(condition)}")
        yield condition[0], condition[1], condition[2]


def _add(wanted: Wanted, path: Any, name: Any, value: Any) -> None:
    if not isinstance(path, str) or not path:
        raise _wrong(f"a filter names a property by its path, not by {brief(path)}")
    taxii = _TAXII.fullmatch(path)
    if taxii:
        path = taxii[1]
        if path not in ("id", "type", "version", "spec_version"):
            raise _wrong(f"there is no match[{path}]: write the property without match[...]")
        if isinstance(value, str):
            name, value = "in", value.split(",")
    if path == "version":
        wanted.versions = value
        return
    test = _test(name, value)
    values = _equal_to(name, value)
    if path == "id" and values is not None and wanted.ids is None:
        wanted.ids = values
    elif path == "type" and values is not None and wanted.kinds is None:
        wanted.kinds = [kind for kind in values if isinstance(kind, str)]
    elif path == "spec_version":
        wanted.predicates.append(lambda obj: test(spec_version_of(obj)))
    else:
        wanted.predicates.append(_predicate(path, name, test, value))


def _equal_to(name: str, value: Any) -> list[Any] | None:
    if name == "=":
        return [value]
    return list(value) if name == "in" else None


def _predicate(path: str, name: str, test: Test, value: Any) -> Predicate:
    steps = ["".join(match.groups(default="")) for match in _STEP.finditer(path)]
    if not steps:
        raise _wrong(f"{brief(path)} is no path of a property", "write names, with '.' between them")
    if name == "exists":
        return lambda obj: any(True for _ in _found(obj, steps)) is bool(value)
    if name == "!=":
        return lambda obj: all(map(test, _found(obj, steps)))
    return lambda obj: any(map(test, _found(obj, steps)))


def _found(value: Any, steps: Sequence[str]) -> Iterable[Any]:
    """Every value that a path leads to; an item of a list is taken by its number or by trying all."""
    for number, step in enumerate(steps):
        if isinstance(value, Mapping):
            if step not in value:
                return
            value = value[step]
        elif isinstance(value, list | tuple):
            if step.isdecimal():
                if int(step) >= len(value):
                    return
                value = value[int(step)]
            else:
                for item in value:
                    yield from _found(item, steps[number:])
                return
        else:
            return
    yield value
    if isinstance(value, list | tuple):
        yield from value


def _test(name: Any, value: Any) -> Test:
    make = _OPERATORS.get(name) if isinstance(name, str) else None
    if make is None:
        near = closest_name(str(name), _OPERATORS)
        hint = f"did you mean {near!r}?" if near else f"there are {', '.join(_OPERATORS)}"
        raise _wrong(f"a filter has no operator {brief(name)}", hint)
    return make(value)


def _equals(wanted: Any) -> Test:
    when = moment(wanted)
    if when is None:
        return lambda found: bool(found == wanted)
    return lambda found: found == wanted or moment(found) == when


def _one_of(wanted: Any) -> Test:
    if not isinstance(wanted, Collection) or isinstance(wanted, str | bytes | Mapping):
        raise _wrong(f"the operator 'in' takes a list of values, not {brief(wanted)}")
    tests = [_equals(value) for value in wanted]
    return lambda found: any(test(found) for test in tests)


def _unlike(wanted: Any) -> Test:
    same = _equals(wanted)
    return lambda found: not same(found)


def _compares(compare: Callable[[Any, Any], bool]) -> Callable[[Any], Test]:
    def make(wanted: Any) -> Test:
        when = moment(wanted)

        def test(found: Any) -> bool:
            at = moment(found) if when is not None else None
            try:
                return bool(compare(at, when) if at is not None else compare(found, wanted))
            except TypeError:  # a text is neither before nor after a number
                return False

        return test

    return make


def _contains(wanted: Any) -> Test:
    def test(found: Any) -> bool:
        try:
            return wanted in found
        except TypeError:
            return False

    return test


def _fits(wanted: Any) -> Test:
    try:
        pattern = re.compile(wanted)
    except (re.error, TypeError) as error:
        raise _wrong(f"{brief(wanted)} is no regular expression: {error}") from None
    return lambda found: isinstance(found, str) and pattern.search(found) is not None


_OPERATORS: dict[str, Callable[[Any], Test]] = {
    "=": _equals,
    "!=": _unlike,
    "in": _one_of,
    "<": _compares(operator.lt),
    "<=": _compares(operator.le),
    ">": _compares(operator.gt),
    ">=": _compares(operator.ge),
    "contains": _contains,
    "matches": _fits,
    "exists": lambda wanted: lambda found: True,
}


def _wrong(message: str, hint: str = "") -> InputError:
    return InputError([Problem(message, hint=hint)])
