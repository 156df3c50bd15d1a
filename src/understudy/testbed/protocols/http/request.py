"""Builds the request of an HTTP case: URL, headers and body, exactly as the founding document has them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, quote_plus

from understudy.core.errors import UnderstudyError
from understudy.testbed.models import HTTPCase, HTTPRouteSuite
from understudy.testbed.path_template import parts_of
from understudy.testbed.session import Session
from understudy.testbed.substitution import plain_text
from understudy.wire.messages import Headers, Request
from understudy.wire.target import Target

# What Go's url.PathEscape leaves as it is, beside letters, digits and -_.~
_PATH_SAFE = "$&+=:@"
# No method is the usual one; and who writes a standard method in small letters means it.
_METHODS = {"": "GET"} | {
    method.lower(): method for method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")
}


class BadRequest(UnderstudyError):
    """The case cannot be turned into a request; the message says what is missing."""


def build_request(route: HTTPRouteSuite, case: HTTPCase, session: Session) -> Request:
    """The request that the case sends."""
    given = case.input
    path = route.path
    if "{" in path:
        path = fill_path(path, given.params)
    if path[:1] != "/":
        path = f"/{path}"
    if given.query and (query := encode_query(given.query)):
        path += ("&" if "?" in path else "?") + query
    method = _METHODS.get(route.method, route.method)
    given_body, target = given.body, session.target
    if given_body is None and not given.headers and not target.headers and not target.cookies:
        return Request(method, target.base_url + path)
    body, content_type = encode_body(given_body)
    return Request(method, target.base_url + path, build_headers(target, content_type, given.headers), body)


def encode_body(body: Any) -> tuple[bytes | None, str]:
    """What is sent of a case's body, and the content type that goes with it.

    >>> encode_body({"a": 1}), encode_body({}), encode_body(None), encode_body("a=1")
    ((b'{"a":1}', 'application/json'), (None, 'application/json'), (None, ''), (b'a=1', ''))
    """
    if body is None:
        return None, ""
    if isinstance(body, str):
        return encoded(body, "the body") or None, ""
    return None if body == {} else encode_json(body), "application/json"


def fill_path(template: str, params: Mapping[str, Any]) -> str:
    """The path with every parameter in place, escaped; a missing one raises BadRequest.

    >>> fill_path("/items/{id}/parts/{rest...}", {"id": "a/b c", "rest": "x/y z"})
    '/items/a%2Fb%20c/parts/x/y%20z'
    """
    parts = []
    for literal, name, is_rest in parts_of(template):
        parts.append(literal)
        if not name:
            continue
        value = params.get(name)
        if value is None:
            raise BadRequest(_without_value(template, name, params))
        text = plain_text(value)
        if text.isalnum() and text.isascii():
            parts.append(text)
            continue
        if text in (".", ".."):
            raise BadRequest(
                f"path parameter {name!r} is {text!r}, which no client can send as a path segment"
            )
        if not text and not is_rest:
            raise BadRequest(f"path parameter {name!r} of {template} is empty: give it a value under params")
        safe = _PATH_SAFE + "/" if is_rest else _PATH_SAFE
        parts.append(quote(encoded(text, f"path parameter {name!r}"), safe=safe))
    return "".join(parts)


def _without_value(template: str, name: str, params: Mapping[str, Any]) -> str:
    if name in params:
        return f"path parameter {name!r} of {template} is null: give it a value under params"
    given = f" (it gives {', '.join(map(repr, params))})" if params else ""
    return f"path parameter {name!r} of {template} has no value: the case must give it{given}"


def encode_query(query: Mapping[str, Any]) -> str:
    """The query, in the order given; a list repeats its key, and None leaves the key out.

    >>> encode_query({"q": "a b&c", "tag": ["x", "y"], "page": 2, "none": None})
    'q=a+b%26c&tag=x&tag=y&page=2'
    """
    pairs = [
        (key, item)
        for key, value in query.items()
        for item in (value if isinstance(value, list | tuple) else [value])
        if item is not None
    ]
    return "&".join(
        f"{quote_plus(encoded(str(key), 'the query'))}={quote_plus(encoded(plain_text(item), 'the query'))}"
        for key, item in pairs
    )


def encoded(text: str, what: str) -> bytes:
    """A text in UTF-8; half of a surrogate pair, which JSON can say and UTF-8 cannot, raises BadRequest."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise BadRequest(f"{what} has {text[error.start]!r} in it, which is no character") from None


def encode_json(body: Any) -> bytes:
    """A body as JSON, compact, in UTF-8; raises BadRequest for what JSON cannot say."""
    try:
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadRequest(f"the body cannot be written as JSON: {error}") from None
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        # Half of a surrogate pair has no form in UTF-8, but in JSON an escape.
        return json.dumps(body, separators=(",", ":")).encode("ascii")


def build_headers(target: Target, content_type: str, given: Mapping[str, Any]) -> Headers:
    """The target's headers and cookies, the generated content type, and over all of them the case's own headers."""
    if not given and not target.headers and not target.cookies:
        return (("Content-Type", content_type),) if content_type else ()
    headers: dict[str, tuple[str, str]] = {}
    for name, value in target.headers.items():
        headers[name.lower()] = (name, value)
    if target.cookies:
        headers["cookie"] = ("Cookie", "; ".join(f"{name}={value}" for name, value in target.cookies.items()))
    if content_type:
        headers["content-type"] = ("Content-Type", content_type)
    for name, value in given.items():
        if value is None:
            headers.pop(name.lower(), None)
        else:
            values = value if isinstance(value, list | tuple) else [value]
            headers[name.lower()] = (name, ", ".join(map(plain_text, values)))
    return tuple(headers.values())
