"""Ties between cases: what `needs`, captures and `finally` mean for who runs with whom, and in which order."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from understudy.core.errors import InputError, Problem
from understudy.core.nearness import closest_name
from understudy.testbed.items import Item
from understudy.testbed.substitution import names_in

Group = list[Item]


def tie(items: Sequence[Item], *, strict: bool = False) -> list[Group]:
    """Closed groups in the order of the suite, each in its running order; untied cases are groups of one.

    Fills in `needs`, `sources` and `names` of the items. `strict` says that `${name}` is ours even if no case
    captures anything. Raises InputError with every name that cannot be resolved and every circle.
    """
    captures = _capturers(items)
    strict = strict or bool(captures)
    for item in items:
        if strict or getattr(item.case.input, "locals", None):
            item.names = frozenset(names_of(item))
    if not captures and not any(item.case.needs for item in items):
        return [[item] for item in items]
    problems: list[Problem] = []
    by_name = defaultdict(list)
    for item in items:
        for name in {item.case.name, item.label, item.label.partition("/")[2]}:
            by_name[name].append(item)
    for item in items:
        item.needs = tuple(_needed(item, by_name, problems))
        item.sources = _sources(item, captures, items)
    groups = [_ordered(group, problems) for group in _components(items)]
    if problems:
        raise InputError(problems)
    return groups


def is_last(group: Group) -> bool:
    """True for a `finally` case that is tied to none: it runs after everything else."""
    return group[0].case.finally_ and len(group) == 1


def place(item: Item) -> tuple[str, int | None, int | None]:
    """File, line and column of a case, as far as they are known."""
    source = item.case.source
    if source is None:
        return item.case.script, None, None
    return source.file, source.line or None, source.column or None


def _capturers(items: Iterable[Item]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for item in items:
        for name in item.case.capture:
            found[name].append(item.index)
    return found


def names_of(item: Item) -> Iterable[str]:
    """Every name that a case refers to as `${name}`."""
    case = item.case
    for part in (case.input, case.expect, case.until, case.fail_if):
        if part is not None:
            yield from names_in(part.model_dump(by_alias=True))


def _needed(item: Item, by_name: Mapping[str, list[Item]], problems: list[Problem]) -> Iterable[int]:
    for name in item.case.needs:
        found = [other for other in by_name.get(name, []) if other is not item]
        near = [other for other in found if place(other)[0] == place(item)[0]]
        found = near or found
        if len(found) == 1:
            yield found[0].index
            continue
        if found:
            hint = f"write one of {', '.join(other.label.partition('/')[2] for other in found)}"
            message = f"case {item.case.name!r} needs {name!r}, which {len(found)} cases are called"
        else:
            close = closest_name(name, by_name) if name != item.case.name else ""
            hint = f"did you mean {close!r}?" if close else "name a case of the suite"
            message = f"case {item.case.name!r} needs {name!r}, which is no case"
            message += " but itself" if name == item.case.name else ""
        problems.append(Problem(message, *place(item), hint=hint))


def _sources(item: Item, captures: Mapping[str, list[int]], items: Sequence[Item]) -> dict[str, int]:
    """Who captures what the item refers to: one it needs, else the nearest before it, its own file first."""
    sources = {}
    for name in item.names:
        candidates = [index for index in captures.get(name, ()) if index != item.index]
        if not candidates:
            continue
        own_file = place(item)[0]

        def rank(index: int, own_file: str = own_file) -> tuple[Any, ...]:
            same_file = place(items[index])[0] == own_file
            before = index < item.index
            return index not in item.needs, not same_file, not before, abs(index - item.index)

        sources[name] = min(candidates, key=rank)
    return sources


def _components(items: Sequence[Item]) -> list[Group]:
    parent = list(range(len(items)))

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    for item in items:
        for other in needed_by(item):
            first, second = sorted((root(item.index), root(other)))
            parent[second] = first
    groups: dict[int, Group] = defaultdict(list)
    for item in items:
        groups[root(item.index)].append(item)
    return list(groups.values())


def _ordered(group: Group, problems: list[Problem]) -> Group:
    """What is needed comes first, `finally` cases come last, and the order of the suite holds otherwise."""
    if len(group) == 1:
        return group
    by_index = {item.index: item for item in group}
    lacking = {item.index: needed_by(item) for item in group}
    followers = defaultdict(list)
    for index, needed in lacking.items():
        for other in needed:
            followers[other].append(index)
    ready = [(item.case.finally_, item.index) for item in group if not lacking[item.index]]
    heapq.heapify(ready)
    ordered: Group = []
    while ready:
        _, index = heapq.heappop(ready)
        ordered.append(by_index[index])
        for follower in followers[index]:
            lacking[follower].discard(index)
            if not lacking[follower]:
                heapq.heappush(ready, (by_index[follower].case.finally_, follower))
    if len(ordered) < len(group):
        circle = _circle(lacking)
        names = ", ".join(repr(by_index[index].case.name) for index in circle)
        message = f"these cases need each other in a circle: {names}"
        where = place(by_index[circle[0]])
        problems.append(Problem(message, *where, hint="take one of the needs or captures away"))
    return ordered


def needed_by(item: Item) -> set[int]:
    """The places of all cases that an item needs, by name or for what they capture."""
    return {*item.needs, *item.sources.values()}


def _circle(lacking: Mapping[int, set[int]]) -> list[int]:
    """One circle among the cases that still lack others, from its first case in the suite on."""
    index = min(index for index, needed in lacking.items() if needed)
    walked: dict[int, None] = {}
    while index not in walked:
        walked[index] = None
        index = min(lacking[index])
    path = list(walked)
    circle = path[path.index(index) :]
    first = circle.index(min(circle))
    return [*circle[first:], *circle[:first]]
