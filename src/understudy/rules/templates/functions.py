"""The functions that every template has: Go's predefined ones, and the two that Minder adds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from understudy.core.brief import brief
from understudy.core.nearness import closest_name
from understudy.rules.templates import comparisons, escapes
from understudy.rules.templates.faults import FunctionFault
from understudy.rules.templates.formats import formatted
from understudy.rules.templates.printing import NO_VALUE, joined, printed
from understudy.rules.templates.values import truth, type_name

VALUE_LIMIT = 1 << 20
_UNBOUNDED = -1


@dataclass(frozen=True, slots=True)
class TemplateFunction:
    """A function of templates: how many arguments it takes (`most` -1: any number), and what it does."""

    call: Callable[..., Any]
    least: int
    most: int


def index(item: Any, *keys: Any) -> Any:
    """An element of lists and maps within each other; a key that a map lacks gives nil."""
    if item is None:
        raise FunctionFault("index of untyped nil", "the value is not set: test it with 'if' first")
    for key in keys:
        if item is None:
            raise FunctionFault("index of nil pointer", "the value is not set: test it with 'if' first")
        if isinstance(item, Mapping):
            if not isinstance(key, str):
                raise FunctionFault(f"value has type {type_name(key)}; should be string", "quote the key")
            item = item.get(key)
        elif isinstance(item, list | tuple):
            item = item[_position(key, len(item), "slice")]
        elif isinstance(item, str):
            data = item.encode("utf-8", "surrogatepass")
            item = data[_position(key, len(data), "string")]
        else:
            raise FunctionFault(f"can't index item of type {type_name(item)}", "give a list or a map")
    return item


def cut(item: Any, *bounds: Any) -> Any:
    """A part of a string or list: `slice x 1 3` is Go's x[1:3]."""
    if item is None:
        raise FunctionFault("slice of untyped nil", "the value is not set: test it with 'if' first")
    if not isinstance(item, str | list | tuple):
        raise FunctionFault(f"can't slice item of type {type_name(item)}", "give a string or a list")
    if len(bounds) > 3:
        raise FunctionFault(f"too many slice indexes: {len(bounds)}", "give at most a start and an end")
    if len(bounds) == 3 and isinstance(item, str):
        raise FunctionFault("cannot 3-index slice a string", "give a start and an end")
    # Strings are bytes in Go, and lists have no room beyond their end here.
    data = item.encode("utf-8", "surrogatepass") if isinstance(item, str) else item
    places = [_position(bound, len(data) + 1, "slice") for bound in bounds]
    start, end = places[0] if places else 0, places[1] if len(places) > 1 else len(data)
    for left, right in ((start, end), (end, places[2] if len(places) == 3 else len(data))):
        if left > right:
            raise FunctionFault(f"invalid slice index: {left} > {right}", "the start comes before the end")
    part = data[start:end]
    return part.decode("utf-8", "replace") if isinstance(part, bytes) else part


def length(item: Any) -> int:
    """How many elements, or bytes of a string, there are."""
    if isinstance(item, str):
        return len(item) if item.isascii() else len(item.encode("utf-8", "surrogatepass"))
    if isinstance(item, Mapping | list | tuple):
        return len(item)
    if item is None:
        raise FunctionFault("len of nil pointer", "the value is not set: test it with 'if' first")
    raise FunctionFault(f"len of type {type_name(item)}", "give a string, a list or a map")


def print_formatted(pattern: Any, *values: Any) -> str:
    """Go's Sprintf."""
    if not isinstance(pattern, str):
        raise FunctionFault(
            f"wrong type for value; expected string; got {type_name(pattern)}",
            "the first argument is the format",
        )
    return formatted(pattern, values, VALUE_LIMIT)


def print_line(*values: Any) -> str:
    """Go's Sprintln: blanks between all values, and a newline."""
    return _bounded(" ".join(map(printed, values)) + "\n")


def call(function: Any, *values: Any) -> Any:
    """Call a function that stands in the data."""
    if function is None:
        raise FunctionFault("call of nil", "the data have no such function")
    if not callable(function):
        raise FunctionFault(f"non-function of type {type_name(function)}", "only functions can be called")
    return function(*values)


def as_map(value: Any) -> Mapping[str, Any]:
    """A value as a map, as Minder's `asMap` gives it."""
    if value is None:
        raise FunctionFault("asMap called with nil", "the value is not set: test it with 'if' first")
    if not isinstance(value, Mapping):
        raise FunctionFault(f"invalid type: {type_name(value)}", "give a map, such as .Entity.Properties")
    return value


def map_get(value: Any, key: Any) -> Any:
    """An entry of a map, as Minder's `mapGet` gives it: a key that is not there is an error."""
    if value is None:
        raise FunctionFault("map is nil", f"the value is not set, so it has no {brief(key)}")
    if not isinstance(value, Mapping):
        raise FunctionFault(f"invalid type: {type_name(value)}", "give a map, such as .Entity.Properties")
    if key not in value:
        near = closest_name(str(key), map(str, value))
        hint = (
            f"did you mean '{near}'?"
            if near
            else f"it has: {', '.join(sorted(map(str, value))[:10]) or 'nothing'}"
        )
        raise FunctionFault(f"key not found: {key}", hint)
    return value[key]


def _position(key: Any, size: int, kind: str) -> int:
    if isinstance(key, bool) or not isinstance(key, int):
        message = f"cannot index slice/array with {'nil' if key is None else 'type ' + type_name(key)}"
        raise FunctionFault(message, f"a {kind} is indexed with a whole number")
    if not 0 <= key < size:
        raise FunctionFault(f"index out of range: {key}", "count the elements with len first")
    return key


def _textual(escape: Callable[[str], str]) -> Callable[..., str]:
    def apply(*values: Any) -> str:
        return _bounded(escape(_bounded(joined([NO_VALUE if value is None else value for value in values]))))

    return apply


def _bounded(text: str) -> str:
    # A value that doubles in every round of a range would else take all memory.
    if len(text) > VALUE_LIMIT:
        raise FunctionFault("exceeded size limit", "print less at once")
    return text


def _print(*values: Any) -> str:
    return _bounded(joined(values))


# `and` and `or` are known to the compiler, which evaluates no more of their arguments than needed.
PREDEFINED: Mapping[str, TemplateFunction] = {
    "and": TemplateFunction(lambda *values: values[-1], 1, _UNBOUNDED),
    "or": TemplateFunction(lambda *values: values[-1], 1, _UNBOUNDED),
    "not": TemplateFunction(lambda value: not truth(value), 1, 1),
    "len": TemplateFunction(length, 1, 1),
    "index": TemplateFunction(index, 1, _UNBOUNDED),
    "slice": TemplateFunction(cut, 1, _UNBOUNDED),
    "print": TemplateFunction(_print, 0, _UNBOUNDED),
    "printf": TemplateFunction(print_formatted, 1, _UNBOUNDED),
    "println": TemplateFunction(print_line, 0, _UNBOUNDED),
    "html": TemplateFunction(_textual(escapes.html), 0, _UNBOUNDED),
    "js": TemplateFunction(_textual(escapes.script), 0, _UNBOUNDED),
    "urlquery": TemplateFunction(_textual(escapes.url_query), 0, _UNBOUNDED),
    "call": TemplateFunction(call, 1, _UNBOUNDED),
    "eq": TemplateFunction(comparisons.equal, 1, _UNBOUNDED),
    "ne": TemplateFunction(comparisons.unequal, 2, 2),
    "lt": TemplateFunction(comparisons.less, 2, 2),
    "le": TemplateFunction(comparisons.less_or_equal, 2, 2),
    "gt": TemplateFunction(comparisons.greater, 2, 2),
    "ge": TemplateFunction(comparisons.greater_or_equal, 2, 2),
    "asMap": TemplateFunction(as_map, 1, 1),
    "mapGet": TemplateFunction(map_get, 2, 2),
}
