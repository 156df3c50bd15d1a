"""The objects of a connector in memory: by id, in the order of their arrival, by type, and every version of each."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from understudy.simulation.moments import version_moment
from understudy.simulation.object_copies import Copier, copier
from understudy.simulation.shelf import Shelf

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Version:
    """One version of an object as the store owns it: never changed, `copy` makes what is handed out."""

    __slots__ = ("_copier", "added", "value")

    def __init__(self, value: dict[str, Any], added: datetime) -> None:
        self.value = value
        self.added = added
        self._copier: Copier | None = None

    def copy(self) -> dict[str, Any]:
        """A copy for whoever asked."""
        make = self._copier
        if make is None:  # made when it is needed: of a million fixtures, most are never asked for
            make = self._copier = copier(self.value)
        return make()

    @property
    def moment(self) -> datetime:
        """When this version was made, as it says itself; else when it was added."""
        return version_moment(self.value) or self.added

    @property
    def number(self) -> int:
        """A number that orders the versions of an object as their moments do, and that no two of them share."""
        own = version_moment(self.value)
        microseconds = ((own or self.added) - _EPOCH) // _MICROSECOND
        return 2 * microseconds + (own is not None)


class Entry:
    """An object in its place: the version that was stored last, and the ones before it by their moment."""

    __slots__ = ("current", "kind", "past", "position")

    def __init__(self, position: int, kind: str | None, current: Version) -> None:
        self.position = position
        self.kind = kind
        self.current = current
        self.past: dict[datetime | None, Version] | None = None

    def versions(self) -> list[Version]:
        """Every version, oldest first."""
        if self.past is None:
            return [self.current]
        return sorted(self.past.values(), key=lambda version: version.number)

    def replace(self, version: Version) -> None:
        """Store another version; one with the same `modified` takes the place of that one."""
        new, old = version_moment(version.value), version_moment(self.current.value)
        if self.past is None and new != old:
            self.past = {old: self.current}
        if self.past is not None:
            self.past[new] = version
        self.current = version


class ObjectStore:
    """What a connector holds. Whoever reads more than one thing holds the lock; what is stored is never changed."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.all: Shelf[Entry] = Shelf()
        self._by_id: dict[Any, Entry] = {}
        self._by_kind: dict[str, Shelf[Entry]] = {}
        self._next = 0
        self._last_added: datetime | None = None
        self.is_in_order_added = True
        """False once the order of arrival is no longer the one in which things were added, as one was replaced."""

    def __len__(self) -> int:
        return len(self.all)

    def find(self, key: Any) -> Entry | None:
        """The object with this id; None also for what cannot be an id."""
        try:
            return self._by_id.get(key)
        except TypeError:  # unhashable
            return None

    def of_kind(self, kind: str) -> Shelf[Entry]:
        """The objects of a type, in the order of their arrival."""
        return self._by_kind.get(kind) or Shelf()

    def ids(self) -> Iterator[str]:
        """Every id that can be addressed, as they are now."""
        with self.lock:
            return iter([key for key in self._by_id if isinstance(key, str)])

    def put(self, value: dict[str, Any], added: datetime) -> Version:
        """Keep an owned object: appended if its id is new or it has none, else in the place of the one that has it."""
        version = Version(value, added)
        key, kind = _key(value.get("id")), _kind(value.get("type"))
        with self.lock:
            entry = self._by_id.get(key) if key is not None else None
            if entry is not None or (self._last_added is not None and added < self._last_added):
                self.is_in_order_added = False
            self._last_added = added
            if entry is None:
                self._append(key, kind, version)
            else:
                entry.replace(version)
                if entry.kind != kind:
                    self._unshelve(entry)
                    entry.kind = kind
                    self._shelve(entry)
        return version

    def remove(self, key: Any) -> bool:
        """Forget an object with all its versions; False if there is none."""
        with self.lock:
            entry = self.find(key)
            if entry is None:
                return False
            del self._by_id[key]
            self.all.take(entry.position)
            self._unshelve(entry)
            return True

    def _append(self, key: Any, kind: str | None, version: Version) -> None:
        entry = Entry(self._next, kind, version)
        self._next += 1
        if key is not None:
            self._by_id[key] = entry
        self.all.put(entry.position, entry)
        self._shelve(entry)

    def _shelve(self, entry: Entry) -> None:
        if entry.kind is not None:
            shelf = self._by_kind.get(entry.kind)
            if shelf is None:
                shelf = self._by_kind[entry.kind] = Shelf()
            shelf.put(entry.position, entry)

    def _unshelve(self, entry: Entry) -> None:
        if entry.kind is not None:
            shelf = self._by_kind[entry.kind]
            shelf.take(entry.position)
            if not shelf:
                del self._by_kind[entry.kind]


def _key(value: Any) -> Any:
    """What an object can be addressed by: any id that can be looked up, but not an empty one."""
    if value is None or value == "":
        return None
    try:
        hash(value)
    except TypeError:
        return None
    return value


def _kind(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
