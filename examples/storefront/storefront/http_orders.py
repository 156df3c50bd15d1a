"""Checkout and orders over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from storefront.incoming import customer_of, id_in, id_of_path, json_body, shop_of
from storefront.orders import FINAL, Order
from storefront.outgoing import event, event_stream
from storefront.views import order_view


async def checkout(request: Request) -> Response:
    """POST /checkout {"cart": ID}; with the header Idempotency-Key it can be repeated without harm"""
    shop = shop_of(request)
    customer = customer_of(request)
    cart = shop.carts.get(customer, id_in(await json_body(request), "cart"))
    order, repeated = shop.orders.checkout(cart, request.headers.get("idempotency-key", ""))
    headers = {"Location": f"/orders/{order.id}", "Cache-Control": "no-store"}
    if repeated:
        headers["Idempotency-Replayed"] = "true"
    return JSONResponse(order_view(order), 201, headers=headers)


async def legacy_checkout(request: Request) -> Response:
    """POST /legacy/checkout: where checkout was once; method and body go along"""
    return RedirectResponse("/checkout", 302 if "lost-method" in shop_of(request).bugs else 307)


async def list_orders(request: Request) -> Response:
    """GET /orders?status=STATUS"""
    orders = shop_of(request).orders.of(customer_of(request), request.query_params.get("status", ""))
    body = {"orders": [order_view(order) for order in orders], "total": len(orders)}
    return JSONResponse(body, headers={"Cache-Control": "no-store"})


async def get_order(request: Request) -> Response:
    """GET /orders/{id}"""
    shop = shop_of(request)
    order = shop.orders.get(customer_of(request), id_of_path(request))
    caching = "public, max-age=3600" if "shared-cache" in shop.bugs else "no-store"
    return JSONResponse(order_view(order), headers={"Cache-Control": caching})


async def cancel_order(request: Request) -> Response:
    """POST /orders/{id}/cancel"""
    order = shop_of(request).orders.cancel(customer_of(request), id_of_path(request))
    return JSONResponse(order_view(order))


async def follow_order(request: Request) -> Response:
    """GET /orders/{id}/events: each status as an event, until none can follow"""
    order = shop_of(request).orders.get(customer_of(request), id_of_path(request))
    return event_stream(statuses(order))


async def statuses(order: Order) -> AsyncIterator[str]:
    """The statuses of an order as server-sent events."""
    async for status in order.history.follow():
        yield event("status", {"id": order.id, "status": status})
        if status in FINAL:
            return


ROUTES = [
    Route("/checkout", checkout, methods=["POST"]),
    Route("/legacy/checkout", legacy_checkout, methods=["POST"]),
    Route("/orders", list_orders),
    Route("/orders/{id}", get_order),
    Route("/orders/{id}/cancel", cancel_order, methods=["POST"]),
    Route("/orders/{id}/events", follow_order),
]
