"""The shop as a GraphQL schema, and the functions that answer its fields."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

from graphql import GraphQLResolveInfo, GraphQLSchema, build_schema

from storefront.bugs import Bugs
from storefront.carts import Cart
from storefront.catalogue import Item
from storefront.errors import Invalid, Unauthenticated
from storefront.incoming import number_or_none
from storefront.shop import Shop
from storefront.views import cart_view, item_view, order_view

SDL = """
type Query {
  items(tag: String = "", sort: String = "id", page: Int = 1, size: Int = 10): ItemPage!
  item(id: ID!): Item
  search(text: String!): [Item!]!
  cart(id: ID!): Cart!
  orders: [Order!]!
}

type Mutation {
  createCart: Cart!
  addToCart(cart: ID!, sku: String!, quantity: Int = 1): Cart!
  checkout(cart: ID!, key: String = ""): Order!
  cancelOrder(id: ID!): Order!
}

type Subscription {
  "What came to and went from the shelf, from the first delivery on; ends after `first` changes."
  stockChanges(sku: String!, first: Int = 3): StockChange!
}

type Item {
  id: ID!
  sku: String!
  name: String!
  price: Int!
  currency: String!
  stock: Int!
  tags: [String!]!
  mainTag: String
}

type ItemPage { items: [Item!]!, page: Int!, size: Int!, total: Int! }
type Line { sku: String!, name: String!, price: Int!, quantity: Int!, amount: Int! }
type Cart {
  id: ID!
  lines: [Line!]!
  code: String!
  subtotal: Int!
  discount: Int!
  total: Int!
  closed: Boolean!
}
type Order { id: ID!, status: String!, lines: [Line!]!, discount: Int!, total: Int!, placedAt: String! }
type StockChange { sku: String!, change: Int!, stock: Int! }
"""

MOST_CHANGES = 100


@dataclass(frozen=True, slots=True)
class Asking:
    """What the fields need to know of a request: the shop, and who is logged in."""

    shop: Shop
    customer: str | None

    @property
    def required_customer(self) -> str:
        """Who is logged in; refuses if nobody is."""
        if self.customer is None:
            raise Unauthenticated("send the header Authorization: Bearer TOKEN; POST /login gives a token")
        return self.customer

    def cart(self, cart_id: str) -> Cart:
        """A cart of the customer."""
        return self.shop.carts.get(self.required_customer, number_or_none(cart_id))


Info = GraphQLResolveInfo


def shown(item: Item, bugs: Bugs) -> dict[str, Any]:
    """An item with the fields that only GraphQL has."""

    def main_tag(info: Info) -> str | None:
        return item.tags[0] if item.tags or "graphql-crash" in bugs else None

    return {**item_view(item), "mainTag": main_tag}


def items(info: Info, tag: str, sort: str, page: int, size: int) -> dict[str, Any]:
    """A page of items."""
    shop: Shop = info.context.shop
    found = shop.catalogue.find(tag=tag, sort=sort, number=page, size=size)
    listed = [shown(item, shop.bugs) for item in found.items]
    return {"items": listed, "page": found.number, "size": found.size, "total": found.total}


def item(info: Info, id: str) -> dict[str, Any]:  # noqa: A002 - the schema's name
    """One item."""
    shop: Shop = info.context.shop
    return shown(shop.catalogue.get(number_or_none(id)), shop.bugs)


def search(info: Info, text: str) -> list[dict[str, Any]]:
    """Items that have `text` in their name or tags."""
    shop: Shop = info.context.shop
    return [shown(found, shop.bugs) for found in shop.catalogue.find(text=text, size=50).items]


def cart(info: Info, id: str) -> dict[str, Any]:  # noqa: A002 - the schema's name
    """A cart of the customer."""
    return cart_view(info.context.cart(id))


def orders(info: Info) -> list[dict[str, Any]]:
    """The customer's orders."""
    asking: Asking = info.context
    return [order_view(order) for order in asking.shop.orders.of(asking.required_customer)]


def create_cart(info: Info) -> dict[str, Any]:
    """A new cart."""
    asking: Asking = info.context
    return cart_view(asking.shop.carts.create(asking.required_customer))


def add_to_cart(info: Info, cart: str, sku: str, quantity: int) -> dict[str, Any]:
    """Put an item into a cart."""
    asking: Asking = info.context
    found = asking.cart(cart)
    asking.shop.carts.add(found, sku, quantity)
    return cart_view(found)


def checkout(info: Info, cart: str, key: str) -> dict[str, Any]:
    """Order what is in a cart."""
    asking: Asking = info.context
    order, _ = asking.shop.orders.checkout(asking.cart(cart), key)
    return order_view(order)


def cancel_order(info: Info, id: str) -> dict[str, Any]:  # noqa: A002 - the schema's name
    """Cancel an order of the customer."""
    asking: Asking = info.context
    return order_view(asking.shop.orders.cancel(asking.required_customer, number_or_none(id)))


def stock_changes(info: Info, sku: str, first: int) -> AsyncIterator[dict[str, Any]]:
    """The first changes of an item's stock; waits for those that have not happened yet."""
    shop: Shop = info.context.shop
    if not 1 <= first <= MOST_CHANGES:
        raise Invalid(f"first goes from 1 to {MOST_CHANGES}")
    count = max(first - 1, 1) if "short-stream" in shop.bugs else first
    return change_events(shop.catalogue.by_sku(sku), count)


async def change_events(item: Item, count: int) -> AsyncIterator[dict[str, Any]]:
    """The first `count` changes of an item's stock, each as the root value of one result."""
    left = count
    async for change in item.changes.follow():
        yield {"stockChanges": {"sku": change.sku, "change": change.change, "stock": change.stock}}
        left -= 1
        if left == 0:
            return


FIELDS: dict[str, Callable[..., Any]] = {
    "items": items,
    "item": item,
    "search": search,
    "cart": cart,
    "orders": orders,
    "createCart": create_cart,
    "addToCart": add_to_cart,
    "checkout": checkout,
    "cancelOrder": cancel_order,
    "stockChanges": stock_changes,
}


def make_schema() -> GraphQLSchema:
    """The schema; the functions in FIELDS answer it as its root value."""
    return build_schema(SDL)
