"""Looks whether a request can be sent as it is written; says what of it cannot, before anything is sent."""

from __future__ import annotations

import base64
import re
from urllib.parse import unquote, urlsplit

from understudy.wire.faults import without_userinfo
from understudy.wire.messages import Request, TransportError

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_AUTHORITY = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?//([^/?#]*)")
_DOT_SEGMENTS = frozenset({".", ".."})


def sendable(request: Request, is_exact: bool) -> Request:
    """The request with its URL's userinfo as a header.

    With `is_exact` it refuses a URL that would be sent as another one; a Location may be tidied instead.

    >>> sendable(Request("GET", "http://ann:pw@shop.test/"), is_exact=True).url
    'http://shop.test/'
    """
    if is_exact:
        check_url(request.url)
    authority = _AUTHORITY.match(request.url)
    if authority is None or "@" not in authority[1]:
        return request
    user, _, password = authority[1].rpartition("@")[0].partition(":")
    headers = request.headers
    if not has_header(request, "authorization"):
        credentials = f"{unquote(user)}:{unquote(password)}".encode()
        headers = (*headers, ("Authorization", f"Basic {base64.b64encode(credentials).decode()}"))
    return Request(request.method, without_userinfo(request.url), headers, request.body)


def check_url(url: str) -> None:
    """Refuse a URL of which an HTTP client would silently ask another one."""
    shown = without_userinfo(url)
    before_query = re.split(r"[?#]", url, maxsplit=1)[0]
    control = next((c for c in url if c < " " or c == "\x7f"), "\\" if "\\" in before_query else "")
    if control:
        raise TransportError(f"the URL {shown!r} has {control!r} in it: write it percent-encoded")
    if url != url.strip():
        raise TransportError(f"the URL {shown!r} begins or ends with a space: write it percent-encoded")
    if ":///" in before_query:
        raise TransportError(f"the URL {shown!r} has no host")
    path = before_query.partition("//")[2].partition("/")[2]
    for segment in path.split("/"):
        if segment.lower().replace("%2e", ".") in _DOT_SEGMENTS:
            raise TransportError(
                f"the path /{path} cannot be sent as it is: HTTP clients resolve the segment {segment!r} "
                f"(this one would ask for {_collapsed(url)}); to send such a path use curl --path-as-is"
            )


def _collapsed(url: str) -> str:
    from pyreqwest.http import Url

    try:
        return Url(url).path
    except ValueError:
        return "another one"


def check_header_value(name: str, value: str) -> None:
    """Refuse characters outside of latin-1; the others are sent as UTF-8, as Go's client does."""
    try:
        value.encode("latin-1")
    except UnicodeEncodeError as error:
        bad = value[error.start]
        raise TransportError(f"header {name}: {bad!r} cannot stand in a header; encode it first") from None


def has_header(request: Request, name: str) -> bool:
    """Does the request bring this header (given in lower case) itself?"""
    return any(key.lower() == name for key, _ in request.headers)


def length_hint(request: Request) -> str:
    """What to say of a Content-Length that keeps the server waiting for more body than there is."""
    size = str(len(request.body or b""))
    for name, value in request.headers:
        if name.lower() == "content-length" and value.strip() != size:
            return f"; its Content-Length says {value}, but the body has {size} bytes"
    return ""


def why_not_sendable(request: Request, error: Exception) -> str:
    """Which part of the request the client refused with `error`, and why."""
    if not _TOKEN.fullmatch(request.method):
        return f"{request.method!r} is no HTTP method"
    for name, value in request.headers:
        if not _TOKEN.fullmatch(name):
            return f"{name!r} cannot be the name of a header"
        if "\r" in value or "\n" in value:
            return f"header {name}: has a line break"
        bad = next(
            (c for c in value if (c < " " and c != "\t") or c == "\x7f" or "\ud800" <= c <= "\udfff"), None
        )
        if bad is not None:
            return f"header {name}: {bad!r} cannot stand in a header"
    shown = without_userinfo(request.url)
    try:
        if urlsplit(request.url).scheme.lower() not in ("http", "https"):
            return f"the URL {shown!r} must start with http:// or https://"
    except ValueError:
        pass
    return f"the URL {shown!r} cannot be asked: {without_userinfo(str(error))}"
