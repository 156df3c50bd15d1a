"""The arguments of an action as one text that stands for them alone, and the hashes made of it.

What an approval is bound to must be unambiguous: two different values never have the same text. So `1`, `1.0`, `"1"`
and `true` differ, a tuple differs from a list, and what has no such text is refused rather than approximated. That is
why this is not `core.canonical`, which finds a text for any content at all.
"""

from __future__ import annotations

import json
import math
from hashlib import sha256
from typing import Any

from understudy.core.brief import brief
from understudy.core.errors import InputError, Problem

LARGEST = 1_000_000
_DEPTH = 50
_UNBOUND = "arguments cannot be bound to an approval: they hold "
_SHORT = 100  # longer texts are counted, as one may stand in many places
_SCALARS = frozenset({str, int, float, bool, type(None)})
_FREE = frozenset({int, bool, type(None)})  # neither long nor strange
_TUPLE = "\x00tuple"  # marks what was a tuple: as the key of a caller's own it is refused
_ENCODER = json.JSONEncoder(
    ensure_ascii=False, sort_keys=True, allow_nan=False, separators=(",", ":"), check_circular=False
)


class Unbindable(InputError):
    """Something has no text that stands for it alone."""

    @property
    def what(self) -> str:
        """What it is, for those who say it of something else than arguments."""
        return self.problems[0].message.removeprefix(_UNBOUND)

    @property
    def hint(self) -> str:
        """What to do instead."""
        return self.problems[0].hint


def exact_text(value: Any) -> bytes:
    """The canonical JSON of a value, in UTF-8.

    Lone surrogates are kept as they are, as two halves of a character are not that character.

    >>> exact_text({"b": 1.0, "a": [True, "é", None]}).decode()
    '{"a":[true,"é",null],"b":1.0}'
    """
    try:
        text = _ENCODER.encode(_checked(value, _DEPTH, [LARGEST]))
    except Unbindable:
        raise
    except ValueError:
        raise _refused("a number that is too large", "give it as a text") from None
    data = text.encode("utf-8", "surrogatepass")
    if len(data) > LARGEST:
        raise _too_large()
    return data


def hash_arguments(arguments: Any) -> str:
    """The hash of an action's arguments: equal for equal ones, whatever the order of their keys.

    >>> hash_arguments({"limit": 5, "all": True}) == hash_arguments({"all": True, "limit": 5})
    True
    >>> hash_arguments({"limit": 5}) == hash_arguments({"limit": "5"})
    False
    >>> hash_arguments(None) == hash_arguments({})
    True
    >>> hash_arguments({"when": object()})
    Traceback (most recent call last):
    understudy.governance.binding.Unbindable: arguments cannot be bound to an approval: they hold a value of type ...
    """
    return sha256(exact_text({} if arguments is None else arguments)).hexdigest()


def binding_of(agent_id: str, action_type: str, target_ref: str, arguments_hash: str) -> str:
    """What an approval is bound to: who does what to what, with which arguments, as one hash."""
    # Only the target can hold a NUL, and it comes last: no two actions are one text.
    text = f"{agent_id}\0{action_type}\0{arguments_hash}\0{target_ref}"
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _checked(value: Any, depth: int, room: list[int]) -> Any:
    """A copy of the value, if all of it can be told apart in JSON; tuples are marked. Only exact types count: a
    subclass may show one thing here and another to the tool.
    """
    kind = type(value)
    if kind in _SCALARS:
        if kind is float and not math.isfinite(value):
            raise _refused(f"the number {value}", "NaN and infinity equal nothing that could be approved")
        if kind is str and len(value) > _SHORT:
            _take(room, len(value))
        return value
    if not depth:
        raise _refused(f"more than {_DEPTH} levels, or themselves", "flatten them")
    if kind is dict:
        _take(room, len(value))
        if _TUPLE in value:
            raise _refused(f"the key {brief(_TUPLE)}", "it is reserved: choose another key")
        checked = value.copy()
        for key, entry in checked.items():
            if type(key) is not str:
                raise _refused(f"the key {brief(key)}", "keys are texts")
            if len(key) > _SHORT:
                _take(room, len(key))
            # Most entries are plain; what is long or strange goes the long way.
            known = type(entry)
            if known not in _FREE and (known is not str or len(entry) > _SHORT):
                checked[key] = _checked(entry, depth - 1, room)
        return checked
    if kind is list:
        _take(room, len(value))
        return [item if type(item) in _FREE else _checked(item, depth - 1, room) for item in value]
    if kind is tuple:
        return {_TUPLE: _checked([*value], depth, room)}
    raise _refused(f"a value of type {kind.__name__}", "use JSON's types, and tuples")


def _take(room: list[int], size: int) -> None:
    """Make room for something before it is looked into, so that what holds itself many times comes to an end."""
    room[0] -= size
    if room[0] < 0:
        raise _too_large()


def _too_large() -> Unbindable:
    return _refused(f"more than {LARGEST:,} bytes", "pass a reference to large data instead")


def _refused(what: str, hint: str) -> Unbindable:
    return Unbindable([Problem(f"{_UNBOUND}{what}", hint=hint)])


def data_of(value: Any) -> Any:
    """A copy of a value in JSON's types, in which tuples have become lists. What cannot be bound is refused.

    >>> data_of({"ids": (1, 2)})
    {'ids': [1, 2]}
    """

    def listed(found: dict[str, Any]) -> Any:
        return found.get(_TUPLE, found)

    return json.loads(exact_text(value).decode("utf-8", "surrogatepass"), object_hook=listed)
