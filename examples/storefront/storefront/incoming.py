"""Reading a request: who asks, the JSON body, and numbers, each with a refusal that says what was wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request

from storefront.errors import Invalid, ShopError, TooLarge, Unauthenticated
from storefront.shop import Shop

LARGEST_BODY = 64 * 1024


def shop_of(request: Request) -> Shop:
    """The shop that the application was made for."""
    shop: Shop = request.app.state.shop
    return shop


def customer_or_none(request: Request) -> str | None:
    """Who is logged in; None without an Authorization header."""
    header = request.headers.get("authorization")
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer":
        raise Unauthenticated("the Authorization header must be: Bearer TOKEN")
    return shop_of(request).customers.of_token(token.strip())


def customer_of(request: Request) -> str:
    """Who is logged in."""
    customer = customer_or_none(request)
    if customer is None:
        raise Unauthenticated("send the header Authorization: Bearer TOKEN; POST /login gives a token")
    return customer


async def json_body(request: Request, *, optional: bool = False) -> dict[str, Any]:
    """The body, which must be a JSON object of a decent size; no body is an empty object if optional."""
    raw = bytearray()
    async for chunk in request.stream():
        raw += chunk
        if len(raw) > LARGEST_BODY:
            raise TooLarge(f"a body may have {LARGEST_BODY} bytes")
    if optional and not raw:
        return {}
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        raise ShopError("the body is not JSON") from None
    if not isinstance(body, dict):
        raise Invalid("the body must be a JSON object")
    return body


def text_in(body: Mapping[str, Any], key: str) -> str:
    """A text that must be there."""
    value = body.get(key)
    if not isinstance(value, str) or not value:
        raise Invalid(f"{key!r} must be a text")
    return value


def number_in(body: Mapping[str, Any], key: str, default: int | None = None) -> int:
    """A whole number that must be there, unless there is a default."""
    value = body.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool):
        raise Invalid(f"{key!r} must be a whole number")
    return value


def id_in(body: Mapping[str, Any], key: str) -> int:
    """An id that must be there, as a number or as the text of one."""
    value = body.get(key)
    number = number_or_none(value) if isinstance(value, str) else value
    return number_in({key: number}, key)


def number_or_none(text: str) -> int | None:
    """The number that `text` writes, or None.

    >>> number_or_none("12"), number_or_none("twelve")
    (12, None)
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else None


def number_of_query(request: Request, key: str, default: int) -> int:
    """A whole number in the query."""
    text = request.query_params.get(key)
    if text is None:
        return default
    number = number_or_none(text)
    if number is None:
        raise Invalid(f"{key!r} must be a whole number, not {text!r}")
    return number


def id_of_path(request: Request, key: str = "id") -> int | None:
    """The id in the path; None for what cannot be one."""
    return number_or_none(request.path_params[key])
