"""Things in the order in which they were put there; putting, taking and a page cost the same at any size."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import accumulate, chain, islice
from typing import Generic, TypeVar

T = TypeVar("T")

_BLOCK = 512


class Shelf(Generic[T]):
    """Things by their position: a number that grows, has gaps and never changes.

    Positions are gathered in blocks. Where the n-th thing stands is found by the blocks' sizes, which are summed
    up anew only after something changed, so that a page costs what stands on it.

    >>> shelf = Shelf()
    >>> for position, name in enumerate(["ann", "bo", "cy", "di"]):
    ...     shelf.put(position, name)
    >>> shelf.take(1)
    >>> list(shelf), shelf.page(1, 2), list(shelf.walk(after=2))
    (['ann', 'cy', 'di'], [(2, 'cy'), (3, 'di')], [(3, 'di')])
    """

    __slots__ = ("_blocks", "_ends", "_numbers", "_size")

    def __init__(self) -> None:
        self._blocks: dict[int, dict[int, T]] = {}
        self._numbers: list[int] | None = None
        self._ends: list[int] | None = None
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[T]:
        blocks = self._blocks
        return chain.from_iterable(blocks[number].values() for number in self._order())

    def put(self, position: int, thing: T) -> None:
        """Put a thing at a position; one that stands there already is replaced."""
        number = position // _BLOCK
        block = self._blocks.get(number)
        if block is None:
            self._blocks[number] = {position: thing}
            self._numbers = self._ends = None
            self._size += 1
            return
        is_new = position not in block
        is_last = not is_new or position > next(reversed(block))
        block[position] = thing
        if is_new:
            self._size += 1
            if self._ends is not None and self._numbers is not None and number == self._numbers[-1]:
                self._ends[-1] += 1
            else:
                self._ends = None
        if not is_last:
            self._blocks[number] = dict(sorted(block.items()))

    def take(self, position: int) -> None:
        """Remove what stands at a position."""
        number = position // _BLOCK
        block = self._blocks[number]
        del block[position]
        self._size -= 1
        self._ends = None
        if not block:
            del self._blocks[number]
            self._numbers = None

    def page(self, skip: int, count: int) -> list[tuple[int, T]]:
        """`count` things with their positions, after the first `skip`."""
        if skip >= self._size:
            return []
        order = self._order()
        if self._ends is None:
            self._ends = list(accumulate(len(self._blocks[number]) for number in order))
        at = bisect_right(self._ends, skip)
        before = self._ends[at - 1] if at else 0
        return list(islice(self._items_from(at), skip - before, skip - before + count))

    def walk(self, after: int = -1) -> Iterator[tuple[int, T]]:
        """Everything that stands after a position, with its position."""
        at = bisect_left(self._order(), after // _BLOCK)
        for place, thing in self._items_from(at):
            if place > after:
                yield place, thing

    def _order(self) -> list[int]:
        if self._numbers is None:
            self._numbers = sorted(self._blocks)
        return self._numbers

    def _items_from(self, at: int) -> Iterator[tuple[int, T]]:
        order = self._order()
        return chain.from_iterable(self._blocks[order[n]].items() for n in range(at, len(order)))
