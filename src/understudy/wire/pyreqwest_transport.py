"""Sends requests through pyreqwest: bounded in size and time, redirects followed by ourselves."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, cast

from understudy import __version__
from understudy.core.errors import InputError, Problem, missing_extra
from understudy.wire.faults import causes_of, explain, place_of, without_userinfo
from understudy.wire.messages import Request, Response, TransportError, TransportTimeout
from understudy.wire.odd_headers import read_odd_headers
from understudy.wire.quiet_exit import ensure_quiet_exit
from understudy.wire.redirects import REDIRECT_STATUSES, follow
from understudy.wire.sendable import check_header_value, has_header, length_hint, sendable, why_not_sendable
from understudy.wire.target import Tls
from understudy.wire.transport import DEFAULT_RESPONSE_LIMIT, DEFAULT_TIMEOUT

if TYPE_CHECKING:
    from pyreqwest.bytes import Bytes
    from pyreqwest.client import Client, ClientBuilder
    from pyreqwest.response import Response as Answer

# RFC 9110 wants a length from these even when there is no body, and Go's client says it too.
_SAYS_EMPTY_LENGTH = frozenset({"POST", "PUT", "PATCH"})
_PEM_LIMIT = 1 << 24


class PyreqwestTransport:
    """A `Transport` over one pyreqwest client, which should not follow redirects itself.

    A client that is not ours is left open by `aclose`. With `open_secure`, `client` serves plain `http://` only, and
    everything else goes over the client which that makes when it is first needed. A cancelled `send` ends at once;
    while the server has not answered at all, pyreqwest yet keeps that connection open until the timeout of the request.
    """

    def __init__(
        self,
        client: Client,
        proxy: str = "",
        is_ours: bool = True,
        open_secure: Callable[[], Client] | None = None,
    ) -> None:
        from pyreqwest.exceptions import PyreqwestError

        ensure_quiet_exit()
        self._client = client
        self._open_secure = open_secure
        self._secure_client: Client | None = None
        self._proxy = proxy
        self._is_ours = is_ours
        self._is_closed = False
        self._spans: dict[float, timedelta] = {}
        # what pyreqwest raises: its own, and ValueError for a method, URL or header that cannot be sent
        self._foreign: tuple[type[Exception], ...] = (PyreqwestError, ValueError)

    async def send(
        self,
        request: Request,
        *,
        limit: int = DEFAULT_RESPONSE_LIMIT,
        timeout: float = DEFAULT_TIMEOUT,
        follow_redirects: bool = True,
    ) -> Response:
        """Send one request. Raises TransportError if there is no whole response to show for it."""
        if self._is_closed:
            raise TransportError("the HTTP client is already closed")
        url = request.url
        sending = request
        if (
            "@" in url
            or "/." in url
            or "%2e" in url
            or "%2E" in url
            or "\\" in url
            or " " in url
            or ":///" in url
            or not url.isprintable()
        ):
            sending = sendable(request, is_exact=True)
        start = time.monotonic()
        span = self._spans.get(timeout) or self._span(timeout)
        response = await self._exchange(sending, limit, span, timeout)
        response.url = url
        if response.status in REDIRECT_STATUSES and follow_redirects:

            async def once(following: Request, left: float) -> Response:
                step = sendable(following, is_exact=False)
                answer = await self._exchange(step, limit, timedelta(seconds=left), timeout)
                answer.url = following.url
                return answer

            return await follow(once, request, response, start + timeout)
        return response

    async def aclose(self) -> None:
        """Give the connections back."""
        # pyreqwest itself may or may not send what is asked of a closed client
        self._is_closed = True
        if self._is_ours:
            await self._client.close()
            if self._secure_client is not None:
                await self._secure_client.close()

    def _client_for(self, url: str) -> Client:
        if self._open_secure is None or url.startswith("http://"):
            return self._client
        if self._secure_client is None:
            self._secure_client = self._open_secure()
        return self._secure_client

    async def _exchange(self, request: Request, limit: int, span: timedelta, timeout: float) -> Response:
        # pyreqwest swallows a cancellation that arrives together with its own result, so we look ourselves
        task = cast("asyncio.Task[object]", asyncio.current_task())
        cancels = task.cancelling()
        try:
            # With a buffer of one byte, what came of the body is seen even if the rest never comes.
            builder = self._client_for(request.url).request(request.method, request.url)
            builder.streamed_read_buffer_limit(1).timeout(span)
            for name, value in request.headers:
                if not value.isascii():
                    check_header_value(name, value)
                builder.header(name, value)
            if request.body:
                builder.body_bytes(request.body)
            elif request.method in _SAYS_EMPTY_LENGTH and not has_header(request, "content-length"):
                builder.header("Content-Length", "0")
            async with builder.build_streamed() as answer:
                try:
                    headers = tuple(answer.headers.items())
                except ValueError:
                    headers = await read_odd_headers(answer.headers)
                if task.cancelling() > cancels:
                    raise asyncio.CancelledError
                chunk = await answer.body_reader.read_chunk()
                truncated = False
                if chunk is None:
                    body = b""
                elif len(chunk) <= limit and answer.get_header("content-length") == str(len(chunk)):
                    body = chunk.to_bytes()
                else:
                    body, truncated = await self._rest(request, answer, chunk, limit, timeout, cancels)
                status = answer.status
        except self._foreign as error:
            if task.cancelling() > cancels:
                raise asyncio.CancelledError from None
            self._fail(error, request, timeout)
        if task.cancelling() > cancels:
            raise asyncio.CancelledError
        if status == 407 and self._proxy:
            raise TransportError(explain(request.url, ["proxy authorization required"], self._proxy))
        return Response(status, headers, body, truncated=truncated)

    async def _rest(
        self, request: Request, answer: Answer, chunk: Bytes, limit: int, timeout: float, cancels: int
    ) -> tuple[bytes, bool]:
        """Read on after the first chunk, to the end or just past the limit."""
        task = cast("asyncio.Task[object]", asyncio.current_task())
        read_chunk = answer.body_reader.read_chunk
        parts = [chunk]
        came = len(chunk)
        try:
            while came <= limit:
                if task.cancelling() > cancels:
                    raise asyncio.CancelledError
                following = await read_chunk()
                if following is None:
                    return b"".join(parts), False
                parts.append(following)
                came += len(following)
        except self._foreign as error:
            announced = answer.get_header("content-length")
            so_far = f"{came} of {announced} bytes" if announced else f"{came} bytes"
            self._fail(error, request, timeout, so_far)
        return b"".join(parts)[:limit], True

    def _span(self, timeout: float) -> timedelta:
        try:
            span = timedelta(seconds=timeout)
        except (OverflowError, ValueError):
            span = timedelta(0)
        if span <= timedelta(0):
            raise InputError(
                f"a timeout of {timeout:g} s is not possible: it must be a positive number of seconds"
            )
        if len(self._spans) < 1000:
            self._spans[timeout] = span
        return span

    def _fail(self, error: Exception, request: Request, timeout: float, came: str = "") -> NoReturn:
        where = place_of(request.url)
        if isinstance(error, TimeoutError):
            so_far = f", only {came} of the body" if came else ""
            raise TransportTimeout(
                f"no whole response within {timeout:g} s from {where}{so_far}: "
                f"it hangs, or needs a longer timeout{length_hint(request)}"
            ) from error
        if type(error).__module__ == "builtins":
            raise TransportError(why_not_sendable(request, error)) from error
        causes = causes_of(error)
        text = " / ".join(causes)
        if "error reading a body" in text:
            if "before message length reached" in text or "unexpected EOF" in text or "reset by" in text:
                raise TransportError(
                    f"{where} closed the connection before the whole body had come: "
                    f"{came or 'nothing of it'} came; did the app crash, or is its length wrong?"
                ) from error
            if "chunk" in text.lower():
                raise TransportError(
                    f"the response body of {where} does not come in chunks as its Transfer-Encoding says: {causes[-1]}"
                ) from error
        elif ("decoding" in text and "body" in text) or "body error" in text:
            raise TransportError(
                f"the response body of {where} cannot be unpacked as its Content-Encoding says: {causes[-1]}"
            ) from error
        if came:
            raise TransportError(
                f"{explain(request.url, causes, self._proxy)} (after {came} of the body)"
            ) from error
        raise TransportError(explain(request.url, causes, self._proxy)) from error


def require_transport() -> None:
    """Say at once that the extra is missing, which every request would say again."""
    if find_spec("pyreqwest") is None:
        raise missing_extra("testbed", "pyreqwest")


def open_transport(target_tls: Tls | None = None, proxy: str = "") -> PyreqwestTransport:
    """A transport of its own, with pooled connections; it uses a proxy only if one is given.

    The authority of `target_tls` is trusted beside the system's. InputError names a file that is unusable.
    """
    try:
        from pyreqwest.client import ClientBuilder
    except ImportError:
        raise missing_extra("testbed", "pyreqwest") from None
    tls = target_tls or Tls()

    def begin() -> ClientBuilder:
        return ClientBuilder().follow_redirects(False).user_agent(f"understudy/{__version__}").no_proxy()

    if not proxy and tls == Tls():
        # To read the system's authorities takes as long as forty requests, so it is left until one needs them. The
        # client that knows none is given no URL but plain http, where there is no certificate to be accepted.
        plain = begin().danger_accept_invalid_certs(True).build()
        return PyreqwestTransport(plain, open_secure=lambda: begin().build())
    builder = begin()
    if proxy:
        builder = _with_proxy(builder, proxy)
    if tls.ca:
        builder = builder.add_root_certificate_pem(_pem(tls.ca, "ca", b"CERTIFICATE"))
    if tls.client_key and not tls.client_cert:
        raise InputError([Problem("client_key is set without client_cert", tls.client_key)])
    if tls.client_cert:
        identity = _pem(tls.client_cert, "client_cert", b"CERTIFICATE")
        if tls.client_key:
            identity += b"\n" + _pem(tls.client_key, "client_key", b"PRIVATE KEY")
        elif b"PRIVATE KEY-----" not in identity:
            raise InputError([Problem("no private key in it: set client_key to its file", tls.client_cert)])
        try:
            builder = builder.identity_pem(identity)
        except ValueError:
            message = "the client certificate and its key cannot be used"
            hint = "they must be PEM, and the key must not be encrypted"
            raise InputError([Problem(message, tls.client_cert, hint=hint)]) from None
    try:
        client = builder.build()
    except ValueError as error:
        cause = causes_of(error)[-1]
        if "KeyMismatch" in str(error.args):
            raise InputError(
                [Problem("the key does not belong to this certificate", tls.client_cert)]
            ) from None
        raise InputError([Problem(f"TLS cannot be set up: {cause}", tls.ca or tls.client_cert)]) from None
    return PyreqwestTransport(client, proxy)


def _with_proxy(builder: ClientBuilder, proxy: str) -> ClientBuilder:
    from pyreqwest.proxy import ProxyBuilder

    hint = "write it as http://host:port or http://user:password@host:port"
    if not re.match(r"(?i)https?://[^/?#]", proxy):
        raise InputError([Problem(f"proxy {without_userinfo(proxy)!r} is not usable", hint=hint)])
    try:
        return builder.proxy(ProxyBuilder.all(proxy))
    except ValueError as error:
        raise InputError([Problem(f"proxy {without_userinfo(proxy)!r}: {error}", hint=hint)]) from None


def _pem(file: str, key: str, kind: bytes) -> bytes:
    try:
        with Path(file).open("rb") as source:
            content = source.read(_PEM_LIMIT)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError([Problem(f"{key} cannot be read: {reason}", file)]) from None
    if kind + b"-----" not in content:
        raise InputError([Problem(f"{key} has no PEM block of a {kind.decode().lower()}", file)])
    return content
