"""What is going to be bought: carts, their lines, discount codes and totals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from storefront.bugs import NO_BUGS, Bugs
from storefront.catalogue import Catalogue
from storefront.errors import Conflict, Invalid, NotFound

MOST_OF_ONE = 99


@dataclass(frozen=True, slots=True)
class Discount:
    """A code: from which subtotal on it is valid, and what it takes off, both in cents."""

    minimum: int
    off: Callable[[int], int]


DISCOUNTS = {
    "WELCOME10": Discount(0, lambda subtotal: subtotal // 10),
    "FIVER": Discount(2000, lambda subtotal: 500),
}


@dataclass(slots=True)
class Line:
    """So many of one item, at the price it had when it was put in."""

    sku: str
    name: str
    price: int
    quantity: int

    @property
    def amount(self) -> int:
        """What the line costs, in cents."""
        return self.price * self.quantity


@dataclass(slots=True)
class Cart:
    """A customer's lines; closed once it was checked out."""

    id: int
    customer: str
    bugs: Bugs = NO_BUGS
    lines: dict[str, Line] = field(default_factory=dict)
    code: str = ""
    closed: bool = False

    @property
    def subtotal(self) -> int:
        """What the lines cost."""
        return sum(line.amount for line in self.lines.values())

    @property
    def discount(self) -> int:
        """What the code takes off; nothing while the subtotal is below its minimum."""
        terms = DISCOUNTS.get(self.code)
        return terms.off(self.subtotal) if terms and self.subtotal >= terms.minimum else 0

    @property
    def total(self) -> int:
        """What is to be paid."""
        return self.subtotal if "wrong-total" in self.bugs else self.subtotal - self.discount

    @property
    def quantities(self) -> dict[str, int]:
        """How many of each sku."""
        return {sku: line.quantity for sku, line in self.lines.items()}


class Carts:
    """All carts, each seen by its owner only."""

    def __init__(self, catalogue: Catalogue, bugs: Bugs = NO_BUGS) -> None:
        self._catalogue = catalogue
        self._bugs = bugs
        self._carts: dict[int, Cart] = {}
        self._count = 0

    def create(self, customer: str) -> Cart:
        """A new, empty cart."""
        self._count += 1
        cart = Cart(self._count, customer, self._bugs)
        self._carts[cart.id] = cart
        return cart

    def get(self, customer: str, cart_id: int | None) -> Cart:
        """The customer's cart with this id."""
        cart = None if cart_id is None else self._carts.get(cart_id)
        if cart is None or cart.customer != customer:
            raise NotFound("you have no such cart")
        return cart

    def drop(self, customer: str, cart_id: int | None) -> None:
        """Throw a cart away."""
        del self._carts[self.get(customer, cart_id).id]

    def add(self, cart: Cart, sku: str, quantity: int) -> None:
        """Put more of an item into a cart."""
        there = cart.lines[sku].quantity if sku in cart.lines else 0
        self._set(cart, sku, quantity, there + quantity)

    def change(self, cart: Cart, sku: str, quantity: int) -> None:
        """Have exactly so many of an item that is in the cart already."""
        self._line(cart, sku)
        self._set(cart, sku, quantity, quantity)

    def remove(self, cart: Cart, sku: str) -> None:
        """Take a line out."""
        self._require_open(cart)
        self._line(cart, sku)
        del cart.lines[sku]

    def apply(self, cart: Cart, code: str) -> None:
        """Use a discount code, in place of the one before."""
        self._require_open(cart)
        if code not in DISCOUNTS:
            raise Invalid(f"there is no discount code {code!r}")
        if cart.subtotal < DISCOUNTS[code].minimum:
            raise Conflict(f"{code} is valid from {DISCOUNTS[code].minimum} cents on")
        cart.code = code

    def _set(self, cart: Cart, sku: str, asked: int, quantity: int) -> None:
        self._require_open(cart)
        if asked < 1 and "negative-quantity" not in self._bugs:
            raise Invalid("the quantity must be 1 or more")
        if quantity > MOST_OF_ONE:
            raise Invalid(f"nobody gets more than {MOST_OF_ONE} of one item")
        item = self._catalogue.check(sku, quantity)
        cart.lines[sku] = Line(sku, item.name, item.price, quantity)

    def _line(self, cart: Cart, sku: str) -> Line:
        if sku not in cart.lines:
            raise NotFound(f"{sku!r} is not in the cart")
        return cart.lines[sku]

    def _require_open(self, cart: Cart) -> None:
        if cart.closed:
            raise Conflict("the cart was checked out already")
