"""What was bought: checkout, once per idempotency key, and orders that only their owner sees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from storefront.bugs import NO_BUGS, Bugs
from storefront.carts import Cart, Line
from storefront.catalogue import Catalogue
from storefront.errors import Conflict, Invalid, NotFound
from storefront.feed import Feed

Clock = Callable[[], datetime]
FINAL = frozenset({"paid", "declined", "cancelled"})


@dataclass(slots=True)
class Order:
    """A checked-out cart. Its status goes from pending to paid or declined; cancelling is possible until then
    and after payment."""

    id: int
    customer: str
    lines: tuple[Line, ...]
    discount: int
    total: int
    placed_at: datetime
    status: str = "pending"
    history: Feed[str] = field(default_factory=lambda: Feed(["pending"]))

    def become(self, status: str) -> None:
        """Change the status and tell those who follow."""
        self.status = status
        self.history.append(status)

    @property
    def quantities(self) -> dict[str, int]:
        """How many of each sku."""
        return {line.sku: line.quantity for line in self.lines}


class Orders:
    """All orders. `submit` hands a new one to whoever takes the payment."""

    def __init__(
        self, catalogue: Catalogue, clock: Clock, submit: Callable[[Order], None], bugs: Bugs = NO_BUGS
    ) -> None:
        self._catalogue = catalogue
        self._clock = clock
        self._submit = submit
        self._bugs = bugs
        self._orders: dict[int, Order] = {}
        self._by_key: dict[tuple[str, str], tuple[int, Order]] = {}

    def checkout(self, cart: Cart, key: str = "") -> tuple[Order, bool]:
        """The order for a cart, and whether it is the answer to a repeated request."""
        earlier = self._by_key.get((cart.customer, key)) if key else None
        ignore_key = "double-order" in self._bugs
        if earlier and not ignore_key:
            if earlier[0] != cart.id:
                raise Invalid("the idempotency key was used for another cart")
            return earlier[1], True
        if cart.closed and not (earlier and ignore_key):
            raise Conflict("the cart was checked out already")
        if not cart.lines:
            raise Conflict("the cart is empty")
        self._catalogue.reserve(cart.quantities)
        order = Order(
            len(self._orders) + 1,
            cart.customer,
            tuple(Line(line.sku, line.name, line.price, line.quantity) for line in cart.lines.values()),
            cart.discount,
            cart.total,
            self._clock(),
        )
        cart.closed = True
        self._orders[order.id] = order
        if key:
            self._by_key[cart.customer, key] = (cart.id, order)
        self._submit(order)
        return order, False

    def of(self, customer: str, status: str = "") -> list[Order]:
        """The customer's orders, oldest first."""
        return [
            order
            for order in self._orders.values()
            if order.customer == customer and status in ("", order.status)
        ]

    def get(self, customer: str, order_id: int | None) -> Order:
        """The customer's order with this id."""
        order = None if order_id is None else self._orders.get(order_id)
        if order is None or (order.customer != customer and "leaked-order" not in self._bugs):
            raise NotFound("you have no such order")
        return order

    def cancel(self, customer: str, order_id: int | None) -> Order:
        """Give everything back, the money too if it was paid."""
        order = self.get(customer, order_id)
        if order.status not in ("pending", "paid"):
            raise Conflict(f"the order is {order.status} already")
        self._catalogue.put_back(order.quantities)
        order.become("cancelled")
        return order
