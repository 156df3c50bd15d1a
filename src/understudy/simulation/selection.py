"""Reads from the store by what was asked: narrowed by id and type, filtered, ordered, and cut into pages."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any

from understudy.core.brief import brief
from understudy.core.collector import without_collector
from understudy.core.errors import InputError, Problem
from understudy.simulation.cursors import Cursor
from understudy.simulation.filters import read_filters
from understudy.simulation.moments import given_moment
from understudy.simulation.object_store import Entry, ObjectStore, Version
from understudy.simulation.ordering import OrderBy, Ordering

PAGE_SIZE = 100
MANY = 1_000
CURRENT = "current"

_Found = tuple[
    tuple[int, int], Version
]  # where a version stands: the position of its object, and its number there
_SPECIAL = ("first", "last", "all", CURRENT)


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a listing: its objects, when each was added, and the cursor that goes on after it (None at the end).

    `total` is how many objects the whole listing has, where that is known without reading it.
    """

    objects: list[dict[str, Any]]
    next_cursor: str | None = None
    total: int | None = None
    added: tuple[datetime, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Request:
    """What a listing asks for, as the caller gave it."""

    stix_type: str | None = None
    filters: Any = None
    modified_since: Any = None
    added_after: Any = None
    order_by: OrderBy = None
    page: int | None = None
    page_size: int | None = None
    cursor: str | None = None
    limit: int | None = None
    versions: Any = None


def select(store: ObjectStore, request: Request) -> Page:
    """The page of a listing. Raises InputError for what cannot be asked."""
    size, skip = _extent(request)
    plan = _Plan(request)
    with store.lock:
        if plan.is_plain and request.cursor is None and plan.order is None:
            return _plain_page(store, plan.kind, skip, size)
        return _filtered_page(store, plan, skip, size, request.cursor)


def pick(entry: Entry, version: Any) -> Version | None:
    """The version of an object: the current one, `first`, `last`, or the one of that moment; None if it has none."""
    if version is None or version == CURRENT:
        return entry.current
    versions = entry.versions()
    if version in ("first", "last"):
        return versions[0 if version == "first" else -1]
    when = given_moment(version, "version")
    return next((one for one in versions if one.moment == when), None)


class _Plan:
    """A request made ready: what narrows it, what is tested, in which order."""

    def __init__(self, request: Request) -> None:
        wanted = read_filters(request.filters)
        kinds = wanted.kinds
        if request.stix_type is not None:
            if not isinstance(request.stix_type, str):
                raise _wrong(f"stix_type is a text such as 'indicator', not {brief(request.stix_type)}")
            kinds = [request.stix_type] if kinds is None or request.stix_type in kinds else []
        self.kinds = None if kinds is None else list(dict.fromkeys(kinds))
        self.ids = None if wanted.ids is None else list(wanted.ids)
        self.versions = _version_names(request.versions if request.versions is not None else wanted.versions)
        self.tests: list[Callable[[Version], bool]] = []
        if wanted.predicates:
            self.tests.append(lambda version: wanted.matches(version.value))
        if request.modified_since is not None:
            since = given_moment(request.modified_since, "modified_since")
            self.tests.append(lambda version: version.moment >= since)
        if request.added_after is not None:
            after = given_moment(request.added_after, "added_after")
            self.tests.append(lambda version: version.added > after)
        self.order = None if request.order_by is None else Ordering(request.order_by)

    @property
    def is_plain(self) -> bool:
        """True if the answer is a run of a shelf."""
        few = self.kinds is None or len(self.kinds) == 1
        return few and self.ids is None and self.versions == [CURRENT] and not self.tests

    @property
    def kind(self) -> str | None:
        """The only type that is asked for."""
        return self.kinds[0] if self.kinds else None

    def found(self, store: ObjectStore, after: tuple[int, int] | None) -> Iterator[_Found]:
        """All that is asked for, in the order of arrival, after a place."""
        for entry in self._entries(store, after[0] - 1 if after else -1):
            for number, version in _chosen(entry, self.versions):
                place = (entry.position, number)
                if after is not None and place <= after:
                    continue
                if all(test(version) for test in self.tests):
                    yield place, version

    def _entries(self, store: ObjectStore, after: int) -> Iterable[Entry]:
        if self.ids is not None:
            entries = {entry.position: entry for key in self.ids if (entry := store.find(key)) is not None}
            kinds = self.kinds
            return (
                entries[place]
                for place in sorted(entries)
                if place > after and (kinds is None or entries[place].kind in kinds)
            )
        if self.kinds is None:
            return (entry for _, entry in store.all.walk(after))
        if len(self.kinds) == 1:
            return (entry for _, entry in store.of_kind(self.kinds[0]).walk(after))
        each = [store.of_kind(kind).walk(after) for kind in self.kinds]
        return (entry for _, entry in heapq.merge(*each, key=lambda item: item[0]))


def _plain_page(store: ObjectStore, kind: str | None, skip: int, size: int | None) -> Page:
    shelf = store.all if kind is None else store.of_kind(kind)
    if size is None:
        return Page(_copies([entry.current for entry in shelf]), None, len(shelf))
    items = shelf.page(skip, size)
    cursor = str(Cursor(items[-1][0])) if items and skip + len(items) < len(shelf) else None
    versions = [entry.current for _, entry in items]
    return Page(_copies(versions), cursor, len(shelf), tuple(version.added for version in versions))


def _filtered_page(store: ObjectStore, plan: _Plan, skip: int, size: int | None, asked: str | None) -> Page:
    cursor = None if asked is None else Cursor.read(asked)
    total = None
    if plan.order is None:
        found = plan.found(store, cursor.place if cursor else None)
        items = list(islice(found, skip, None if size is None else skip + size + 1))
    else:
        ordered = plan.order.sorted(list(plan.found(store, None)))
        total = len(ordered)
        if cursor is not None:
            skip += _read_before(plan.order, ordered, cursor)
        items = ordered[skip : None if size is None else skip + size + 1]
    next_cursor = None
    if size is not None and 0 < size < len(items):
        (position, number), version = items[size - 1]
        read, key = (skip + size, plan.order.key(version)) if plan.order is not None else (0, None)
        next_cursor = str(Cursor(position, number, read, key))
    versions = [version for _, version in items[:size]]
    added = tuple(version.added for version in versions)
    return Page(_copies(versions), next_cursor, total, added)


def _copies(versions: list[Version]) -> list[dict[str, Any]]:
    if len(versions) <= MANY:
        return [version.copy() for version in versions]
    with without_collector():  # copies of what is owned have no cycles
        return [version.copy() for version in versions]


def _read_before(order: Ordering, ordered: list[_Found], cursor: Cursor) -> int:
    """How many objects stand before the next one: told by what the last page ended with, which may have moved since."""
    key = cursor.key
    if key is not None:
        return next(
            (at for at, one in enumerate(ordered) if order.is_after(one, cursor.place, key)), len(ordered)
        )
    places = [place for place, _ in ordered]
    return places.index(cursor.place) + 1 if cursor.place in places else cursor.read_before


def _chosen(entry: Entry, names: list[Any]) -> list[tuple[int, Version]]:
    """The versions of an object that are asked for, each with a number that stays its own while others come."""
    if names == [CURRENT]:
        return [(0, entry.current)]
    versions = entry.versions()
    if "all" not in names:
        chosen = {id(version) for name in names if (version := pick(entry, name)) is not None}
        versions = [version for version in versions if id(version) in chosen]
    return [(version.number, version) for version in versions]


def _version_names(given: Any) -> list[Any]:
    if given is None:
        return [CURRENT]
    names = given.split(",") if isinstance(given, str) else given
    names = list(names) if isinstance(names, list | tuple | set | frozenset) else [names]
    for name in names:
        if name not in _SPECIAL:
            given_moment(name, "a version that is not first, last, all or current")
    return names or [CURRENT]


def _extent(request: Request) -> tuple[int | None, int]:
    """How many objects are wanted at most, and how many are passed over first."""
    for name in ("page", "page_size", "limit"):
        number = getattr(request, name)
        least = 0 if name == "limit" else 1
        if number is not None and (isinstance(number, bool) or not isinstance(number, int) or number < least):
            raise _wrong(f"{name} is a number from {least} on, not {brief(number)}")
    if request.page is not None and request.cursor is not None:
        raise _wrong("page and cursor were given, and both say where to begin", "give one of them")
    is_paged = request.page is not None or request.page_size is not None or request.cursor is not None
    size = (request.page_size or PAGE_SIZE) if is_paged else None
    skip = ((request.page or 1) - 1) * (size or 0)
    if request.limit is not None:
        size = request.limit if size is None else min(size, request.limit)
    return size, skip


def _wrong(message: str, hint: str = "") -> InputError:
    return InputError([Problem(message, hint=hint)])
