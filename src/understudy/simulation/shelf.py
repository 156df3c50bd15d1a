"""Things in the order in which they were put there; putting, taking and a page cost the same at any size."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import chain, islice
from typing import Generic, TypeVar

T = TypeVar("T")

_BLOCK = 512
_BLOCKS_IN_GROUP = 64
_GROUP = _BLOCK * _BLOCKS_IN_GROUP


class Shelf(Generic[T]):
    """Things by their position: a number that grows, has gaps and never changes.

    Positions are gathered in blocks, and blocks in groups. Where the n-th thing stands is found by passing over the
    groups, then over the blocks of one: a hundred steps in a million things, whatever has changed since.

    >>> shelf = Shelf()
    >>> for position, name in enumerate(["ann", "bo", "cy", "di"]):
    ...     shelf.put(position, name)
    >>> shelf.take(1)
    >>> list(shelf), shelf.page(1, 2), list(shelf.walk(after=2))
    (['ann', 'cy', 'di'], [(2, 'cy'), (3, 'di')], [(3, 'di')])
    """

    __slots__ = ("_blocks", "_groups", "_order", "_size")

    def __init__(self) -> None:
        self._blocks: dict[int, dict[int, T]] = {}
        self._groups: dict[int, int] = {}
        self._order: list[int] | None = None
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[T]:
        return chain.from_iterable(block.values() for block in self._blocks_from(0))

    def put(self, position: int, thing: T) -> None:
        """Put a thing at a position; one that stands there already is replaced."""
        block = self._blocks.setdefault(position // _BLOCK, {})
        if position in block:
            block[position] = thing
            return
        is_last = not block or position > next(reversed(block))
        block[position] = thing
        if not is_last:
            self._blocks[position // _BLOCK] = dict(sorted(block.items()))
        self._count(position // _GROUP, 1)

    def take(self, position: int) -> None:
        """Remove what stands at a position."""
        block = self._blocks[position // _BLOCK]
        del block[position]
        if not block:
            del self._blocks[position // _BLOCK]
        self._count(position // _GROUP, -1)

    def page(self, skip: int, count: int) -> list[tuple[int, T]]:
        """`count` things with their positions, after the first `skip`."""
        for group in self._in_order():
            if skip < self._groups[group]:
                break
            skip -= self._groups[group]
        else:
            return []
        first = group * _BLOCKS_IN_GROUP
        for number in range(first, first + _BLOCKS_IN_GROUP):
            size = len(self._blocks.get(number, ()))
            if skip < size:
                break
            skip -= size
        items = chain.from_iterable(block.items() for block in self._blocks_from(number))
        return list(islice(items, skip, skip + count))

    def walk(self, after: int = -1) -> Iterator[tuple[int, T]]:
        """Everything that stands after a position, with its position."""
        for block in self._blocks_from((after + 1) // _BLOCK):
            for place, thing in block.items():
                if place > after:
                    yield place, thing

    def _count(self, group: int, change: int) -> None:
        self._size += change
        count = self._groups.get(group, 0) + change
        if count == change or not count:  # a group that is new, or is gone
            self._order = None
        if count:
            self._groups[group] = count
        else:
            del self._groups[group]

    def _in_order(self) -> list[int]:
        if self._order is None:
            self._order = sorted(self._groups)
        return self._order

    def _blocks_from(self, number: int) -> Iterator[dict[int, T]]:
        """The blocks in order, from the one with a number on."""
        order = self._in_order()
        for group in islice(order, bisect_left(order, number // _BLOCKS_IN_GROUP), None):
            first = group * _BLOCKS_IN_GROUP
            for one in range(max(first, number), first + _BLOCKS_IN_GROUP):
                block = self._blocks.get(one)
                if block is not None:
                    yield block
