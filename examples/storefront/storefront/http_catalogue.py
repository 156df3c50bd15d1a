"""The catalogue over HTTP: items, lists, search, the price list, and what a visitor looked at last."""

from __future__ import annotations

import csv
import io
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from storefront.catalogue import CURRENCY
from storefront.incoming import id_of_path, number_of_query, shop_of
from storefront.outgoing import entity_tag, is_unchanged
from storefront.views import item_view, page_view

COOKIE = "sid"
SLOW_SECONDS = 1.2


def listing(request: Request, text: str) -> Response:
    """One page of what was found, with a link to the next."""
    shop = shop_of(request)
    query = request.query_params
    page = shop.catalogue.find(
        text=text,
        tag=query.get("tag", ""),
        sort=query.get("sort", "id"),
        number=number_of_query(request, "page", 1),
        size=number_of_query(request, "size", 10),
    )
    following = {**query, "page": page.number + 1, "size": page.size}
    return JSONResponse(page_view(page, f"{request.url.path}?{urlencode(following)}", shop.bugs))


async def list_items(request: Request) -> Response:
    """GET /items"""
    return listing(request, "")


async def search(request: Request) -> Response:
    """GET /search?q=WORD"""
    shop = shop_of(request)
    if "slow-search" in shop.bugs:
        await shop.wait(SLOW_SECONDS)
    return listing(request, request.query_params.get("q", ""))


async def get_item(request: Request) -> Response:
    """GET /items/{id}, with an entity tag"""
    shop = shop_of(request)
    item = shop.catalogue.get(id_of_path(request))
    shop.sessions.saw(request.cookies.get(COOKIE), item.sku)
    view = item_view(item)
    headers = {"ETag": entity_tag(view), "Cache-Control": "no-cache"}
    if "missing-currency" in shop.bugs:
        del view["currency"]
    if is_unchanged(request, headers["ETag"]) and "ignored-etag" not in shop.bugs:
        return Response(status_code=304, headers=headers)
    return JSONResponse(view, headers=headers)


async def old_item(request: Request) -> Response:
    """GET /old/items/{id}: where items were once"""
    item = shop_of(request).catalogue.get(id_of_path(request))
    return RedirectResponse(f"/items/{item.id}", 301)


async def price_list(request: Request) -> Response:
    """GET /items.csv"""
    shop = shop_of(request)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(("id", "sku", "name", "price", "currency", "tags"))
    for item in shop.catalogue.all():
        price = f"{item.price // 100}.{item.price % 100:02d}"
        writer.writerow((item.id, item.sku, item.name, price, CURRENCY, " ".join(item.tags)))
    kind = "text/html" if "csv-as-html" in shop.bugs else "text/csv"
    headers = {"Content-Disposition": 'attachment; filename="items.csv"'}
    return Response(text.getvalue(), media_type=kind, headers=headers)


async def start_session(request: Request) -> Response:
    """POST /session: a cookie under which the last items are remembered"""
    response = JSONResponse({"recent": []}, 201)
    response.set_cookie(COOKIE, shop_of(request).sessions.start(), httponly=True, samesite="lax")
    return response


async def get_session(request: Request) -> Response:
    """GET /session"""
    return JSONResponse({"recent": shop_of(request).sessions.recent(request.cookies.get(COOKIE))})


async def end_session(request: Request) -> Response:
    """DELETE /session"""
    shop_of(request).sessions.end(request.cookies.get(COOKIE))
    response = Response(status_code=204)
    response.delete_cookie(COOKIE, httponly=True, samesite="lax")
    return response


ROUTES = [
    Route("/items", list_items),
    Route("/items.csv", price_list),
    Route("/items/{id}", get_item),
    Route("/search", search),
    Route("/old/items/{id}", old_item),
    Route("/session", start_session, methods=["POST"]),
    Route("/session", get_session),
    Route("/session", end_session, methods=["DELETE"]),
]
