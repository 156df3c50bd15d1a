"""The order of a listing: what objects are compared by, and which come after the one that a page ended with."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from understudy.core.brief import brief
from understudy.core.errors import InputError, Problem
from understudy.simulation.moments import moment
from understudy.simulation.object_store import Version

OrderBy = str | Callable[[dict[str, Any]], Any] | None
Key = tuple[int, Any]

# Numbers before moments before text before all else, so that any values can be put in order; what lacks the property
# comes last in either direction, as nothing can be said of it.
_NUMBER, _MOMENT, _TEXT, _OTHER, _LACKING = range(5)


class Ordering:
    """How the objects of a listing are ordered. Raises InputError for what is no order."""

    def __init__(self, given: Any) -> None:
        self._function = given if callable(given) else None
        if self._function is None and not (isinstance(given, str) and given.removeprefix("-")):
            hint = "name a property ('-modified': latest first), 'added', or give a key function"
            raise InputError([Problem(f"{brief(given)} is no order", hint=hint)])
        self._name = "" if self._function is not None else given.removeprefix("-")
        self._is_descending = self._function is None and given.startswith("-")

    def sorted(self, found: list[tuple[tuple[int, int], Version]]) -> list[tuple[tuple[int, int], Version]]:
        """Versions with their places in this order; equal ones stay in the order of their arrival."""
        by = self._function
        if by is not None:
            return sorted(found, key=lambda one: by(one[1].copy()))
        keyed = [(self._key(version), (place, version)) for place, version in found]
        having = [one for one in keyed if one[0][0] != _LACKING]
        having.sort(key=lambda one: one[0], reverse=self._is_descending)
        return [one for _, one in having] + [one for key, one in keyed if key[0] == _LACKING]

    def key(self, version: Version) -> Key | None:
        """What a version is ordered by; None if a function knows it."""
        return None if self._function is not None else self._key(version)

    def is_after(self, one: tuple[tuple[int, int], Version], place: tuple[int, int], key: Key) -> bool:
        """True if a version comes after a place with this key, which nothing may stand at any longer."""
        own = self._key(one[1])
        if own == key:
            return one[0] > place
        if _LACKING in (own[0], key[0]):
            return own[0] == _LACKING
        return bool(own < key if self._is_descending else own > key)

    def _key(self, version: Version) -> Key:
        if self._name == "added":
            return _MOMENT, version.added
        value = version.value.get(self._name)
        if value is None:
            return _LACKING, None
        if isinstance(value, int | float):
            return _NUMBER, value
        if self._name in ("created", "modified") or not isinstance(value, str):
            when = moment(value)
            if when is not None:
                return _MOMENT, when
        return (_TEXT, value) if isinstance(value, str) else (_OTHER, repr(value))


def written_key(key: Key) -> list[Any]:
    """A key as JSON data."""
    kind, value = key
    return [kind, value.isoformat() if kind == _MOMENT else value]


def read_key(data: Any) -> Key:
    """The key that was written so. Raises ValueError for what is none."""
    kinds: dict[int, type | tuple[type, ...]] = {
        _NUMBER: (int, float), _MOMENT: str, _TEXT: str, _OTHER: str, _LACKING: type(None)
    }  # fmt: skip
    if not isinstance(data, list) or len(data) != 2 or type(data[0]) is not int or data[0] not in kinds:
        raise ValueError("no key")
    kind, value = data
    if not isinstance(value, kinds[kind]):
        raise ValueError("no key of this kind")
    return kind, datetime.fromisoformat(str(value)) if kind == _MOMENT else value
