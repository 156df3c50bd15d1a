"""Logging in, and carts over HTTP."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from storefront.carts import Cart
from storefront.errors import Invalid, ShopError
from storefront.incoming import customer_of, id_of_path, json_body, number_in, shop_of, text_in
from storefront.views import cart_view


def cart_of(request: Request) -> Cart:
    """The cart that the path names, if it is the customer's own."""
    return shop_of(request).carts.get(customer_of(request), id_of_path(request, "cart"))


def line_in(body: object) -> tuple[str, int]:
    """A sku and how many of it."""
    if not isinstance(body, dict):
        raise Invalid("a line must be an object with 'sku' and 'quantity'")
    return text_in(body, "sku"), number_in(body, "quantity", 1)


def lines_in(body: Mapping[str, object]) -> list[tuple[str, int]]:
    """The lines that a new cart begins with."""
    lines = body.get("lines", [])
    if not isinstance(lines, list):
        raise Invalid("'lines' must be a list")
    return [line_in(line) for line in lines]


async def login(request: Request) -> Response:
    """POST /login {"customer": NAME}"""
    customer = text_in(await json_body(request), "customer")
    return JSONResponse({"customer": customer, "token": shop_of(request).customers.login(customer)})


async def create_cart(request: Request) -> Response:
    """POST /carts, optionally with {"lines": [{"sku": SKU, "quantity": NUMBER}]}"""
    carts = shop_of(request).carts
    customer = customer_of(request)
    wanted = lines_in(await json_body(request, optional=True))
    cart = carts.create(customer)
    try:
        for sku, quantity in wanted:
            carts.add(cart, sku, quantity)
    except ShopError:
        carts.drop(customer, cart.id)
        raise
    return JSONResponse(cart_view(cart), 201, headers={"Location": f"/carts/{cart.id}"})


async def get_cart(request: Request) -> Response:
    """GET /carts/{cart}"""
    return JSONResponse(cart_view(cart_of(request)))


async def drop_cart(request: Request) -> Response:
    """DELETE /carts/{cart}"""
    shop_of(request).carts.drop(customer_of(request), id_of_path(request, "cart"))
    return Response(status_code=204)


async def add_line(request: Request) -> Response:
    """POST /carts/{cart}/lines {"sku": SKU, "quantity": NUMBER}"""
    cart = cart_of(request)
    sku, quantity = line_in(await json_body(request))
    shop_of(request).carts.add(cart, sku, quantity)
    return JSONResponse(cart_view(cart), 201)


async def change_line(request: Request) -> Response:
    """PATCH /carts/{cart}/lines/{sku} {"quantity": NUMBER}"""
    cart = cart_of(request)
    quantity = number_in(await json_body(request), "quantity")
    shop_of(request).carts.change(cart, request.path_params["sku"], quantity)
    return JSONResponse(cart_view(cart))


async def remove_line(request: Request) -> Response:
    """DELETE /carts/{cart}/lines/{sku}"""
    shop_of(request).carts.remove(cart_of(request), request.path_params["sku"])
    return Response(status_code=204)


async def apply_discount(request: Request) -> Response:
    """PUT /carts/{cart}/discount {"code": CODE}"""
    cart = cart_of(request)
    shop_of(request).carts.apply(cart, text_in(await json_body(request), "code"))
    return JSONResponse(cart_view(cart))


ROUTES = [
    Route("/login", login, methods=["POST"]),
    Route("/carts", create_cart, methods=["POST"]),
    Route("/carts/{cart}", get_cart),
    Route("/carts/{cart}", drop_cart, methods=["DELETE"]),
    Route("/carts/{cart}/lines", add_line, methods=["POST"]),
    Route("/carts/{cart}/lines/{sku}", change_line, methods=["PATCH"]),
    Route("/carts/{cart}/lines/{sku}", remove_line, methods=["DELETE"]),
    Route("/carts/{cart}/discount", apply_discount, methods=["PUT"]),
]
