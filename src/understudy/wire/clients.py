"""Takes whatever HTTP client a caller brings and makes a `Transport` of it."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable
from dataclasses import replace
from typing import Any, NoReturn, cast

from understudy.core.errors import InputError, UnderstudyError
from understudy.wire.faults import causes_of, explain, place_of, without_userinfo
from understudy.wire.messages import Headers, Request, Response, TransportError, TransportTimeout
from understudy.wire.odd_headers import decoded
from understudy.wire.redirects import follow
from understudy.wire.transport import DEFAULT_RESPONSE_LIMIT, DEFAULT_TIMEOUT, Transport

_ACCEPTED = (
    "a Transport (async send(request, *, limit, timeout, follow_redirects) and aclose()), "
    "a function that takes a Request and returns a Response, "
    "an httpx.Client, httpx.AsyncClient, requests.Session or pyreqwest Client"
)
_CHUNK = 65536
# A client that gives up before this share of the time has passed had less time of its own.
_NEARLY = 0.9

Exchange = Callable[[Request, int, float], Awaitable[Response]]


def as_transport(client: object) -> Transport:
    """A transport over a client that stays the caller's own: it is not closed with the transport.

    Redirects, response limit and timeout are ours with every client, but for pyreqwest's, which follows redirects
    as it was built to; where a client has a shorter timeout of its own, that holds. A blocking client runs in a
    worker thread, which cannot be stopped when the time is up.
    """
    if _is_transport(client):
        return cast("Transport", client)
    family = {f"{kind.__module__.split('.')[0]}.{kind.__name__}" for kind in type(client).__mro__}
    foreign = cast("Any", client)
    if "httpx.AsyncClient" in family:
        return ClientTransport(_httpx_async(foreign))
    if "httpx.Client" in family:
        return ClientTransport(_in_thread(_httpx_exchange(foreign)))
    if "requests.Session" in family:
        return ClientTransport(_in_thread(_requests_exchange(foreign)))
    if "pyreqwest.Client" in family:
        from understudy.wire.pyreqwest_transport import PyreqwestTransport

        return PyreqwestTransport(foreign, is_ours=False)
    if callable(client) and not isinstance(client, type):
        return ClientTransport(_function_exchange(client))
    raise InputError(f"{type(client).__name__!r} is no HTTP client that can be used: give {_ACCEPTED}")


class ClientTransport:
    """A `Transport` over anything that can exchange one request for one response."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    async def send(
        self,
        request: Request,
        *,
        limit: int = DEFAULT_RESPONSE_LIMIT,
        timeout: float = DEFAULT_TIMEOUT,
        follow_redirects: bool = True,
    ) -> Response:
        """Send one request. Raises TransportError if there is no whole response to show for it."""

        async def once(sending: Request, left: float) -> Response:
            began = time.monotonic()
            try:
                async with asyncio.timeout(left):
                    response = await self._exchange(sending, limit, left)
            except UnderstudyError:
                raise
            except Exception as error:
                is_early = time.monotonic() - began < left * _NEARLY
                _fail(error, sending, None if is_early else timeout)
            # a copy, as a function may give the same response again and again
            return replace(
                response,
                url=response.url or sending.url,
                body=response.body[:limit],
                truncated=response.truncated or len(response.body) > limit,
            )

        deadline = time.monotonic() + timeout
        response = await once(request, timeout)
        return await follow(once, request, response, deadline) if follow_redirects else response

    async def aclose(self) -> None:
        """Nothing: the client is the caller's to close."""


def _is_transport(client: object) -> bool:
    send, close = getattr(client, "send", None), getattr(client, "aclose", None)
    if not callable(send) or not callable(close) or isinstance(client, type):
        return False
    try:
        names = inspect.signature(send).parameters
    except (TypeError, ValueError):
        return False
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in names.values())
    return takes_any or {"limit", "timeout", "follow_redirects"} <= names.keys()


def _fail(error: Exception, request: Request, timeout: float | None) -> NoReturn:
    where = place_of(request.url)
    chain = [type(each).__name__ for each in _chain(error)]
    if any("Timeout" in name for name in chain):
        limit = f"{timeout:g} s" if timeout is not None else "the timeout of the client that was given"
        raise TransportTimeout(
            f"no whole response within {limit} from {where}: it hangs, or needs a longer timeout"
        ) from error
    if type(error).__module__.split(".")[0] in (
        "httpx",
        "httpcore",
        "requests",
        "urllib3",
        "builtins",
        "ssl",
    ):
        causes = list(reversed(causes_of(error)))
        raise TransportError(explain(request.url, causes)) from error
    raise TransportError(
        f"the HTTP client raised {type(error).__name__}: {without_userinfo(str(error))}"
    ) from error


def _chain(error: BaseException) -> Iterable[BaseException]:
    current: BaseException | None = error
    for _ in range(20):
        if current is None:
            return
        yield current
        current = current.__cause__ or current.__context__


def _function_exchange(function: Callable[..., Any]) -> Exchange:
    name = getattr(function, "__qualname__", type(function).__name__)
    is_async = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004  an object may have an async __call__
    )

    async def exchange(request: Request, limit: int, left: float) -> Response:
        try:
            result = function(request) if is_async else await asyncio.to_thread(function, request)
            if inspect.isawaitable(result):
                result = await result
        except (UnderstudyError, TimeoutError):
            raise
        except Exception as error:
            raise TransportError(
                f"the client function {name} raised {type(error).__name__}: {error}"
            ) from error
        if not isinstance(result, Response):
            raise TransportError(
                f"the client function {name} returned {type(result).__name__}, not a Response"
            )
        return result

    return exchange


def _in_thread(blocking: Callable[[Request, int, float], Response]) -> Exchange:
    async def exchange(request: Request, limit: int, left: float) -> Response:
        return await asyncio.to_thread(blocking, request, limit, left)

    return exchange


def _httpx_async(client: Any) -> Exchange:
    async def exchange(request: Request, limit: int, left: float) -> Response:
        answer = await client.send(_httpx_request(client, request, left), stream=True, follow_redirects=False)
        try:
            body, truncated = await _bounded_async(answer.aiter_bytes(_CHUNK), limit)
        finally:
            await answer.aclose()
        return _httpx_response(answer, body, truncated)

    return exchange


def _httpx_exchange(client: Any) -> Callable[[Request, int, float], Response]:
    def exchange(request: Request, limit: int, left: float) -> Response:
        deadline = time.monotonic() + left
        answer = client.send(_httpx_request(client, request, left), stream=True, follow_redirects=False)
        try:
            body, truncated = _bounded(answer.iter_bytes(_CHUNK), limit, deadline)
        finally:
            answer.close()
        return _httpx_response(answer, body, truncated)

    return exchange


def _httpx_request(client: Any, request: Request, left: float) -> Any:
    return client.build_request(
        request.method,
        request.url,
        headers=[(name.encode(), value.encode()) for name, value in request.headers],
        content=request.body or None,
        timeout=_shorter(client.timeout, left),
    )


def _shorter(own: Any, left: float) -> Any:
    """The limits of an httpx client, none of them longer than the time that is left."""
    limits = {name: limit if limit is not None else left for name, limit in own.as_dict().items()}
    return type(own)(**{name: min(limit, left) for name, limit in limits.items()})


def _httpx_response(answer: Any, body: bytes, truncated: bool) -> Response:
    headers: Headers = tuple((decoded(name).lower(), decoded(value)) for name, value in answer.headers.raw)
    return Response(answer.status_code, headers, body, truncated=truncated)


def _requests_exchange(session: Any) -> Callable[[Request, int, float], Response]:
    def exchange(request: Request, limit: int, left: float) -> Response:
        deadline = time.monotonic() + left
        joined: dict[str, str] = {}
        names: dict[str, str] = {}
        for name, value in request.headers:
            key = names.setdefault(name.lower(), name)
            # requests knows one value a name, so equal names are joined as HTTP allows
            glue = "; " if name.lower() == "cookie" else ", "
            joined[key] = f"{joined[key]}{glue}{value}" if key in joined else value
        answer = session.request(
            request.method,
            request.url,
            headers={name: value.encode() for name, value in joined.items()},
            data=request.body or None,
            timeout=left,
            allow_redirects=False,
            stream=True,
        )
        with answer:
            body, truncated = _bounded(answer.iter_content(_CHUNK), limit, deadline)
        # urllib3 reads header bytes as latin-1
        headers = [
            (n.lower(), decoded(v.encode("latin-1", "replace"))) for n, v in answer.raw.headers.items()
        ]
        return Response(answer.status_code, tuple(headers), body, truncated=truncated)

    return exchange


def _bounded(chunks: Iterable[bytes], limit: int, deadline: float) -> tuple[bytes, bool]:
    body = bytearray()
    for chunk in chunks:
        body += chunk
        if len(body) > limit:
            return bytes(body[:limit]), True
        if time.monotonic() > deadline:
            raise TimeoutError
    return bytes(body), False


async def _bounded_async(chunks: AsyncIterable[bytes], limit: int) -> tuple[bytes, bool]:
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        if len(body) > limit:
            return bytes(body[:limit]), True
    return bytes(body), False
