"""The real network as the web for rules: only where the user allowed it, and never with more than it needs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from ipaddress import ip_address

from understudy.core.errors import InputError
from understudy.core.portal import run_blocking
from understudy.rules.providers import Provider
from understudy.rules.web import (
    BODY_LIMIT,
    Answer,
    LoggedRequest,
    RequestLog,
    TimedOut,
    TooLarge,
    WebError,
    WebRequest,
    resolve,
)
from understudy.wire.messages import Request, Response, TransportError, TransportTimeout
from understudy.wire.redirects import RedirectChain
from understudy.wire.route_url import locate
from understudy.wire.sendable import has_header
from understudy.wire.transport import Transport


class NetworkWeb:
    """A `Web` over HTTP. Close it when it is no longer needed.

    The provider's token goes to the provider's own host and nowhere else, whatever redirects say. As rules come
    from others, they may ask public addresses only; the provider itself may be anywhere.
    """

    def __init__(
        self,
        provider: Provider,
        *,
        log: RequestLog | None = None,
        transport: Transport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._provider = provider
        self._log = RequestLog() if log is None else log
        self._transport = transport
        self._is_ours = transport is None
        self._sleep = sleep

    @property
    def log(self) -> RequestLog:
        """What was asked so far."""
        return self._log

    @property
    def mimics_mindev(self) -> bool:
        """Never: this is the real thing."""
        return False

    def send(self, request: WebRequest) -> Answer:
        """Send a request and follow redirects. Raises TimedOut, TooLarge or another WebError."""
        url = resolve(request.url, self._provider.base)
        try:
            answer = run_blocking(self._send, request, url)
        except WebError as error:
            self._log.note_error(request.method, url, error)
            raise
        self._log.note(LoggedRequest(request.method, url, answer.status))
        return answer

    def pause(self, seconds: float) -> None:
        """Wait before a request is sent again."""
        self._sleep(seconds)

    def close(self) -> None:
        """Give the connections back."""
        if self._transport is not None and self._is_ours:
            run_blocking(self._transport.aclose)
            self._transport = None

    async def _send(self, request: WebRequest, url: str) -> Answer:
        try:
            async with asyncio.timeout(request.timeout):
                response = await self._exchange(request, url)
        except (TransportTimeout, TimeoutError):
            raise TimedOut(f"{request.method} {url} was not answered within {request.timeout:g} s") from None
        except (TransportError, InputError) as error:
            raise WebError(f"{request.method} {url}: {error}") from error
        if response.truncated:
            raise TooLarge(
                f"{request.method} {url}: the body is larger than the {BODY_LIMIT:,} bytes that are read"
            )
        return Answer(response.status, response.headers, response.body, response.url or url)

    async def _exchange(self, request: WebRequest, url: str) -> Response:
        transport = self._opened()
        asked = Request(request.method, url, request.headers, request.body)
        chain = RedirectChain(asked)
        while True:
            await self._refuse_private(asked.url)
            response = await transport.send(
                self._with_token(asked) if request.with_token else asked,
                limit=BODY_LIMIT,
                timeout=request.timeout,
                follow_redirects=False,
            )
            following = chain.next_request(response) if request.follows_redirects else None
            if following is None:
                return response
            asked = following

    def _opened(self) -> Transport:
        if self._transport is None:
            from understudy.wire.pyreqwest_transport import open_transport

            self._transport = open_transport()
        return self._transport

    def _with_token(self, request: Request) -> Request:
        token = self._provider.token
        if not token or not self._provider.owns(request.url) or has_header(request, "authorization"):
            return request
        headers = (*request.headers, ("Authorization", f"Bearer {token}"))
        return Request(request.method, request.url, headers, request.body)

    async def _refuse_private(self, url: str) -> None:
        if self._provider.owns(url):
            return
        host = locate(url).host.strip("[]")
        try:
            addresses = {host} if ip_address(host) else set()
        except ValueError:
            try:
                found = await asyncio.get_running_loop().getaddrinfo(host, None)
            except (OSError, UnicodeError):
                return  # the transport says what is wrong with such a name
            addresses = {str(entry[4][0]) for entry in found}
        for address in sorted(addresses):
            if not ip_address(address.partition("%")[0]).is_global:
                raise WebError(
                    f"{url} is at {address}, which is no public address: rules may ask only public ones"
                )
