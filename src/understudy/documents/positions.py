"""Where the parts of a document stand in its file: a data path leads to a line and a column."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

Path = tuple[str | int, ...]
Position = tuple[int, int]


class Place(Protocol):
    """One value in a file: where it begins, and where the key stands of which it is the value."""

    @property
    def position(self) -> Position: ...

    @property
    def key(self) -> Position | None: ...

    def child(self, step: str | int) -> Place | None:
        """The place of an entry of this mapping or list, if it is known."""
        ...


@dataclass(slots=True)
class Mark:
    """A place that was written down while the file was read."""

    position: Position
    key: Position | None = None
    children: dict[str | int, Mark] = field(default_factory=dict)

    def child(self, step: str | int) -> Mark | None:
        return self.children.get(step)


class Positions:
    """The line and column, counted from 1, of every data path; for an unknown one its nearest parent's.

    >>> http = Mark((2, 3), key=(1, 1))
    >>> positions = Positions(Mark((1, 1), children={"http": http}))
    >>> positions.value(("http",)), positions.key(("http",)), positions.value(("http", 7, "name"))
    ((2, 3), (1, 1), (2, 3))
    """

    def __init__(self, root: Place) -> None:
        self._root = root

    @property
    def root(self) -> Place:
        """The place of the whole."""
        return self._root

    def value(self, path: Path) -> Position:
        """Where the value at `path` begins."""
        return self._nearest(path)[0].position

    def key(self, path: Path) -> Position:
        """Where the key of the entry at `path` stands; for the entry of a list, where its value begins."""
        place, found = self._nearest(path)
        return place.key if found and place.key is not None else place.position

    def below(self, path: Path) -> Positions:
        """The positions of the part of the document at `path`, with paths that begin there."""
        return Positions(self._nearest(path)[0])

    def _nearest(self, path: Path) -> tuple[Place, bool]:
        place = self._root
        for step in path:
            child = place.child(step)
            if child is None:
                return place, False
            place = child
        return place, True


@dataclass(slots=True)
class Document:
    """What a file says, as plain JSON data, and where it says it. `file` is the name as the user gave it."""

    file: str
    data: Any
    positions: Positions
