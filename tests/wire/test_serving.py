"""Serving: ready when the block begins, gone when it ends, whatever clients and applications do."""

from __future__ import annotations

import asyncio
import signal
import socket
import ssl
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from understudy.core.errors import InputError, MissingExtra
from understudy.wire.asgi import Receive, Scope, Send, read_request, send_response
from understudy.wire.messages import Response
from understudy.wire.serving import Served, ServerTls, ServingError, serve, serve_async
from waiting import wait_for

from .authority import Authority


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers with the path, and the body that came."""
    if scope["type"] == "http":
        request = await read_request(scope, receive)
        await send_response(send, Response(200, (), scope["path"].encode() + (request.body or b"")))


def get(url: str, **options: Any) -> bytes:
    with urllib.request.urlopen(url, timeout=10, **options) as response:
        content: bytes = response.read()
        return content


def connect(served: Served) -> socket.socket:
    return socket.create_connection((served.host, served.port), timeout=10)


def is_refused(served: Served) -> bool:
    try:
        connect(served).close()
    except ConnectionRefusedError:
        return True
    return False


def serving_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("understudy-serving")]


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    yield
    assert serving_threads() == []


def test_it_accepts_when_the_block_begins_and_refuses_when_it_has_ended() -> None:
    with serve(echo) as served:
        assert served.base_url == f"http://127.0.0.1:{served.port}"
        assert get(served.base_url + "/a") == b"/a"
    assert is_refused(served)


def test_several_serve_side_by_side_and_an_error_of_the_block_stops_them() -> None:
    def use_two() -> None:
        with serve(echo) as first, serve(echo) as second:
            servers.extend((first, second))
            assert get(first.base_url + "/1") + get(second.base_url + "/2") == b"/1/2"
            raise KeyError("the user's own")

    servers: list[Served] = []
    with pytest.raises(KeyError, match="the user's own"):
        use_two()
    assert [is_refused(served) for served in servers] == [True, True]


def test_it_works_inside_a_running_event_loop_which_goes_on_meanwhile() -> None:
    async def ask() -> bytes:
        async with serve_async(echo) as served:
            return await asyncio.to_thread(get, served.base_url + "/a")

    async def ask_in_blocking_code() -> bytes:
        with serve(echo) as served:
            return await asyncio.to_thread(get, served.base_url + "/b")

    assert asyncio.run(ask()) == b"/a"
    assert asyncio.run(ask_in_blocking_code()) == b"/b"


def test_signal_handlers_are_not_touched() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with serve(echo):
        assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


def test_a_port_that_is_taken_is_an_input_error_that_says_what_to_do() -> None:
    with serve(echo) as served:
        taken = f"port {served.port}: the port is taken"
        with pytest.raises(InputError, match=taken) as caught, serve(echo, port=served.port):
            pass
    assert "port 0" in caught.value.problems[0].hint


@pytest.mark.parametrize(("host", "port"), [("no such host.invalid", 0), ("127.0.0.1", 70_000), ("", -1)])
def test_a_place_that_cannot_be_served_at_is_an_input_error(host: str, port: int) -> None:
    with pytest.raises(InputError, match="cannot serve at"), serve(echo, host, port):
        pass


def test_a_port_can_be_served_again_at_once() -> None:
    with serve(echo) as served:
        get(served.base_url)
    with serve(echo, port=served.port) as again:
        assert get(again.base_url + "/a") == b"/a"


def test_a_missing_uvicorn_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(MissingExtra, match=r"understudy\[stix\]"), serve(echo):
        pass


def test_tls_is_served_and_a_bad_certificate_is_an_input_error(authority: Authority, tmp_path: Path) -> None:
    files = authority.certificate("server")
    trusting = ssl.create_default_context(cafile=str(authority.ca_file))
    with serve(echo, tls=ServerTls(*files)) as served:
        assert served.base_url.startswith("https://127.0.0.1:")
        assert get(served.base_url + "/a", context=trusting) == b"/a"
        with connect(served) as silent:  # no handshake ever
            silent.send(b"\x16")
    broken = tmp_path / "broken.pem"
    broken.write_text("no certificate")
    for tls in (ServerTls(broken), ServerTls(tmp_path / "missing.pem"), ServerTls(files[0])):
        with pytest.raises(InputError, match="the certificate cannot be used"), serve(echo, tls=tls):
            pass


def test_stopping_in_the_middle_of_a_tls_handshake_leaves_nothing(authority: Authority) -> None:
    with serve(echo, tls=ServerTls(*authority.certificate("server"))) as served:
        silent = connect(served)
    with silent:
        assert silent.recv(1) == b""


def test_idle_and_half_sent_requests_do_not_hold_up_the_end() -> None:
    with serve(echo, stop_patience=30.0) as served:
        idle, half = connect(served), connect(served)
        idle.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert idle.recv(1000).startswith(b"HTTP/1.1 200")
        half.sendall(b"GET / HTTP/1.1\r\nHos")
        begun = time.monotonic()
    assert time.monotonic() - begun < 10
    with idle, half:
        read_to(half, b"")


def trusting_client(served: Served, authority: Authority) -> ssl.SSLSocket:
    context = ssl.create_default_context(cafile=str(authority.ca_file))
    return context.wrap_socket(connect(served), server_hostname="127.0.0.1")


@pytest.mark.parametrize("head", [b"", b"Connection: close\r\n"], ids=["kept alive", "closed by the server"])
def test_an_idle_tls_client_that_says_no_farewell_does_not_hold_up_the_end(
    authority: Authority, head: bytes
) -> None:
    with serve(echo, tls=ServerTls(*authority.certificate("server")), stop_patience=30.0) as served:
        idle = trusting_client(served, authority)
        idle.sendall(b"GET /a HTTP/1.1\r\nHost: a\r\n" + head + b"\r\n")
        read_to(idle, b"/a")
        begun = time.monotonic()
    assert time.monotonic() - begun < 10
    with idle:
        assert idle.recv(1000) == b""  # closed as TLS wants it, not cut


class Waiting:
    """An application that waits for ever once asked, and notes how it ended."""

    def __init__(self, deaf: bool = False) -> None:
        self.deaf = deaf
        self.asked = threading.Event()
        self.ends: list[str] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        await receive()
        self.asked.set()
        try:
            if self.deaf:
                await asyncio.Event().wait()
            self.ends.append((await receive())["type"])
        except asyncio.CancelledError:
            self.ends.append("cancelled")


@pytest.mark.parametrize(("deaf", "end"), [(False, "http.disconnect"), (True, "cancelled")])
def test_a_request_that_never_ends_is_cut_off_and_then_cancelled(deaf: bool, end: str) -> None:
    app = Waiting(deaf)
    with serve(app, stop_patience=0.1) as served, connect(served) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert app.asked.wait(10)
    assert app.ends == [end]


def test_a_request_under_way_is_finished_within_the_patience() -> None:
    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            begun.set()
            await asyncio.to_thread(stopping.wait, 10)
            await send_response(send, Response(200, (), b"done"))

    begun, stopping = threading.Event(), threading.Event()
    with connect_to(slow) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert begun.wait(10)
        threading.Timer(0.1, stopping.set).start()
        leaving.set()
        assert client.makefile("rb").read().endswith(b"done")


leaving = threading.Event()


class connect_to:  # noqa: N801 - reads as a block of its own
    """A client of an application whose server is asked to stop, in a thread, once `leaving` is set."""

    def __init__(self, app: Any, tls: ServerTls | None = None) -> None:
        self.ready = threading.Event()
        self.thread = threading.Thread(target=self.serve, args=(app, tls))

    def serve(self, app: Any, tls: ServerTls | None) -> None:
        with serve(app, tls=tls, stop_patience=10.0) as self.served:
            self.client = connect(self.served)
            self.ready.set()
            assert leaving.wait(10)

    def __enter__(self) -> socket.socket:
        leaving.clear()
        self.thread.start()
        assert self.ready.wait(10)
        return self.client

    def __exit__(self, *_: object) -> None:
        self.thread.join(20)
        self.client.close()


def test_a_tls_client_that_reads_slowly_gets_all_of_its_answer_though_the_server_stops(
    authority: Authority,
) -> None:
    async def large(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await send_response(send, Response(200, (), b"x" * 20_000_000))
            answered.set()

    answered = threading.Event()
    trusting = ssl.create_default_context(cafile=str(authority.ca_file))
    serving = connect_to(large, ServerTls(*authority.certificate("server")))
    with serving as raw:
        client = trusting.wrap_socket(raw, server_hostname="127.0.0.1")
        client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert answered.wait(10)
        leaving.set()
        wait_for(lambda: is_refused(serving.served))
        with client, client.makefile("rb") as answer:
            assert len(answer.read()) > 20_000_000


def test_an_application_that_blocks_its_loop_is_named() -> None:
    async def blocking(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            asked.set()
            release.wait(30)

    def ask_and_stop() -> None:
        with serve(blocking, stop_patience=0.1) as served, connect(served) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            assert asked.wait(10)

    asked, release = threading.Event(), threading.Event()
    try:
        with pytest.raises(ServingError, match="blocks its event loop"):
            ask_and_stop()
    finally:
        release.set()
        for thread in threading.enumerate():
            if thread.name.startswith("understudy-serving"):
                thread.join(10)


def test_a_lifespan_runs_and_one_that_fails_is_told_with_its_reason() -> None:
    async def living(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            while True:
                kind = (await receive())["type"]
                seen.append(kind)
                await send({"type": f"{kind}.complete"})
                if kind == "lifespan.shutdown":
                    return

    async def stillborn(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "lifespan.startup.failed", "message": "no database"})

    seen: list[str] = []
    with serve(living):
        assert seen == ["lifespan.startup"]
    assert seen == ["lifespan.startup", "lifespan.shutdown"]
    with pytest.raises(ServingError, match="could not be served: no database"), serve(stillborn):
        pass


def read_to(client: socket.socket, end: bytes) -> None:
    """Read until what was read ends with `end`; for b"", until the connection is closed or reset."""
    seen = b""
    while not (end and seen.endswith(end)):
        try:
            chunk = client.recv(1000)
        except ConnectionResetError:
            chunk = b""
        if not chunk:
            assert not end, seen
            return
        seen += chunk


def test_a_client_that_dawdles_over_its_headers_is_cut_off_and_others_are_served() -> None:
    async def waiting(scope: Scope, receive: Receive, send: Send) -> None:
        if scope.get("path") == "/waiting":
            await asyncio.to_thread(cut_off.wait, 10)
        await echo(scope, receive, send)

    cut_off = threading.Event()
    with serve(waiting, header_patience=0.1) as served:
        clients = [connect(served) for _ in range(3)]
        slow, second, long = clients
        slow.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n")
        second.sendall(b"GET /b HTTP/1.1\r\nHost: a\r\n\r\n")
        read_to(second, b"/b")
        second.sendall(b"GET /c HTTP/1.1\r\n")  # the next one on a connection that was in use
        long.sendall(b"GET /waiting HTTP/1.1\r\nHost: a\r\n\r\n")  # is not dawdling: its answer is
        assert get(served.base_url + "/a") == b"/a"
        read_to(slow, b"")
        read_to(second, b"")
        cut_off.set()
        read_to(long, b"/waiting")
        for client in clients:
            client.close()


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"GET / HTTP/1.1\r\n" + b"".join(b"X-%d: a\r\n" % number for number in range(100_000)) + b"\r\n",
        b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\n\r\n",
        b"\xff\xfe\x00nonsense\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
    ids=["100,000 headers", "a long target", "binary", "a negative length", "a bad chunk"],
)
def test_nonsense_is_answered_or_cut_off_and_others_are_served(request_bytes: bytes) -> None:
    with serve(echo) as served:
        with connect(served) as client:
            try:
                client.sendall(request_bytes)
                answer = client.recv(1000)
            except (ConnectionResetError, BrokenPipeError):
                answer = b""
            assert answer == b"" or answer.startswith(b"HTTP/1.1 400")
        assert get(served.base_url + "/a") == b"/a"
