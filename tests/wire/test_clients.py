"""Every HTTP client that a caller may bring behaves like our own transport, as far as it can."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable
from typing import Any

import httpx
import pytest
import requests
from pyreqwest.client import ClientBuilder

from understudy.core.errors import InputError
from understudy.wire.clients import as_transport
from understudy.wire.messages import Request, Response, TooManyRedirects, TransportError, TransportTimeout
from understudy.wire.pyreqwest_transport import open_transport

from .hostile import HostileServer

Options = dict[str, Any]


class SlottedTransport:
    """A transport of a third party's own."""

    async def send(
        self, request: Request, *, limit: int = 9, timeout: float = 9, follow_redirects: bool = True
    ) -> Response:
        return Response(299, (), request.url.encode()[:limit])

    async def aclose(self) -> None:
        return None


CLIENTS: dict[str, Callable[[], object]] = {
    "httpx": lambda: httpx.Client(trust_env=False),
    "async httpx": lambda: httpx.AsyncClient(trust_env=False),
    "requests": lambda: _requests_session(),
    "pyreqwest": lambda: ClientBuilder().no_proxy().follow_redirects(False).build(),
}


def _requests_session() -> requests.Session:
    session = requests.Session()
    session.trust_env = False
    return session


async def close(client: Any) -> None:
    if isinstance(client, httpx.AsyncClient):
        await client.aclose()
    elif isinstance(client, httpx.Client | requests.Session):
        client.close()
    else:
        await client.close()


def exchange(kind: str, request: Request, **options: Any) -> Response:
    """Send one request through a client of that kind."""

    async def send() -> Response:
        client = CLIENTS[kind]()
        try:
            return await as_transport(client).send(request, **options)
        finally:
            await close(client)

    return asyncio.run(send())


every_client = pytest.mark.parametrize("kind", list(CLIENTS))


@every_client
def test_requests_and_responses_keep_method_headers_and_body(server: HostileServer, kind: str) -> None:
    headers = (("X-One", "1"), ("Content-Type", "text/plain"))
    response = exchange(kind, Request("PATCH", server.url("/body?type=text/csv"), headers, b"a,b"))
    sent = server.last
    assert (sent.method, sent.target, sent.body) == ("PATCH", "/body?type=text/csv", b"a,b")
    assert (sent.header("X-One"), sent.header("Content-Type")) == ("1", "text/plain")
    assert (response.status, response.body) == (200, b"a,b")
    assert (response.header("Content-Type"), response.url) == ("text/csv", server.url("/body?type=text/csv"))


@every_client
def test_equal_header_names_all_arrive(server: HostileServer, kind: str) -> None:
    exchange(kind, Request("GET", server.url("/echo"), (("X-Twice", "one"), ("X-Twice", "two"))))
    assert ", ".join(server.last.header_values("X-Twice")) == "one, two"


@every_client
def test_odd_response_headers_and_packed_bodies_are_read(server: HostileServer, kind: str) -> None:
    headers = exchange(kind, Request("GET", server.url("/odd-headers"))).headers
    assert [value for name, value in headers if name in ("x-latin", "x-utf8")] == ["caf\xe9", "caf\xe9"]
    assert exchange(kind, Request("GET", server.url("/gzip"))).body == b"unpacked"


@every_client
@pytest.mark.parametrize("path", ["/endless", "/bomb", "/large?size=1001"])
def test_bodies_are_bounded(server: HostileServer, kind: str, path: str) -> None:
    response = exchange(kind, Request("GET", server.url(path)), limit=1000)
    assert (len(response.body), response.truncated) == (1000, True)


@every_client
def test_redirects_are_ours(server: HostileServer, kind: str) -> None:
    request = Request("POST", server.url("/status/302?to=/echo"), (("Content-Type", "text/plain"),), b"x")
    response = exchange(kind, request)
    assert (response.url, response.redirects) == (server.url("/echo"), (request.url,))
    assert (server.last.method, server.last.body) == ("GET", b"")
    assert exchange(kind, request, follow_redirects=False).status == 302
    with pytest.raises(TooManyRedirects, match="stopped after 10 redirects"):
        exchange(kind, Request("GET", server.url("/loop")))


@every_client
def test_failures_are_ours(server: HostileServer, kind: str) -> None:
    with pytest.raises(TransportError, match=r"connection refused by 127\.0\.0\.1:1: is the app running"):
        exchange(kind, Request("GET", "http://ann:secret@127.0.0.1:1/"))
    with pytest.raises(TransportError, match=r"the name no\.such\.invalid cannot be resolved"):
        exchange(kind, Request("GET", "http://no.such.invalid/"))
    with pytest.raises(TransportTimeout, match=r"no whole response within 0\.3 s"):
        exchange(kind, Request("GET", server.url("/hang")), timeout=0.3)
    for path in ("/silent", "/reset", "/garbage", "/half"):
        with pytest.raises(TransportError):
            exchange(kind, Request("GET", server.url(path)))


@pytest.mark.parametrize("kind", [httpx.Client, httpx.AsyncClient])
def test_a_client_may_have_a_shorter_timeout_of_its_own(
    server: HostileServer, kind: type[httpx.Client | httpx.AsyncClient]
) -> None:
    async def send() -> None:
        client = kind(trust_env=False, timeout=httpx.Timeout(None, read=0.05))
        try:
            await as_transport(client).send(Request("GET", server.url("/hang")), timeout=30)
        finally:
            await close(client)

    with pytest.raises(TransportTimeout, match="within the timeout of the client that was given"):
        asyncio.run(send())


@every_client
def test_a_callers_client_is_left_open(server: HostileServer, kind: str) -> None:
    async def send_twice() -> list[int]:
        client = CLIENTS[kind]()
        statuses = []
        for _ in range(2):
            transport = as_transport(client)
            statuses.append((await transport.send(Request("GET", server.url("/echo")))).status)
            await transport.aclose()
        await close(client)
        return statuses

    assert asyncio.run(send_twice()) == [200, 200]


def test_transports_are_taken_as_they_are() -> None:
    own = SlottedTransport()
    assert as_transport(own) is own
    ours = open_transport()
    assert as_transport(ours) is ours


def test_functions_blocking_and_async_answer_requests() -> None:
    threads: list[str] = []

    def blocking(request: Request) -> Response:
        threads.append(threading.current_thread().name)
        return Response(200, (), request.method.encode())

    async def waiting(request: Request) -> Response:
        return Response(201, (), request.method.encode())

    class Callable_:  # noqa: N801
        async def __call__(self, request: Request) -> Response:
            return Response(202, (), b"x" * 20)

    request = Request("GET", "http://nowhere.invalid/")
    assert asyncio.run(as_transport(blocking).send(request)).status == 200
    assert threads != [threading.main_thread().name]
    assert asyncio.run(as_transport(waiting).send(request)).body == b"GET"
    cut = asyncio.run(as_transport(Callable_()).send(request, limit=5))
    assert (cut.status, cut.body, cut.truncated) == (202, b"xxxxx", True)


def test_a_function_may_give_the_same_response_again() -> None:
    answer = Response(200, (), b"0123456789")
    transport = as_transport(lambda request: answer)
    for url in ("http://a.invalid/", "http://b.invalid/"):
        assert asyncio.run(transport.send(Request("GET", url), limit=3)).url == url
    assert (answer.body, answer.url) == (b"0123456789", "")


def test_a_functions_own_failures_are_told() -> None:
    def broken(request: Request) -> Response:
        raise KeyError("shelf")

    async def hanging(request: Request) -> Response:
        await asyncio.Event().wait()
        raise AssertionError

    request = Request("GET", "http://a.invalid/")
    with pytest.raises(TransportError, match=r"the client function .*broken raised KeyError: 'shelf'"):
        asyncio.run(as_transport(broken).send(request))
    with pytest.raises(TransportError, match=r"returned str, not a Response"):
        asyncio.run(as_transport(lambda request: "text").send(request))
    with pytest.raises(TransportTimeout, match=r"within 0\.05 s"):
        asyncio.run(as_transport(hanging).send(request, timeout=0.05))


@pytest.mark.parametrize("client", [None, 7, "http://a.test", httpx.Client, SlottedTransport, object()])
def test_anything_else_is_told_what_is_accepted(client: object) -> None:
    with pytest.raises(InputError, match=re.escape("give a Transport (async send(request")):
        as_transport(client)
