"""In which order outcomes stand on the HTML page: failures first, then by file, rows under their parent."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import NamedTuple

from understudy.core.outcome import Outcome
from understudy.core.report import Summary
from understudy.reporting.grouping import KINDS, Group, kind_of, place_of

_BAD = (KINDS.index("failed"), KINDS.index("errored"))
_KNOWN = KINDS.index("known")


class Tree(NamedTuple):
    """An outcome and the rows under it, by number; `worst` is the kind by which the whole is placed."""

    root: int
    rows: array[int]
    worst: str


@dataclass(slots=True)
class PageGroup:
    """One file of one act: its counts, and the numbers of its outcomes that stand under no other."""

    summary: Summary = field(default_factory=Summary)
    roots: array[int] = field(default_factory=lambda: array("Q"))


class Layout:
    """Where every outcome goes. It keeps a few bytes of each, so that 100,000 fit easily."""

    def __init__(self, parents: Set[str]) -> None:
        self.groups: dict[Group, PageGroup] = {}
        self._wanted = parents
        self._kinds = array("B")
        self._group_of: list[PageGroup] = []
        self._numbers: dict[str, int] = {}
        self._parent_of: dict[int, str] = {}
        self._rows: dict[int, array[int]] = {}

    def add(self, outcome: Outcome) -> None:
        """Take the next outcome; its number is how many came before it."""
        number = len(self._kinds)
        group = self.groups.setdefault(place_of(outcome).group, PageGroup())
        group.summary.add(outcome)
        self._kinds.append(KINDS.index(kind_of(outcome)))
        self._group_of.append(group)
        if outcome.id in self._wanted:
            self._numbers.setdefault(outcome.id, number)
        if outcome.parent:
            self._parent_of[number] = outcome.parent

    def settle(self) -> int:
        """Find the place of every outcome, once all were taken; returns how many are no rows."""
        for number, group in enumerate(self._group_of):
            root = self._root_of(number)
            if root == number:
                group.roots.append(number)
            else:
                self._rows.setdefault(root, array("Q")).append(number)
        self._group_of.clear()
        return len(self._kinds) - len(self._parent_of)

    def trees(self) -> Iterator[Tree]:
        """All trees, in the order of the report, but what failed goes before the rest under its parent."""
        for root in sorted(root for group in self.groups.values() for root in group.roots):
            yield self.tree(root)

    def tree(self, root: int) -> Tree:
        """The tree that stands on an outcome."""
        rows = self._rows.get(root, array("Q"))
        kinds = self._kinds
        worst = min(kinds[number] for number in (root, *rows))
        if worst in _BAD:
            rows = array("Q", sorted(rows, key=lambda number: kinds[number] not in _BAD))
        elif worst != _KNOWN:
            worst = kinds[root]
        return Tree(root, rows, KINDS[worst])

    def count(self, numbers: Iterable[int]) -> Mapping[str, int]:
        """How many of some outcomes are of each kind that occurs, in the order of KINDS."""
        counted = [0] * len(KINDS)
        for number in numbers:
            counted[self._kinds[number]] += 1
        return {kind: count for kind, count in zip(KINDS, counted, strict=True) if count}

    def _root_of(self, number: int) -> int:
        """The topmost outcome above this one; itself if it has no parent here, or stands in a circle."""
        here, passed = number, {number}
        while (parent := self._parent_of.get(here)) is not None and parent in self._numbers:
            here = self._numbers[parent]
            if here in passed:
                return number
            passed.add(here)
        return here
