"""Finds patterns that cannot stand in one table: no rule could say which of the two a request means.

This is the judgement of Go's http.ServeMux: two patterns conflict if some request matches both and neither of them
answers all that the other does. One with a host and one without never conflict.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum

from understudy.core.errors import Problem
from understudy.wire.route_pattern import RouteError, RoutePattern, Segment, Wild

_Key = tuple[str, int, str | Wild]


class Relation(Enum):
    """How the requests of one pattern stand to those of another."""

    EQUAL = "the same requests as"
    WITHIN = "fewer requests than"
    AROUND = "more requests than"
    APART = "other requests than"
    ACROSS = "some, but not all, of the requests of"


def refuse_conflicts(patterns: Sequence[RoutePattern], labels: Sequence[str] = ()) -> None:
    """Raise RouteError if two of the patterns conflict; `labels` say where each of them was written."""
    seen = _Seen()
    for number, pattern in enumerate(patterns):
        for other in seen.candidates(pattern):
            relation = relate(pattern, patterns[other])
            if relation in (Relation.EQUAL, Relation.ACROSS):
                raise _conflict(
                    pattern,
                    patterns[other],
                    relation,
                    [labels[at] if labels else "" for at in (number, other)],
                )
        seen.add(number, pattern)


def relate(one: RoutePattern, other: RoutePattern) -> Relation:
    """How the requests of one pattern stand to those of another, hosts aside.

    >>> from understudy.wire.route_mux import parse_mux
    >>> relate(parse_mux("GET /items/{id}"), parse_mux("/items/")).name
    'WITHIN'
    >>> relate(parse_mux("/items/{id}"), parse_mux("/{kind}/new")).name
    'ACROSS'
    """
    relation = _methods(one.methods, other.methods)
    if relation is Relation.APART:
        return relation
    for mine, theirs in _pairs(one.segments, other.segments):
        relation = _both(relation, _segment(mine, theirs))
        if relation is Relation.APART:
            break
    return relation


def _methods(mine: tuple[str, ...], theirs: tuple[str, ...]) -> Relation:
    if mine == theirs:
        return Relation.EQUAL
    if not theirs or (mine and set(mine) < set(theirs)):
        return Relation.WITHIN
    if not mine or set(theirs) < set(mine):
        return Relation.AROUND
    return Relation.APART


def _pairs(
    mine: tuple[Segment, ...], theirs: tuple[Segment, ...]
) -> Iterator[tuple[Segment | None, Segment | None]]:
    """The segments of two patterns side by side; a REST stands beside all that the other one has left."""
    for index in range(max(len(mine), len(theirs))):
        left = mine[index] if index < len(mine) else None
        right = theirs[index] if index < len(theirs) else None
        yield left, right
        if left is Wild.REST or right is Wild.REST or left is None or right is None:
            return


def _segment(mine: Segment | None, theirs: Segment | None) -> Relation:
    if mine == theirs:
        return Relation.EQUAL
    if mine is None or theirs is None:
        return Relation.APART
    if theirs is Wild.REST:
        return Relation.WITHIN
    if mine is Wild.REST:
        return Relation.AROUND
    if theirs is Wild.ONE and mine != "":
        return Relation.WITHIN
    if mine is Wild.ONE and theirs != "":
        return Relation.AROUND
    return Relation.APART


def _both(first: Relation, second: Relation) -> Relation:
    if Relation.APART in (first, second):
        return Relation.APART
    if first is Relation.EQUAL or first is second:
        return second
    return first if second is Relation.EQUAL else Relation.ACROSS


class _Seen:
    """The patterns so far, by host and by what stands where in them, so that each is compared with few others."""

    def __init__(self) -> None:
        self._by_host: dict[str, list[int]] = {}
        self._by_segment: dict[_Key, list[int]] = {}

    def add(self, number: int, pattern: RoutePattern) -> None:
        self._by_host.setdefault(pattern.host, []).append(number)
        for index, segment in enumerate(pattern.segments):
            if isinstance(segment, str | Wild):
                self._by_segment.setdefault((pattern.host, index, segment), []).append(number)

    def candidates(self, pattern: RoutePattern) -> list[int]:
        """The fewest patterns among which all are that could share a request with this one."""
        host = pattern.host
        fewest = [self._by_host.get(host, [])]
        open_ended: list[list[int]] = []
        for index, segment in enumerate(pattern.segments):
            open_ended.append(self._by_segment.get((host, index, Wild.REST), []))
            if isinstance(segment, str):
                spelled = self._by_segment.get((host, index, segment), [])
                wild = self._by_segment.get((host, index, Wild.ONE), [])
                here = [spelled, wild, *open_ended]
                if sum(map(len, here)) < sum(map(len, fewest)):
                    fewest = here
        return sorted(number for numbers in fewest for number in numbers)


def _conflict(one: RoutePattern, other: RoutePattern, relation: Relation, labels: list[str]) -> RouteError:
    here, there = ((f" ({label})" if label else "") for label in labels)
    if relation is Relation.EQUAL:
        hint = "remove one of the two"
    else:
        hint = "make one of them more specific in every part, or less"
    message = f"{one.text!r}{here} conflicts with {other.text!r}{there}: it matches {relation.value} it"
    return RouteError([Problem(message.replace("requests of it", "requests of the other"), hint=hint)])
