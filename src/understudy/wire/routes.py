"""A table of routes: which of them a request means, how often each was hit, and what came near if none matches.

Patterns come from `parse_glob` or `parse_mux`; what a route stands for is the caller's own value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from understudy.wire.route_conflicts import refuse_conflicts
from understudy.wire.route_globs import parse_glob
from understudy.wire.route_index import RouteIndex
from understudy.wire.route_misses import NearMiss, near_misses
from understudy.wire.route_mux import parse_mux
from understudy.wire.route_pattern import RouteError, RoutePattern, Wild
from understudy.wire.route_url import Location, locate

__all__ = [
    "Match",
    "NearMiss",
    "Route",
    "RouteError",
    "RouteIndex",
    "RoutePattern",
    "RouteTable",
    "index_patterns",
    "locate",
    "parse_glob",
    "parse_mux",
]

V = TypeVar("V")


@dataclass(slots=True)
class Route(Generic[V]):
    """One route: its pattern, what it stands for, where it was written, and how often it was hit."""

    pattern: RoutePattern
    value: V
    label: str = ""
    hits: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Match(Generic[V]):
    """The route that a request means."""

    route: Route[V]
    location: Location

    @property
    def value(self) -> V:
        """What the route stands for."""
        return self.route.value

    @property
    def names(self) -> Mapping[str, str]:
        """The text of each `{name}` of the pattern, decoded; that of a `{name...}` has its slashes."""
        pattern, segments = self.route.pattern, self.location.segments
        wild = [at for at, segment in enumerate(pattern.segments) if isinstance(segment, Wild)]
        texts = {}
        for at, name in zip(wild, pattern.names, strict=False):
            if name:
                is_rest = pattern.segments[at] is Wild.REST
                texts[name] = "/".join(segments[at:]) if is_rest else segments[at]
        return texts


class RouteTable(Generic[V]):
    """Routes that are looked up by method and URL, in the same time however many there are.

    >>> table = RouteTable([Route(parse_mux("/repos/{owner}/"), "a repository"), Route(parse_mux("/"), "anything")])
    >>> match = table.match("GET", "https://api.shop.test/repos/ann/lamp")
    >>> match.value, dict(match.names), [route.hits for route in table.routes]
    ('a repository', {'owner': 'ann'}, [1, 0])

    Several patterns may match: the most specific one is meant (see `rank`), whatever the order. Two that match
    exactly the same requests are refused; of http.ServeMux's also two that overlap (give `index_patterns`'s index).
    """

    def __init__(
        self, routes: Iterable[Route[V]], index: RouteIndex | None = None, noun: str = "route"
    ) -> None:
        self.routes: Sequence[Route[V]] = tuple(routes)
        self._index = index or index_patterns([route.pattern for route in self.routes], self._labels())
        self._noun = noun

    def match(self, method: str, url: str) -> Match[V] | None:
        """The route that a request means, its hit counted; None if there is none."""
        location = locate(url)
        number = self._index.find(method, location)
        if number is None:
            return None
        route = self.routes[number]
        route.hits += 1
        return Match(route, location)

    def near_misses(self, method: str, url: str, limit: int = 3) -> list[NearMiss]:
        """The routes nearest to a request that none matches, best first, each with why it did not match."""
        patterns = [route.pattern for route in self.routes]
        misses = near_misses(patterns, method, locate(url), limit, self._noun)
        return [replace(miss, label=self.routes[miss.number].label) for miss in misses]

    def dead(self) -> list[Route[V]]:
        """The routes that no request has hit, in the order in which they were given."""
        return [route for route in self.routes if not route.hits]

    def _labels(self) -> list[str]:
        return [route.label for route in self.routes]


def index_patterns(patterns: Sequence[RoutePattern], labels: Sequence[str] = ()) -> RouteIndex:
    """The patterns made ready; those of http.ServeMux must not conflict, as Go has it. Raises RouteError."""
    mux = [number for number, pattern in enumerate(patterns) if pattern.host_first]
    if mux:
        refuse_conflicts([patterns[at] for at in mux], [labels[at] for at in mux] if labels else ())
    return RouteIndex(patterns)
