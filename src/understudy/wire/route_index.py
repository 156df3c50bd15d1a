"""Finds the pattern that matches a URL, in a time that does not grow with the number of patterns.

The patterns are one tree: by host, then segment by segment. A text leads on through a dictionary; so does a glob,
by its beginning and end, once for each pair of lengths that there is. All branches are followed at once, so
that no pattern makes the search go back.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from understudy.core.errors import Problem
from understudy.wire.route_pattern import PartGlob, RouteError, RoutePattern, Segment, Wild, rank
from understudy.wire.route_url import Location

_COMBINATIONS = 256

_Pairs = tuple[tuple[str, str], ...]
_Values = tuple[str, ...]
_Globbed = tuple[tuple[str, PartGlob], ...]


class _Globs:
    """The globs that may stand at one place of the tree, by the lengths of what they begin and end with."""

    __slots__ = ("_by_lengths",)

    def __init__(self) -> None:
        self._by_lengths: dict[tuple[int, int], dict[tuple[str, str], list[tuple[PartGlob, _Node]]]] = {}

    def child(self, glob: PartGlob) -> _Node:
        lengths = len(glob.prefix), len(glob.suffix)
        same_ends = self._by_lengths.setdefault(lengths, {}).setdefault((glob.prefix, glob.suffix), [])
        for known, node in same_ends:
            if known == glob:
                return node
        same_ends.append((glob, _Node()))
        return same_ends[-1][1]

    def matching(self, text: str) -> list[_Node]:
        size = len(text)
        return [
            node
            for (before, after), table in self._by_lengths.items()
            if before + after <= size
            for glob, node in table.get((text[:before], text[size - after :]), ())
            if not glob.middles or glob.matches(text)
        ]


class _Ends:
    """The patterns that end at one place of the tree, by method and by what they ask of the query."""

    __slots__ = ("_by_method",)

    def __init__(self) -> None:
        self._by_method: dict[
            str, tuple[list[int], dict[tuple[_Values, _Globbed], dict[_Values, list[int]]]]
        ] = {}

    def add(self, number: int, pattern: RoutePattern) -> None:
        for method in pattern.methods or ("",):
            plain, by_query = self._by_method.setdefault(method, ([], {}))
            if not pattern.query:
                plain.append(number)
                continue
            names = tuple(name for name, value in pattern.query if isinstance(value, str))
            values = tuple(value for _, value in pattern.query if isinstance(value, str))
            globs = tuple((name, value) for name, value in pattern.query if isinstance(value, PartGlob))
            by_query.setdefault((names, globs), {}).setdefault(values, []).append(number)

    def collect(self, method: str, query: _Pairs, into: list[int]) -> None:
        for key in (method, ""):
            found = self._by_method.get(key)
            if found is None:
                continue
            into += found[0]
            if found[1] and query:
                for (names, globs), table in found[1].items():
                    _collect_query(names, globs, table, query, into)


class _Node:
    """One place of the tree: what may follow, and what ends here."""

    __slots__ = ("ends", "globs", "literals", "loops", "many", "one", "paths", "rest")

    def __init__(self, *, loops: bool = False) -> None:
        self.literals: dict[str, _Node] = {}
        self.globs: _Globs | None = None
        self.one: _Node | None = None
        self.many: _Node | None = None
        self.rest: _Ends | None = None
        self.ends: _Ends | None = None
        self.paths: _Node | None = None
        self.loops = loops

    def child(self, segment: Segment) -> _Node:
        """The place that a segment of a pattern leads to, made if there is none yet."""
        if isinstance(segment, str):
            node = self.literals.get(segment)
            if node is None:
                node = self.literals[segment] = _Node()
            return node
        if isinstance(segment, PartGlob):
            if self.globs is None:
                self.globs = _Globs()
            return self.globs.child(segment)
        if segment is Wild.ONE:
            if self.one is None:
                self.one = _Node()
            return self.one
        if self.many is None:
            self.many = _Node(loops=True)
        return self.many


class RouteIndex:
    """Patterns, made ready to be found; it never changes, so that tables with the same patterns may share one.

    >>> from understudy.wire.route_globs import parse_glob
    >>> from understudy.wire.route_url import locate
    >>> index = RouteIndex([parse_glob("/items/*"), parse_glob("/items/new")])
    >>> index.find("GET", locate("https://shop.test/items/new")), index.find("GET", locate("/items/7"))
    (1, 0)
    """

    def __init__(self, patterns: Sequence[RoutePattern]) -> None:
        self.patterns = tuple(patterns)
        places = sorted(range(len(self.patterns)), key=lambda number: rank(self.patterns[number]))
        self._places = {number: place for place, number in enumerate(places)}
        self._hosts: dict[str, _Node] = {}
        self._host_globs: _Node | None = None
        self._anywhere = _Node()
        self._has_many = False
        self._adds_slash = False
        seen: dict[object, RoutePattern] = {}
        for number, pattern in enumerate(self.patterns):
            twin = seen.get(pattern.identity)
            if twin is not None:
                message = f"{pattern.text!r} matches the same requests as {twin.text!r}"
                raise RouteError([Problem(message, hint="remove one of the two")])
            seen[pattern.identity] = pattern
            self._add(number, pattern)

    def find(self, method: str, location: Location) -> int | None:
        """The number of the pattern that matches best; None if none does."""
        found: list[int] = []
        with_slash: list[int] = []
        host = location.host
        if host:
            if self._hosts:
                for key in location.host_keys:
                    root = self._hosts.get(key)
                    if root is not None:
                        self._collect(root, method, location, found, with_slash)
            if self._host_globs is not None:
                labels = (location.scheme, *host.split("."), f":{location.port}")
                for node in _walk(self._host_globs, labels, []):
                    if node.paths is not None:
                        self._collect(node.paths, method, location, found, with_slash)
        self._collect(self._anywhere, method, location, found, with_slash)
        if with_slash:
            return self._with_slash(found, with_slash)
        if len(found) == 1:
            return found[0]
        return min(found, key=self._places.__getitem__) if found else None

    def _add(self, number: int, pattern: RoutePattern) -> None:
        if pattern.host_labels:
            if self._host_globs is None:
                self._host_globs = _Node()
            node = self._host_globs
            for label in pattern.host_labels:
                node = node.child(label)
            if node.paths is None:
                node.paths = _Node()
            node = node.paths
        elif pattern.host:
            node = self._hosts.setdefault(pattern.host, _Node())
        else:
            node = self._anywhere
        self._adds_slash = self._adds_slash or pattern.adds_slash
        for segment in pattern.segments:
            if segment is Wild.REST:
                if node.rest is None:
                    node.rest = _Ends()
                node.rest.add(number, pattern)
                return
            self._has_many = self._has_many or segment is Wild.MANY
            node = node.child(segment)
        if node.ends is None:
            node.ends = _Ends()
        node.ends.add(number, pattern)

    def _collect(
        self, root: _Node, method: str, location: Location, found: list[int], with_slash: list[int]
    ) -> None:
        rests: list[_Ends] = []
        nodes = _walk(root, location.segments, rests, may_repeat=self._has_many)
        query = location.query
        for rest in rests:
            rest.collect(method, query, found)
        for node in nodes:
            if node.ends is not None:
                node.ends.collect(method, query, found)
        if self._adds_slash and nodes and location.segments[-1] != "":
            for node in nodes:
                if node.rest is not None:
                    node.rest.collect(method, query, with_slash)
                bare = node.literals.get("")
                if bare is not None and bare.ends is not None:
                    bare.ends.collect(method, query, with_slash)

    def _with_slash(self, found: list[int], with_slash: list[int]) -> int | None:
        # As http.ServeMux has it: what matches as it is comes first, then what matches with a slash added (where
        # Go redirects to), and only then the folder of which this is a part.
        place = self._places.__getitem__
        best = min(found, key=place) if found else None
        if best is not None and self.patterns[best].segments[-1:] != (Wild.REST,):
            return best
        redirected = [number for number in with_slash if self.patterns[number].adds_slash]
        return min(redirected, key=place) if redirected else best


def _walk(
    root: _Node, segments: tuple[str, ...], rests: list[_Ends], *, may_repeat: bool = False
) -> list[_Node]:
    """The places that all segments together lead to; `rests` gets what ends in a REST on the way.

    Only where something loops (`may_repeat`) can a place be reached in two ways.
    """
    nodes = [root]
    if root.many is not None:
        nodes.append(root.many)
    for segment in segments:
        following: list[_Node] = []
        for node in nodes:
            if node.rest is not None:
                rests.append(node.rest)
            if node.loops:
                following.append(node)
            child = node.literals.get(segment)
            if child is not None:
                following.append(child)
                if child.many is not None:
                    following.append(child.many)
            if segment:
                child = node.one
                if child is not None:
                    following.append(child)
                    if child.many is not None:
                        following.append(child.many)
                if node.globs is not None:
                    for child in node.globs.matching(segment):
                        following.append(child)
                        if child.many is not None:
                            following.append(child.many)
        if not following:
            return following
        nodes = list(dict.fromkeys(following)) if may_repeat and len(following) > 1 else following
    return nodes


def _collect_query(
    names: _Values,
    globs: _Globbed,
    table: dict[_Values, list[int]],
    query: _Pairs,
    into: list[int],
) -> None:
    if not all(any(name == key and glob.matches(value) for key, value in query) for name, glob in globs):
        return
    choices = [[value for key, value in query if key == name] for name in names]
    combinations = 1
    for choice in choices:
        combinations *= len(choice)
    if combinations <= _COMBINATIONS:
        # a parameter that is given several times may be meant by any of its values
        for values in set(product(*choices)):
            into += table.get(values, ())
    else:
        for values, numbers in table.items():
            if all(value in choice for value, choice in zip(values, choices, strict=True)):
                into += numbers
