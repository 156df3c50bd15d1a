"""What the transport sends, what it reads, and what it says when a server or a network misbehaves."""

from __future__ import annotations

import asyncio
import re
import resource
import sys
import threading
import time

import pytest

from understudy import __version__
from understudy.core.errors import MissingExtra
from understudy.wire.messages import Request, TransportError, TransportTimeout
from understudy.wire.pyreqwest_transport import open_transport

from .conftest import Ask
from .hostile import HostileServer


def test_a_request_goes_out_as_it_was_given(server: HostileServer, ask: Ask) -> None:
    headers = (("X-Twice", "one"), ("X-Other", "o"), ("X-Twice", "two"), ("Content-Type", "text/plain"))
    response = ask(server.url("/echo?q=a%20b"), "PATCH", headers, b"body")
    sent = server.last
    assert (response.status, response.url) == (200, server.url("/echo?q=a%20b"))
    assert (sent.method, sent.target, sent.body) == ("PATCH", "/echo?q=a%20b", b"body")
    assert sent.header_values("X-Twice") == ["one", "two"]
    assert sent.header("Content-Length") == "4"
    assert (sent.header("User-Agent"), sent.header("Accept")) == (f"understudy/{__version__}", "*/*")


def test_the_requests_own_user_agent_and_accept_win(server: HostileServer, ask: Ask) -> None:
    ask(server.url("/echo"), headers=(("user-agent", "mine"), ("accept", "text/event-stream")))
    assert server.last.header_values("User-Agent") == ["mine"]
    assert server.last.header_values("Accept") == ["text/event-stream"]


@pytest.mark.parametrize(("method", "length"), [("GET", None), ("POST", "0"), ("PUT", "0"), ("DELETE", None)])
def test_no_body_and_an_empty_body_send_nothing(
    server: HostileServer, ask: Ask, method: str, length: str | None
) -> None:
    for body in (None, b""):
        ask(server.url("/echo"), method, body=body)
        assert server.last.body == b""
        assert server.last.header("Content-Length") == length
        assert server.last.header("Content-Type") is None


def test_userinfo_becomes_basic_credentials_unless_the_request_brings_its_own(
    server: HostileServer, ask: Ask
) -> None:
    url = server.url("/echo").replace("//", "//ann:p%40ss@")
    ask(url)
    assert server.last.header_values("Authorization") == ["Basic YW5uOnBAc3M="]
    ask(url, headers=(("Authorization", "Bearer own"),))
    assert server.last.header_values("Authorization") == ["Bearer own"]


@pytest.mark.parametrize(
    ("path", "sent"),
    [
        ("/a//b", "/a//b"),
        ("/a;b=c|d", "/a;b=c|d"),
        ("/a{x}", "/a%7Bx%7D"),
        ("/a b", "/a%20b"),
        ("/é", "/%C3%A9"),
        ("/%41%2Fb", "/%41%2Fb"),
        ("/.well-known/x", "/.well-known/x"),
        ("/a?x=/../b%2e%2e/c\\d", "/a?x=/../b%2e%2e/c\\d"),
        ("/a#x/../y", "/a"),
        ("", "/"),
    ],
)
def test_the_path_is_sent_as_it_is_but_for_percent_encoding(
    server: HostileServer, ask: Ask, path: str, sent: str
) -> None:
    ask(server.url(path))
    assert server.last.target == sent


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/a/../b", "the path /a/../b cannot be sent as it is"),
        ("/a/%2e%2E/b", "one would ask for /b"),
        ("/a/.", "segment '.'"),
        ("/a\\b", "has '\\\\' in it"),
        ("/a\tb", "has '\\t' in it"),
        ("/a ", "ends with a space"),
    ],
)
def test_a_path_that_would_be_sent_as_another_one_is_refused(
    server: HostileServer, ask: Ask, path: str, message: str
) -> None:
    with pytest.raises(TransportError, match=re.escape(message)):
        ask(server.url(path))
    assert server.requests == []


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("X-Foo", "a\r\nX-Evil: b", "header X-Foo: has a line break"),
        ("X-Foo", "a\0b", r"header X-Foo: '\x00' cannot stand in a header"),
        ("X-Foo", "\u20ac", "header X-Foo: '\u20ac' cannot stand in a header"),
        ("X Foo", "a", "'X Foo' cannot be the name of a header"),
        ("X-F\u00f6\u00f6", "a", "cannot be the name of a header"),
        ("", "a", "'' cannot be the name of a header"),
    ],
)
def test_a_header_that_cannot_be_sent_is_refused_before_anything_is_sent(
    server: HostileServer, ask: Ask, name: str, value: str, message: str
) -> None:
    with pytest.raises(TransportError, match=re.escape(message)):
        ask(server.url("/echo"), headers=((name, value),))
    assert server.requests == []


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("ftp://127.0.0.1/x", "only http:// and https://"),
        ("nonsense", "must start with http:// or https://"),
        ("http://[::1", "cannot be asked: invalid IPv6 address"),
        ("http:///x", "has no host"),
        ("http://ann:secret@127.0.0.1:99999/", "invalid port number"),
    ],
)
def test_a_url_that_cannot_be_asked_is_named_without_userinfo(ask: Ask, url: str, message: str) -> None:
    with pytest.raises(TransportError, match=re.escape(message)) as caught:
        ask(url)
    assert "secret" not in str(caught.value)


def test_an_invalid_method_is_named(server: HostileServer, ask: Ask) -> None:
    with pytest.raises(TransportError, match="'G ET' is no HTTP method"):
        ask(server.url("/echo"), "G ET")


def test_bodies_are_read_whole_chunked_compressed_and_large(server: HostileServer, ask: Ask) -> None:
    assert ask(server.url("/chunked")).body == b"hello world"
    assert ask(server.url("/gzip")).body == b"unpacked"
    large = ask(server.url("/large?size=3000000"), limit=3_000_000)
    assert (len(large.body), large.truncated) == (3_000_000, False)


def test_a_longer_body_is_cut_at_the_limit_and_says_so(server: HostileServer, ask: Ask) -> None:
    response = ask(server.url("/large?size=3000001"), limit=3_000_000)
    assert (len(response.body), response.truncated) == (3_000_000, True)
    exact = ask(server.url("/large?size=10"), limit=10)
    assert (exact.body, exact.truncated) == (b"y" * 10, False)
    short = ask(server.url("/large?size=11"), limit=10)
    assert (short.body, short.truncated) == (b"y" * 10, True)


@pytest.mark.parametrize("path", ["/endless", "/endless-plain", "/bomb"])
def test_an_endless_body_stops_at_the_limit_without_filling_memory(
    server: HostileServer, ask: Ask, path: str
) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    response = ask(server.url(path), limit=1 << 20)
    assert (len(response.body), response.truncated) == (1 << 20, True)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024


def test_headers_that_are_not_ascii_are_read_in_order(server: HostileServer, ask: Ask) -> None:
    headers = ask(server.url("/odd-headers")).headers
    assert headers == (
        ("x-latin", "caf\xe9"),
        ("x-twice", "one"),
        ("x-twice", "two"),
        ("x-other", "o"),
        ("x-utf8", "caf\xe9"),
        ("content-length", "2"),
    )


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/half", "closed the connection before the whole body had come: 10 of 100 bytes came"),
        ("/half-large", "500000 of 1000000 bytes came"),
        ("/half-chunked", "5 bytes came"),
        ("/half-nothing", "nothing of it came"),
        ("/silent", "closed the connection before a response had come: did the app crash"),
        ("/reset", "closed the connection before a response had come"),
        ("/garbage", "is not HTTP/1.1"),
        ("/bad-gzip", "cannot be unpacked as its Content-Encoding says: Invalid gzip header"),
        ("/bad-brotli", "cannot be unpacked as its Content-Encoding says: reached unexpected EOF"),
        ("/bad-chunk", "does not come in chunks as its Transfer-Encoding says: Invalid chunk size line"),
        ("/late-bad-chunk", "does not come in chunks as its Transfer-Encoding says: Invalid chunk size line"),
        ("/endless-trailers", "does not come in chunks as its Transfer-Encoding says: chunk trailers count"),
        ("/many-headers", "has too many headers or too long ones"),
        ("/huge-header", "has too many headers or too long ones"),
    ],
)
def test_a_broken_response_is_one_clear_error(
    server: HostileServer, ask: Ask, path: str, message: str
) -> None:
    with pytest.raises(TransportError, match=re.escape(message)) as caught:
        ask(server.url(path))
    assert type(caught.value) is TransportError


def test_a_connection_that_is_reset_within_the_body_says_how_much_came(
    server: HostileServer, ask: Ask
) -> None:
    with pytest.raises(TransportError, match=r"before the whole body had come: \d+ of 90000000 bytes came"):
        ask(server.url("/half-reset"), limit=1 << 30)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/hang", "no whole response within 0.3 s from 127.0.0.1:"),
        ("/stall", "only 10 of 100 bytes of the body"),
        ("/continue", "no whole response within 0.3 s"),
    ],
)
def test_a_hanging_server_times_out(server: HostileServer, ask: Ask, path: str, message: str) -> None:
    with pytest.raises(TransportTimeout, match=re.escape(message)):
        ask(server.url(path), timeout=0.3)


def test_a_content_length_that_promises_too_much_is_named(server: HostileServer, ask: Ask) -> None:
    with pytest.raises(TransportTimeout, match="its Content-Length says 7, but the body has 0 bytes"):
        ask(server.url("/echo"), headers=(("Content-Length", "7"),), timeout=0.3)


def test_a_refused_connection_asks_whether_the_app_runs(ask: Ask) -> None:
    with pytest.raises(TransportError) as caught:
        ask("http://ann:secret@127.0.0.1:1/x")
    assert str(caught.value) == (
        "connection refused by 127.0.0.1:1: is the app running, and is the port right?"
    )


def test_a_name_that_does_not_resolve_is_named(ask: Ask) -> None:
    with pytest.raises(TransportError, match=r"the name no\.such\.invalid cannot be resolved"):
        ask("http://no.such.invalid/")


def test_proxies_of_the_environment_are_not_used(
    server: HostileServer, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert ask(server.url("/echo")).status == 200


@pytest.mark.parametrize("path", ["/hang", "/stall"])
def test_cancelling_comes_through_at_once(server: HostileServer, path: str) -> None:
    async def cancel_while_waiting() -> None:
        transport = open_transport()
        task = asyncio.create_task(transport.send(Request("GET", server.url(path)), timeout=20))
        await asyncio.to_thread(server.hit.wait, 10)
        start = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - start < 5
        await transport.aclose()

    asyncio.run(cancel_while_waiting())


def test_a_cancellation_together_with_the_answer_is_not_swallowed(server: HostileServer) -> None:
    async def cancel_as_the_answer_comes() -> None:
        transport = open_transport()
        for _ in range(20):
            server.hit.clear()
            task = asyncio.create_task(transport.send(Request("GET", server.url("/stall")), timeout=20))
            await asyncio.sleep(0)
            # the loop stands still meanwhile, so that it finds both the answer and the cancellation
            server.hit.wait(10)
            time.sleep(0.005)  # noqa: ASYNC251
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        await transport.aclose()

    start = time.monotonic()
    asyncio.run(cancel_as_the_answer_comes())
    assert time.monotonic() - start < 15


def test_requests_can_be_sent_while_a_cancelled_task_cleans_up(server: HostileServer) -> None:
    async def clean_up_after_cancel() -> int:
        transport = open_transport()
        status = 0

        async def work() -> None:
            nonlocal status
            try:
                await asyncio.Event().wait()
            finally:
                status = (await transport.send(Request("DELETE", server.url("/echo")))).status

        task = asyncio.create_task(work())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await transport.aclose()
        return status

    assert asyncio.run(clean_up_after_cancel()) == 200


def test_connections_are_kept_for_the_next_request(server: HostileServer) -> None:
    async def send_many() -> None:
        transport = open_transport()
        for _ in range(20):
            await transport.send(Request("GET", server.url("/echo")))
            await transport.send(Request("GET", server.url("/chunked")))
        await transport.aclose()

    asyncio.run(send_many())
    # a connection that is not yet back in the pool when the next request goes out is no fault
    assert server.connections < 10


def test_many_requests_side_by_side_get_their_own_answers(server: HostileServer) -> None:
    async def send_all() -> list[bytes]:
        transport = open_transport()
        urls = [server.url(f"/large?size={size}") for size in range(1, 65)]
        responses = await asyncio.gather(*(transport.send(Request("GET", url)) for url in urls))
        await transport.aclose()
        return [response.body for response in responses]

    assert [len(body) for body in asyncio.run(send_all())] == list(range(1, 65))


def test_a_closed_transport_says_so(server: HostileServer) -> None:
    async def send_after_close() -> None:
        transport = open_transport()
        await transport.aclose()
        await transport.send(Request("GET", server.url("/echo")))

    with pytest.raises(TransportError, match="already closed"):
        asyncio.run(send_after_close())


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf")])
def test_a_timeout_must_be_positive(server: HostileServer, ask: Ask, timeout: float) -> None:
    with pytest.raises(ValueError, match="must be a positive number of seconds"):
        ask(server.url("/echo"), timeout=timeout)


def test_a_missing_pyreqwest_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyreqwest.client", None)
    with pytest.raises(MissingExtra, match=re.escape("pip install 'understudy[testbed]'")):
        open_transport()


def test_it_works_in_several_event_loops_at_once(server: HostileServer, ask: Ask) -> None:
    statuses: list[int] = []
    threads = [
        threading.Thread(target=lambda: statuses.append(ask(server.url("/echo")).status)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == [200] * 4


def test_the_timeout_covers_the_whole_chain_of_redirects(server: HostileServer, ask: Ask) -> None:
    start = time.monotonic()
    with pytest.raises(TransportTimeout, match=r"within 0\.4 s"):
        ask(server.url("/slow-chain"), timeout=0.4)
    assert time.monotonic() - start < 2
    assert len(server.requests) > 1
