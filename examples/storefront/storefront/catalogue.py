"""What can be bought: items, pages of them, search, and the stock that orders take from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from storefront.bugs import NO_BUGS, Bugs
from storefront.errors import Conflict, Invalid, NotFound
from storefront.feed import Feed
from storefront.shelf import SHELF, Row

CURRENCY = "EUR"
LARGEST_PAGE = 50


@dataclass(frozen=True, slots=True)
class StockChange:
    """One movement on the shelf: how many came or went, and how many there are after it."""

    sku: str
    change: int
    stock: int


@dataclass(slots=True)
class Item:
    """Something on the shelf. The price is in cents."""

    id: int
    sku: str
    name: str
    price: int
    tags: tuple[str, ...]
    stock: int = 0
    changes: Feed[StockChange] = field(default_factory=Feed)

    def move(self, change: int) -> None:
        """Put `change` more on the shelf (less, if it is negative) and tell those who follow."""
        self.stock += change
        self.changes.append(StockChange(self.sku, change, self.stock))


@dataclass(frozen=True, slots=True)
class Page:
    """Some of the items that were found, and how many there are in all."""

    items: list[Item]
    number: int
    size: int
    total: int

    @property
    def is_last(self) -> bool:
        """True if no page comes after this one."""
        return self.number * self.size >= self.total


SortKey = Callable[[Item], int | str]

SORT_KEYS: dict[str, SortKey] = {
    "id": lambda item: item.id,
    "name": lambda item: item.name.casefold(),
    "price": lambda item: item.price,
}
WRONG_SORT_KEYS: dict[str, SortKey] = {**SORT_KEYS, "price": lambda item: str(item.price)}


class Catalogue:
    """All items, found by id or sku."""

    def __init__(self, rows: Iterable[Row] = SHELF, bugs: Bugs = NO_BUGS) -> None:
        self._bugs = bugs
        self._by_id: dict[int, Item] = {}
        for number, (sku, name, price, stock, tags) in enumerate(rows, start=1):
            item = Item(number, sku, name, price, tags)
            for _ in range(3):
                item.move(stock // 3)
            self._by_id[number] = item
        self._by_sku = {item.sku: item for item in self._by_id.values()}

    def all(self) -> list[Item]:
        """Every item, by id."""
        return list(self._by_id.values())

    def get(self, item_id: int | None) -> Item:
        """The item with this id."""
        item = None if item_id is None else self._by_id.get(item_id)
        if item is None:
            raise NotFound("there is no such item")
        return item

    def by_sku(self, sku: str) -> Item:
        """The item with this sku."""
        if sku not in self._by_sku:
            raise NotFound(f"there is no item with the sku {sku!r}")
        return self._by_sku[sku]

    def find(
        self, *, text: str = "", tag: str = "", sort: str = "id", number: int = 1, size: int = 10
    ) -> Page:
        """One page of the items that have `text` in their name or tags, and the tag `tag`.

        >>> [item.sku for item in Catalogue().find(tag="cup", sort="price", size=2).items]
        ['cup-glass', 'cup-stone']
        """
        if number < 1 or not 1 <= size <= LARGEST_PAGE:
            raise Invalid(f"page counts from 1 and size goes from 1 to {LARGEST_PAGE}")
        if sort not in SORT_KEYS:
            raise Invalid(f"cannot sort by {sort!r}, only by {', '.join(SORT_KEYS)}")
        key = (WRONG_SORT_KEYS if "wrong-order" in self._bugs else SORT_KEYS)[sort]
        word = text.casefold()
        found = [
            item
            for item in self._by_id.values()
            if (not tag or tag in item.tags)
            and (word in item.name.casefold() or any(word in name for name in item.tags))
        ]
        found.sort(key=lambda item: (key(item), item.id))
        first = (number - 1) * size
        if "overlapping-pages" in self._bugs and number > 1:
            first -= 1
        return Page(found[first : first + size], number, size, len(found))

    def check(self, sku: str, quantity: int) -> Item:
        """The item, if there are that many of it."""
        item = self.by_sku(sku)
        if item.stock < quantity:
            raise Conflict(f"only {item.stock} of {sku} left")
        return item

    def reserve(self, quantities: dict[str, int]) -> None:
        """Take everything off the shelf, or nothing if anything is short."""
        items = [(self.check(sku, quantity), quantity) for sku, quantity in quantities.items()]
        if "stale-stock" in self._bugs:
            return
        for item, quantity in items:
            item.move(-quantity)

    def put_back(self, quantities: dict[str, int]) -> None:
        """Undo a reservation."""
        if "stale-stock" in self._bugs:
            return
        for sku, quantity in quantities.items():
            self.by_sku(sku).move(quantity)
