"""What a route says it answers, in one inner form that every dialect of patterns is read into."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from understudy.core.errors import InputError


class RouteError(InputError):
    """A pattern cannot be read, or two patterns of one table cannot stand beside each other."""


class Wild(Enum):
    """What stands for segments of any text: ONE for one, MANY for any number, REST for all that are left.

    ONE does not stand for the empty segment behind a trailing slash. MANY may be none at all; REST, which only
    ends a pattern, is one at least, and that one may be empty.
    """

    ONE = "*"
    MANY = "**"
    REST = "..."


@dataclass(frozen=True, slots=True)
class PartGlob:
    """A piece of text with `*` in it: what it begins and ends with, and what stands between, in this order.

    >>> PartGlob("v", (), ".json").matches("v12.json"), PartGlob("v", ("-",), "").matches("v12")
    (True, False)
    """

    prefix: str
    middles: tuple[str, ...]
    suffix: str

    def matches(self, text: str) -> bool:
        """Does the text fit? Each `*` stands for any characters, or for none."""
        end = len(text) - len(self.suffix)
        position = len(self.prefix)
        if end < position or not (text.startswith(self.prefix) and text.endswith(self.suffix)):
            return False
        for middle in self.middles:
            # the first place is always good enough: what follows has the most room then
            found = text.find(middle, position, end)
            if found < 0:
                return False
            position = found + len(middle)
        return True

    @property
    def weight(self) -> int:
        """How many characters it asks for."""
        return len(self.prefix) + len(self.suffix) + sum(map(len, self.middles))

    def __str__(self) -> str:
        return "*".join((self.prefix, *self.middles, self.suffix))


Segment = str | PartGlob | Wild


@dataclass(frozen=True, slots=True)
class RoutePattern:
    """Which requests a route answers.

    `methods` is empty for any. `host` is a key that `Location.host_keys` may give, empty for any host; a host with
    `*` in it is `host_labels` instead: scheme, labels and port. `segments` are decoded, the last one is empty where
    the path ends with a slash. `query` are the parameters that must be there. `names` are those of the wild
    segments, in their order. With `adds_slash` a request without the trailing slash that the pattern has is meant
    too, and with `host_first` a host says more than any path.
    """

    text: str
    methods: tuple[str, ...] = ()
    host: str = ""
    host_labels: tuple[Segment, ...] = ()
    segments: tuple[Segment, ...] = ()
    query: tuple[tuple[str, str | PartGlob], ...] = ()
    names: tuple[str, ...] = ()
    adds_slash: bool = False
    host_first: bool = False

    @property
    def identity(self) -> tuple[Any, ...]:
        """What two patterns share that answer the same requests."""
        return self.methods, self.host, self.host_labels, self.segments, self.query


def rank(pattern: RoutePattern) -> tuple[Any, ...]:
    """The place of a pattern among those that match the same request: the least comes first.

    More segments that are spelled out come first, then more characters in those with `*`, then more segments at
    all, then what is spelled out further left; then a host before a part of one before none, more parameters of
    the query, and a method before none. A pattern whose requests another one all answers too comes before it. What
    is left is settled by the text, so that the order in which routes are given never matters.
    """
    segments = pattern.segments
    path = (
        -sum(type(segment) is str for segment in segments),
        -sum(segment.weight for segment in segments if type(segment) is PartGlob),
        -sum(segment is not Wild.MANY for segment in segments),
        sum(segment is Wild.MANY for segment in segments),
        tuple(_KIND[type(segment)] if type(segment) is not Wild else _WILD[segment] for segment in segments),
    )
    host = (
        0 if "//" in pattern.host else 1 if pattern.host else 2 if pattern.host_labels else 3,
        -sum(type(label) is str for label in pattern.host_labels),
        -sum(label.weight for label in pattern.host_labels if type(label) is PartGlob),
    )
    query = (
        -len(pattern.query),
        -sum(type(value) is str for _, value in pattern.query),
        -sum(value.weight for _, value in pattern.query if type(value) is PartGlob),
    )
    where = (host, path) if pattern.host_first else (path, host)
    return (*where, query, len(pattern.methods) or 99, pattern.text)


_KIND = {str: 0, PartGlob: 1}
_WILD = {Wild.ONE: 2, Wild.REST: 3, Wild.MANY: 4}
