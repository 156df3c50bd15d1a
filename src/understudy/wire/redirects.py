"""Follows redirects as Go's default client does, over anything that sends one request."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from urllib.parse import quote, urljoin, urlsplit

from understudy.wire.faults import without_userinfo
from understudy.wire.messages import (
    Headers,
    Request,
    Response,
    TooManyRedirects,
    TransportError,
    TransportTimeout,
)
from understudy.wire.transport import MAX_REDIRECTS

REDIRECT_STATUSES = frozenset({301, 302, 303, 307, 308})
_KEEP_METHOD_AND_BODY = frozenset({307, 308})
_SENSITIVE = frozenset(
    {"authorization", "www-authenticate", "cookie", "cookie2", "proxy-authorization", "proxy-authenticate"}
)
_PRINTABLE = "".join(map(chr, range(0x21, 0x7F)))

SendOnce = Callable[[Request, float], Awaitable[Response]]


class RedirectChain:
    """What has been asked so far, and what may still be sent: a header or body once dropped stays so."""

    def __init__(self, first: Request) -> None:
        self.urls: list[str] = []
        self._first = first
        self._current = first
        self._drop_sensitive = False
        self._drop_body = False

    def next_request(self, response: Response) -> Request | None:
        """The request that the response asks for, or None if it is no redirect or names no Location."""
        if response.status not in REDIRECT_STATUSES:
            return None
        location = response.header("Location")
        if not location:
            return None
        last_url = self._current.url
        self.urls.append(last_url)
        if len(self.urls) > MAX_REDIRECTS:
            raise TooManyRedirects(f"stopped after {MAX_REDIRECTS} redirects: {_shortened(self.urls)}")
        url = _resolved(last_url, location)
        method = self._current.method
        if response.status not in _KEEP_METHOD_AND_BODY:
            self._drop_body = True
            if method not in ("GET", "HEAD"):
                method = "GET"
        if not _is_same_or_below(_host(url), _host(self._first.url)):
            self._drop_sensitive = True
        headers = self._headers(last_url, url, keep_host=not urlsplit(location).scheme)
        self._current = Request(method, url, headers, None if self._drop_body else self._first.body)
        return self._current

    def _headers(self, last_url: str, url: str, keep_host: bool) -> Headers:
        kept = tuple(
            (name, value) for name, value in self._first.headers if self._goes_on(name.lower(), keep_host)
        )
        has_own_referer = any(name.lower() == "referer" for name, _ in kept)
        if has_own_referer or (last_url.lower().startswith("https:") and url.lower().startswith("http:")):
            return kept
        return (*kept, ("Referer", quote(without_userinfo(last_url).partition("#")[0], safe=_PRINTABLE)))

    def _goes_on(self, name: str, keep_host: bool) -> bool:
        if name == "host":
            return keep_host
        if self._drop_sensitive and name in _SENSITIVE:
            return False
        return not (self._drop_body and (name.startswith("content-") or name == "transfer-encoding"))


async def follow(send_once: SendOnce, request: Request, response: Response, deadline: float) -> Response:
    """Follow the redirect that `response` may be, until one is none.

    `send_once` gets each request and the seconds left until `deadline` (by `time.monotonic`).
    """
    chain = RedirectChain(request)
    while (following := chain.next_request(response)) is not None:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TransportTimeout(
                f"the time ran out while redirects were followed: {_shortened(chain.urls)}"
            )
        response = await send_once(following, left)
    response.redirects = tuple(chain.urls)
    return response


def _resolved(base: str, location: str) -> str:
    try:
        url = urljoin(base, location.strip())
        scheme, host = urlsplit(url).scheme.lower(), urlsplit(url).hostname
    except ValueError as error:
        raise TransportError(
            f"{without_userinfo(base)} redirects to {without_userinfo(location)!r}, which is no URL: {error}"
        ) from None
    if scheme not in ("http", "https") or not host:
        raise TransportError(
            f"{without_userinfo(base)} redirects to {without_userinfo(url)}: "
            "only http:// and https:// URLs are followed"
        )
    return url


def _host(url: str) -> str:
    host = urlsplit(url).hostname or ""
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return host


def _is_same_or_below(host: str, first: str) -> bool:
    """Is `host` the first host, or a subdomain of it? An address has no subdomains."""
    if host == first:
        return True
    return ":" not in host and "%" not in host and bool(first) and host.endswith(f".{first}")


def _shortened(urls: list[str]) -> str:
    shown = [without_userinfo(url) for url in urls]
    shown = [url if len(url) <= 200 else f"{url[:197]}..." for url in shown]
    if len(shown) > 4:
        shown = [*shown[:2], "...", *shown[-2:]]
    return " -> ".join(shown)
