"""Places in a Rego text: offsets, lines and columns, and how they stay those of the user when it is edited."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

_TAB = 4  # how many columns regorus counts for a tab, wherever it stands


class Lines:
    """The lines of a text, as bytes, which is how the engine counts.

    >>> lines = Lines("a := 1\\n\\tb := é".encode())
    >>> lines.offset(2, 5), lines.place(8), lines.place(15)
    (8, (2, 2), (2, 8))
    """

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._starts = [0]
        position = text.find(b"\n")
        while position >= 0:
            self._starts.append(position + 1)
            position = text.find(b"\n", position + 1)

    def offset(self, line: int, column: int) -> int:
        """Where in the text the engine's line and column are; tabs and bytes counted as the engine does."""
        if line > len(self._starts):
            return len(self._text)
        position, reached = self._starts[max(line, 1) - 1], 1
        while reached < column and position < len(self._text) and self._text[position] != 0x0A:
            reached += _TAB if self._text[position] == 0x09 else 1
            position += 1
        return position

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, counted in characters from 1, as editors do."""
        line = bisect_right(self._starts, offset)
        before = self._text[self._starts[line - 1] : offset]
        return line, len(before.decode("utf-8", "replace")) + 1


@dataclass(frozen=True, slots=True)
class Edit:
    """What stands from `start` to `end` is replaced by `text`; among edits at one place the lower `rank` is first."""

    start: int
    end: int
    text: bytes
    rank: int = 0


class EditedText:
    """A text after edits that do not overlap and add no lines, and the way back from it.

    >>> edited = EditedText(b"count(x)", [Edit(0, 5, b"safe.count"), Edit(6, 6, b"1, ")])
    >>> edited.text
    b'safe.count(1, x)'
    >>> edited.original(14)
    6
    """

    def __init__(self, text: bytes, edits: Iterable[Edit]) -> None:
        pieces: list[bytes] = []
        self._new: list[int] = [0]
        self._old: list[int] = [0]
        self._room: list[int] = [len(text)]
        position = length = 0
        for edit in sorted(edits, key=lambda e: (e.start, e.end > e.start, e.rank)):
            pieces += (text[position : edit.start], edit.text)
            length += edit.start - position
            self._add(length, edit.start, 0)
            length += len(edit.text)
            position = edit.end
            self._add(length, position, len(text))
        pieces.append(text[position:])
        self.text = b"".join(pieces)

    def _add(self, new: int, old: int, room: int) -> None:
        self._new.append(new)
        self._old.append(old)
        self._room.append(room)

    def original(self, offset: int) -> int:
        """Where an offset in the edited text was before; inside what was put in, where that was put."""
        index = bisect_right(self._new, offset) - 1
        return self._old[index] + min(offset - self._new[index], self._room[index])
