"""What the shop's things look like in JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from storefront.bugs import Bugs
from storefront.carts import Cart, Line
from storefront.catalogue import CURRENCY, Item, Page
from storefront.orders import Order


def item_view(item: Item) -> dict[str, Any]:
    """An item, as it is listed."""
    return {
        "id": item.id,
        "sku": item.sku,
        "name": item.name,
        "price": item.price,
        "currency": CURRENCY,
        "stock": item.stock,
        "tags": list(item.tags),
    }


def page_view(page: Page, next_link: str, bugs: Bugs) -> dict[str, Any]:
    """A page of items; `next` is only there if another page follows."""
    items = [item_view(item) for item in page.items]
    if "price-as-text" in bugs:
        for shown in items:
            shown["price"] = f"{shown['price'] / 100:.2f}"
    view: dict[str, Any] = {"items": items, "page": page.number, "size": page.size, "total": page.total}
    if not page.is_last:
        view["next"] = next_link
    return view


def lines_view(lines: Iterable[Line]) -> list[dict[str, Any]]:
    """The lines of a cart or an order."""
    return [
        {
            "sku": line.sku,
            "name": line.name,
            "price": line.price,
            "quantity": line.quantity,
            "amount": line.amount,
        }
        for line in lines
    ]


def cart_view(cart: Cart) -> dict[str, Any]:
    """A cart with its totals."""
    return {
        "id": cart.id,
        "customer": cart.customer,
        "lines": lines_view(cart.lines.values()),
        "code": cart.code,
        "subtotal": cart.subtotal,
        "discount": cart.discount,
        "total": cart.total,
        "closed": cart.closed,
    }


def order_view(order: Order) -> dict[str, Any]:
    """An order."""
    return {
        "id": order.id,
        "customer": order.customer,
        "status": order.status,
        "lines": lines_view(order.lines),
        "discount": order.discount,
        "total": order.total,
        "placedAt": order.placed_at.isoformat(),
    }
