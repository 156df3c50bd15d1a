"""Where things stand in a JSON text that is known to be valid, looked up only when it is asked for."""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator

from understudy.documents.positions import Position

_SPACE = re.compile(r"[ \t\n\r]*")
_read_value = json.JSONDecoder().raw_decode


class Lines:
    """Turns offsets in a text into lines and columns.

    >>> Lines("a\\nbc").position(3)
    (2, 2)
    """

    def __init__(self, text: str) -> None:
        self._breaks = array("Q", (match.start() for match in re.finditer("\n", text)))

    def position(self, offset: int) -> Position:
        """The line and column of an offset, counted from 1."""
        before = bisect_left(self._breaks, offset)
        return before + 1, offset - (self._breaks[before - 1] + 1 if before else 0) + 1


class _Text:
    """A text, and its lines once they are needed."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines: Lines | None = None

    def position(self, offset: int) -> Position:
        if self._lines is None:
            self._lines = Lines(self.text)
        return self._lines.position(offset)


class JSONPlace:
    """A value in a JSON text; its entries are found as far as they are asked for."""

    __slots__ = ("_children", "_key", "_next", "_start", "_text")

    def __init__(self, text: _Text, start: int, key: int | None = None) -> None:
        self._text = text
        self._start = start
        self._key = key
        self._children: dict[str | int, JSONPlace] = {}
        self._next = self._entries()

    @property
    def position(self) -> Position:
        """Where the value begins."""
        return self._text.position(self._start)

    @property
    def key(self) -> Position | None:
        """Where its key begins, if it has one."""
        return None if self._key is None else self._text.position(self._key)

    def child(self, step: str | int) -> JSONPlace | None:
        """The place of an entry of this object or array."""
        while step not in self._children:
            entry = next(self._next, None)
            if entry is None:
                return None
            self._children[entry[0]] = entry[1]
        return self._children[step]

    def _entries(self) -> Iterator[tuple[str | int, JSONPlace]]:
        text = self._text.text
        opening = text[self._start]
        if opening not in "{[":
            return
        at = _after_space(text, self._start + 1)
        index = 0
        while text[at] not in "}]":
            if opening == "[":
                yield index, JSONPlace(self._text, at)
            else:
                key_start = at
                key, at = _read_value(text, at)
                at = _after_space(text, _after_space(text, at) + 1)
                yield key, JSONPlace(self._text, at, key_start)
            index += 1
            at = _after_space(text, _read_value(text, at)[1])
            if text[at] == ",":
                at = _after_space(text, at + 1)


def root_place(text: str) -> JSONPlace:
    """The place of the whole value of a valid JSON text."""
    return JSONPlace(_Text(text), _after_space(text, 0))


def _after_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at
