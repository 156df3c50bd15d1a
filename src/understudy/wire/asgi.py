"""What an ASGI application is, and its messages turned into a request and a response as plain data.

Stand-ins answer `Request` with `Response`; this is the little that stands between that and a server.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

from understudy.core.errors import UnderstudyError
from understudy.wire.messages import Headers, Request, Response

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

BODY_LIMIT = 16 << 20
BODY_PATIENCE = 30.0
# What a client sends beyond the limit is read and thrown away, so that it gets to read the refusal; within bounds.
_DRAIN_LIMIT = 64 << 20
_DRAIN_PATIENCE = 2.0


class BodyTooLarge(UnderstudyError):
    """The body of a request is longer than is read; `is_drained` says that the client has sent all of it."""

    def __init__(self, limit: int, is_drained: bool) -> None:
        super().__init__(f"the body is longer than {limit:,} bytes")
        self.is_drained = is_drained


class BodyTooSlow(UnderstudyError):
    """The body of a request did not arrive within the time allowed."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the body did not arrive within {seconds:g} s")


class ClientGone(UnderstudyError):
    """The client went away before its request was whole; there is nobody to answer."""

    def __init__(self) -> None:
        super().__init__("the client closed the connection before its request was whole")


async def read_request(
    scope: Scope, receive: Receive, *, limit: int = BODY_LIMIT, patience: float = BODY_PATIENCE
) -> Request:
    """The request of an HTTP scope, its body bounded in size and time.

    The URL is the one that the client asked for, its path and query as they stood on the wire. Raises
    BodyTooLarge, BodyTooSlow and ClientGone.
    """
    headers: Headers = tuple(
        (name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]
    )
    body = await _read_body(headers, receive, limit, patience)
    return Request(scope["method"], _url(scope, headers), headers, body or None)


async def send_response(send: Send, response: Response, *, close: bool = False) -> None:
    """Send a whole response; `close` ends the connection after it."""
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in response.headers]
    headers.append((b"content-length", b"%d" % len(response.body)))
    if close:
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    await send({"type": "http.response.body", "body": response.body})


def first_header(headers: Iterable[tuple[str, str]], name: str) -> str | None:
    """The first value of a header, its name compared without case.

    >>> first_header([("Accept", "text/html")], "accept")
    'text/html'
    """
    folded = name.lower()
    return next((value for key, value in headers if key.lower() == folded), None)


def _url(scope: Scope, headers: Headers) -> str:
    path = scope.get("raw_path") or scope["path"].encode("utf-8", "surrogateescape")
    query = scope.get("query_string", b"")
    server = scope.get("server") or ("localhost", None)
    host = first_header(headers, "host") or f"{server[0]}:{server[1]}"
    target = path.decode("latin-1") + (f"?{query.decode('latin-1')}" if query else "")
    return f"{scope.get('scheme', 'http')}://{host}{target}"


async def _read_body(headers: Headers, receive: Receive, limit: int, patience: float) -> bytes:
    declared = first_header(headers, "content-length")
    is_long = declared is not None and declared.isascii() and declared.isdigit() and int(declared) > limit
    if is_long and first_header(headers, "expect"):
        raise BodyTooLarge(limit, is_drained=False)  # it waits for our leave to send, and does not get it
    chunks: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(patience):
            while True:
                chunk, more = await _next_chunk(receive)
                size += len(chunk)
                if size > limit or is_long:
                    chunks.clear()
                    raise BodyTooLarge(limit, is_drained=not more or await _drain(receive))
                chunks.append(chunk)
                if not more:
                    return b"".join(chunks)
    except TimeoutError:
        raise BodyTooSlow(patience) from None


async def _next_chunk(receive: Receive) -> tuple[bytes, bool]:
    message = await receive()
    if message["type"] == "http.disconnect":
        raise ClientGone
    return message.get("body", b""), message.get("more_body", False)


async def _drain(receive: Receive) -> bool:
    """Throw away the rest of a body; False if it does not come to an end soon."""
    size = 0
    try:
        async with asyncio.timeout(_DRAIN_PATIENCE):
            while size <= _DRAIN_LIMIT:
                chunk, more = await _next_chunk(receive)
                size += len(chunk)
                if not more:
                    return True
    except TimeoutError:
        pass
    return False
