"""The application: every route, and what happens when one refuses."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from storefront import graphql_http, http_carts, http_catalogue, http_orders
from storefront.errors import ShopError
from storefront.outgoing import not_routed, refused
from storefront.shop import Shop


async def health(request: Request) -> Response:
    """GET /healthz"""
    return JSONResponse({"status": "ok"})


@contextlib.asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    """Payments that are under way end with the application."""
    shop: Shop = app.state.shop
    yield
    await shop.payments.close()


def make_app(shop: Shop) -> Starlette:
    """The shop as an ASGI application."""
    app = Starlette(
        routes=[
            Route("/healthz", health),
            *http_catalogue.ROUTES,
            *http_carts.ROUTES,
            *http_orders.ROUTES,
            *graphql_http.ROUTES,
        ],
        exception_handlers={ShopError: refused, HTTPException: not_routed},
        lifespan=lifespan,
    )
    app.state.shop = shop
    return app
