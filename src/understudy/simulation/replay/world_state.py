"""The state of the world that a pipeline works on, as plain data, and in what two states differ."""

from __future__ import annotations

import json
import re
import types
from collections import Counter, deque
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from understudy.core.brief import brief
from understudy.core.canonical import canonical, content_hash
from understudy.core.diff import differences
from understudy.core.errors import InputError, Problem
from understudy.simulation.replay.drawn_ids import without_drawn

_DEEPEST = 40
_MOST_PARTS = 1_000_000
_FILES = 10_000
_ADDRESS = re.compile(r"0x[0-9a-f]{6,}")  # where something lies in memory is no state
_WITHOUT_STATE = (type, types.FunctionType, types.MethodType, types.BuiltinFunctionType, types.ModuleType)


@dataclass(frozen=True, slots=True)
class StateDifference:
    """One place in which two states differ; `part` is the part of the world that it belongs to."""

    part: str
    message: str
    expected: Any
    actual: Any


def state_of(world: Any, *, ordered: bool = False, drawn: Collection[str] = ()) -> Any:
    """What can be seen of a world, as JSON data that no longer changes with it.

    Simulated connectors give their objects; mappings, lists, sets, dataclasses and other objects what they hold; a
    `Path` the files in its folder. The order of a list does not count, unless `ordered` says so; nor do ids that
    were `drawn`.

    >>> state_of({"sent": ["b", "a"], "at": 3})
    {'sent': ['a', 'b'], 'at': 3}
    """
    walk = _Walk(ordered, drawn)
    is_list = isinstance(world, list) and any(hasattr(part, "iter_fixtures") for part in world)
    if is_list or (isinstance(world, tuple) and not hasattr(world, "_asdict")):
        # which connector is which has to stay visible, whatever it holds
        return {f"[{place}]": walk.node(part, (id(world),)) for place, part in enumerate(world)}
    return walk.node(world, ())


def state_differences(expected: Any, actual: Any) -> Iterator[StateDifference]:
    """In what two states differ: what is missing, what is there too often, and what has another content.

    >>> [found.message for found in state_differences({"sent": ["a"]}, {"sent": ["a", "a"]})]
    ['$.sent holds "a" 2 times, which is there once after the clean run']
    """
    yield from _compared("$", "$", expected, actual)


class _Walk:
    """One look at a world, which ends if there is no end to what it holds."""

    def __init__(self, ordered: bool, drawn: Collection[str]) -> None:
        self._ordered = ordered
        self._drawn = drawn
        self._left = _MOST_PARTS

    def node(self, value: Any, outer: tuple[int, ...]) -> Any:
        """A part of the world as JSON data; `outer` are the parts around it."""
        self._count()
        if value is None or isinstance(value, bool | int | float | str):
            return self._plain(value)
        if id(value) in outer or len(outer) > _DEEPEST:
            return f"<{type(value).__qualname__}>"
        within = (*outer, id(value))
        if callable(getattr(value, "iter_fixtures", None)):
            return self._bag(list(value.iter_fixtures()), self._ordered)
        if isinstance(value, Path):
            return _files_in(value)
        if isinstance(value, tuple) and hasattr(value, "_asdict"):
            value = value._asdict()
        if isinstance(value, Mapping):
            return self._mapping(value, within)
        if isinstance(value, list | tuple | deque | Set):
            items = [self.node(item, within) for item in value if not _is_without_state(item)]
            return self._bag(items, self._ordered and not isinstance(value, Set))
        attributes = _attributes(value)
        if attributes:
            return {name: self.node(item, within) for name, item in attributes.items()}
        return self._plain(value)

    def _bag(self, items: Sequence[Any], ordered: bool) -> list[Any]:
        texts = [without_drawn(canonical(item), self._drawn) for item in items]
        return [json.loads(text) for text in (texts if ordered else sorted(texts))]

    def _mapping(self, value: Mapping[Any, Any], within: tuple[int, ...]) -> dict[str, Any]:
        held: dict[str, Any] = {}
        counts: Counter[str] = Counter()
        for key, item in value.items():
            if _is_without_state(item):
                continue
            name = without_drawn(key if isinstance(key, str) else canonical(key), self._drawn)
            counts[name] += 1  # ids that are blotted out look alike, and are to be told apart all the same
            held[name if counts[name] == 1 else f"{name} ({counts[name]})"] = self.node(item, within)
        return held

    def _plain(self, value: Any) -> Any:
        text = without_drawn(canonical(value), self._drawn)
        return json.loads(text if isinstance(value, str) else _ADDRESS.sub("0x…", text))

    def _count(self) -> None:
        self._left -= 1
        if self._left < 0:
            hint = "give state=, a function of the world that returns what matters of it"
            raise InputError([Problem(f"the world holds more than {_MOST_PARTS:,} parts", hint=hint)])


def _attributes(value: Any) -> dict[str, Any]:
    """What an object holds, but for what has no state that could be compared (functions, locks, open files)."""
    if isinstance(value, _WITHOUT_STATE) or type(value).__module__ in ("datetime", "decimal", "uuid", "re"):
        return {}
    names = list(getattr(value, "__dict__", ()))
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        names += [slots] if isinstance(slots, str) else slots
    held = {name: getattr(value, name) for name in names if hasattr(value, name) and name != "__dict__"}
    return {name: item for name, item in held.items() if not _is_without_state(item)}


def _is_without_state(value: Any) -> bool:
    module = type(value).__module__
    return isinstance(value, _WITHOUT_STATE) or module in (
        "_thread",
        "threading",
        "_io",
        "weakref",
        "asyncio.locks",
    )


def _files_in(path: Path) -> Any:
    if path.is_file():
        return content_hash(path.read_bytes())
    files = sorted(file for file in path.rglob("*") if file.is_file())[:_FILES]
    return {file.relative_to(path).as_posix(): content_hash(file.read_bytes()) for file in files}


def _compared(path: str, part: str, expected: Any, actual: Any) -> Iterator[StateDifference]:
    if expected == actual:  # which most of the world is
        return
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key in [*expected, *(key for key in actual if key not in expected)]:
            inner = f"{path}.{key}" if not key.startswith("[") else f"{path}{key}"
            place = inner if part == "$" else part
            if key not in actual:
                yield StateDifference(
                    place, f"{inner} is missing: {brief(expected[key])}", expected[key], None
                )
            elif key not in expected:
                yield StateDifference(place, f"{inner} was added: {brief(actual[key])}", None, actual[key])
            else:
                yield from _compared(inner, place, expected[key], actual[key])
    elif isinstance(expected, list) and isinstance(actual, list):
        yield from _compared_items(path, part, expected, actual)
    else:
        yield _changed(path, part, expected, actual)


def _compared_items(
    path: str, part: str, expected: list[Any], actual: list[Any]
) -> Iterator[StateDifference]:
    before, after = _by_name(expected), _by_name(actual)
    for name in [*before, *(name for name in after if name not in before)]:
        was, is_now = before.get(name, []), after.get(name, [])
        if len(was) != len(is_now):
            yield StateDifference(part, f"{path} {_held(name, len(was), len(is_now))}", was, is_now)
            continue
        for one, other in zip(was, is_now, strict=True):
            if one != other:
                yield _changed(f"{path}[{name}]", part, one, other)
    if sorted(map(canonical, expected)) == sorted(map(canonical, actual)):
        yield StateDifference(part, f"{path} is in another order", expected, actual)


def _by_name(items: list[Any]) -> dict[str, list[Any]]:
    named: dict[str, list[Any]] = {}
    for item in items:
        key = item.get("id") if isinstance(item, dict) else None
        named.setdefault(brief(key if key is not None else item, 200), []).append(item)
    return named


def _changed(path: str, part: str, expected: Any, actual: Any) -> StateDifference:
    found = differences(expected, actual, limit=1)
    said = f"{path}{str(found[0]).removeprefix('$')}" if found else f"{path} is another one"
    return StateDifference(part, f"{said}", expected, actual)


def _held(name: str, was: int, is_now: int) -> str:
    """How often something is held, against how often it should be."""
    if not is_now:
        return f"does not hold {name}, which it does after the clean run"
    times = "" if is_now == 1 else f" {is_now} times"
    clean = "is not there" if not was else "is there once" if was == 1 else f"is there {was} times"
    return f"holds {name}{times}, which {clean} after the clean run"
