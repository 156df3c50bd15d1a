"""A little hostile HTTP server and proxy on an ephemeral loopback port; it records, and misbehaves by path."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import ssl
import struct
import threading
import zlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from types import TracebackType
from urllib.parse import parse_qs, urlsplit

REASONS = {200: "OK", 301: "Moved", 302: "Found", 303: "See Other", 307: "Temporary", 308: "Permanent"}


@dataclass(frozen=True)
class Recorded:
    """One request as it stood on the wire."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str | None:
        """The first value of a header."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)

    def header_values(self, name: str) -> list[str]:
        """All values of a header, in order."""
        return [value for key, value in self.headers if key.lower() == name.lower()]

    def query(self, name: str, default: str = "") -> str:
        """A value of the query string."""
        return parse_qs(urlsplit(self.target).query, keep_blank_values=True).get(name, [default])[0]


class HostileServer:
    """Serves in a thread of its own until the `with` block ends.

    With `proxy_credentials` ("user:password", base64 as in the header) it refuses to be a proxy for others.
    """

    def __init__(self, tls: ssl.SSLContext | None = None, proxy_credentials: str = "") -> None:
        self.requests: list[Recorded] = []
        self.connections = 0
        self.closed_by_client = threading.Event()
        self.hit = threading.Event()
        self._tls = tls
        self._proxy_credentials = proxy_credentials
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._main, daemon=True)
        self.port = 0

    def __enter__(self) -> HostileServer:
        self._thread.start()
        assert self._ready.wait(10), "the hostile server did not start"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    @property
    def base_url(self) -> str:
        """Scheme, host and port."""
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        """An absolute URL of this server; `localhost` and `127.0.0.1` are two different hosts to a client."""
        return f"{'https' if self._tls else 'http'}://{host}:{self.port}{path}"

    @property
    def last(self) -> Recorded:
        """The request that came last."""
        return self.requests[-1]

    def _main(self) -> None:
        with contextlib.closing(self._loop):
            self._loop.run_until_complete(self._serve())

    async def _serve(self) -> None:
        self._stop = asyncio.Event()
        self._transports: set[asyncio.WriteTransport] = set()
        # TLS handshakes that a client breaks off are part of the tests, not something to print
        self._loop.set_exception_handler(lambda loop, context: None)
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0, ssl=self._tls, limit=1 << 24)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        await self._let_the_loop_turn()  # connections that are just being accepted become tasks of ours
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for transport in self._transports:
            transport.abort()
        await self._let_the_loop_turn()  # transports give their sockets back a round after they are told to

    @staticmethod
    async def _let_the_loop_turn() -> None:
        for _ in range(4):
            await asyncio.sleep(0)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._transports.add(writer.transport)
        self.connections += 1
        try:
            while await self._exchange(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            self.closed_by_client.set()
        finally:
            if not self._stop.is_set():
                self._transports.discard(writer.transport)
                writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        request = await _read_request(reader)
        self.requests.append(request)
        self.hit.set()
        if request.method == "CONNECT" or not request.target.startswith("/"):
            return await self._as_proxy(request, reader, writer)
        name = urlsplit(request.target).path.strip("/").split("/")[0]
        if name in ("hang", "stall"):
            if name == "stall":
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789")
            await reader.read(1)
            self.closed_by_client.set()
            return False
        return await BEHAVIOURS.get(name, _echo)(request, writer)

    async def _as_proxy(
        self, request: Recorded, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        wanted = f"Basic {self._proxy_credentials}" if self._proxy_credentials else None
        if wanted and request.header("Proxy-Authorization") != wanted:
            return await _answer(writer, 407, b"who are you?", "Proxy-Authenticate: Basic realm=x\r\n")
        parts = urlsplit(f"//{request.target}" if request.method == "CONNECT" else request.target)
        assert parts.hostname is not None
        # a name that only the proxy knows, so that a client cannot have resolved it itself
        host = "127.0.0.1" if parts.hostname == "behind.invalid" else parts.hostname
        far_reader, far_writer = await asyncio.open_connection(host, parts.port or 80)
        with contextlib.closing(far_writer):
            if request.method == "CONNECT":
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                await asyncio.gather(_pump(reader, far_writer), _pump(far_reader, writer))
                return False
            path = parts.path + (f"?{parts.query}" if parts.query else "")
            lines = [f"{request.method} {path} HTTP/1.1", "Via: hostile", "Connection: close"]
            lines += [f"{name}: {value}" for name, value in request.headers if name.lower() != "connection"]
            far_writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + request.body)
            await _pump(far_reader, writer)
        return False


async def _read_request(reader: asyncio.StreamReader) -> Recorded:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.rstrip("\r\n").split("\r\n")
    method, target, _ = first.split(" ", 2)
    headers = tuple((name, value.strip()) for name, _, value in (line.partition(":") for line in lines))
    length = next((int(value) for name, value in headers if name.lower() == "content-length"), 0)
    return Recorded(method, target, headers, await reader.readexactly(length))


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()


async def _answer(writer: asyncio.StreamWriter, status: int, body: bytes, more: str = "") -> bool:
    head = f"HTTP/1.1 {status} {REASONS.get(status, 'Whatever')}\r\n{more}Content-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode("latin-1") + body)
    await writer.drain()
    return True


async def _raw(writer: asyncio.StreamWriter, data: bytes) -> bool:
    """Send bytes as they are, and close."""
    writer.write(data)
    await writer.drain()
    return False


async def _echo(request: Recorded, writer: asyncio.StreamWriter) -> bool:
    body = json.dumps({"method": request.method, "target": request.target}).encode()
    return await _answer(writer, 200, b"" if request.method == "HEAD" else body)


async def _status(request: Recorded, writer: asyncio.StreamWriter) -> bool:
    """/status/302?to=... answers with that status and that Location."""
    status = int(urlsplit(request.target).path.split("/")[2])
    to = request.query("to")
    return await _answer(writer, status, b"moved", f"Location: {to}\r\n" if to else "")


async def _chain(request: Recorded, writer: asyncio.StreamWriter) -> bool:
    """/chain/3 redirects to /chain/2 and so on; /chain/0 answers 200."""
    left = int(urlsplit(request.target).path.split("/")[2])
    if not left:
        return await _answer(writer, 200, b"arrived")
    return await _answer(writer, 302, b"", f"Location: /chain/{left - 1}\r\n")


async def _loop(request: Recorded, writer: asyncio.StreamWriter) -> bool:
    return await _answer(writer, 302, b"", "Location: /loop\r\n")


async def _half(request: Recorded, writer: asyncio.StreamWriter) -> bool:
    return await _raw(writer, b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789")


async def _half_nothing(request: Recorded, writer: asyncio.StreamWriter) -> bool:
    return await _raw(writer, b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")


async def _slow_chain(request: Recorded, writer: asyncio.StreamWriter) -> bool:
    """Redirects to itself for ever, each time after a while: the pace of a server, not a wait of a test."""
    await asyncio.sleep(0.1)
    return await _answer(writer, 302, b"", "Location: /slow-chain\r\n")


async def _half_large(request: Recorded, writer: asyncio.StreamWriter) -> bool:
    return await _raw(writer, b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + b"x" * 500_000)


async def _half_chunked(request: Recorded, writer: asyncio.StreamWriter) -> bool:
    return await _raw(writer, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")


async def _short_length(request: Recorded, writer: asyncio.StreamWriter) -> bool:
    """More body than announced."""
    return await _raw(writer, b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello, this is too much")


async def _silent(request: Recorded, writer: asyncio.StreamWriter) -> bool:
    return False


async def _reset(request: Recorded, writer: asyncio.StreamWriter) -> bool:
    """Close with a reset instead of an end."""
    sock: socket.socket = writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
    return False


async def _endless(request: Recorded, writer: asyncio.StreamWriter) -> bool:
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        writer.write(b"2000\r\n" + b"x" * 0x2000 + b"\r\n")
        await writer.drain()


async def _endless_plain(request: Recorded, writer: asyncio.StreamWriter) -> bool:
    writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        writer.write(b"x" * 0x2000)
        await writer.drain()


async def _bomb(request: Recorded, writer: asyncio.StreamWriter) -> bool:
    """Endless zeros in gzip: blocks after a full flush stand for themselves, so one can be sent again."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    first = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + first)
    while True:
        writer.write(again)
        await writer.drain()


async def _gzip(request: Recorded, writer: asyncio.StreamWriter) -> bool:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    body = packer.compress(b"unpacked") + packer.flush()
    return await _answer(writer, 200, body, "Content-Encoding: gzip\r\n")


async def _bad_gzip(request: Recorded, writer: asyncio.StreamWriter) -> bool:
    return await _answer(writer, 200, b"this is not gzip", "Content-Encoding: gzip\r\n")


async def _bad_brotli(request: Recorded, writer: asyncio.StreamWriter) -> bool:
    """As long as announced, and yet it ends in the middle of what is packed."""
    return await _answer(writer, 200, b"ok", "Content-Encoding: br\r\n")


async def _bad_chunk(request: Recorded, writer: asyncio.StreamWriter) -> bool:
    return await _raw(writer, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nok\r\n")


async def _late_bad_chunk(request: Recorded, writer: asyncio.StreamWriter) -> bool:
    return await _raw(writer, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\nzz\r\nok\r\n")


async def _endless_trailers(request: Recorded, writer: asyncio.StreamWriter) -> bool:
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n")
    while True:
        writer.write(b"X-More: y\r\n" * 100)
        await writer.drain()


async def _half_reset(request: Recorded, writer: asyncio.StreamWriter) -> bool:
    """A reset within a body of which so much was sent that the client has read some."""
    writer.transport.set_write_buffer_limits(0)
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 90000000\r\n\r\n" + b"x" * 30_000_000)
    await writer.drain()
    return await _reset(request, writer)


async def _many_headers(request: Recorded, writer: asyncio.StreamWriter) -> bool:
    count = int(request.query("count", "100000"))
    lines = "".join(f"X-{number}: {number}\r\n" for number in range(count))
    return await _answer(writer, 200, b"", lines)


async def _huge_header(request: Recorded, writer: asyncio.StreamWriter) -> bool:
    writer.write(b"HTTP/1.1 200 OK\r\nX-Huge: ")
    while True:
        writer.write(b"x" * 0x10000)
        await writer.drain()


async def _odd_headers(request: Recorded, writer: asyncio.StreamWriter) -> bool:
    more = "X-Latin: caf\xe9\r\nX-Twice: one\r\nX-Other: o\r\nX-Twice: two\r\nX-Utf8: caf\xc3\xa9\r\n"
    return await _answer(writer, 200, b"ok", more)


async def _garbage(request: Recorded, writer: asyncio.StreamWriter) -> bool:
    return await _raw(writer, b"220 smtp.example.com ESMTP\r\n")


async def _continue(request: Recorded, writer: asyncio.StreamWriter) -> bool:
    while True:
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n" * 100)
        await writer.drain()


async def _large(request: Recorded, writer: asyncio.StreamWriter) -> bool:
    return await _answer(writer, 200, b"y" * int(request.query("size")))


async def _chunked(request: Recorded, writer: asyncio.StreamWriter) -> bool:
    writer.write(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"
    )
    await writer.drain()
    return True


async def _body(request: Recorded, writer: asyncio.StreamWriter) -> bool:
    """/body?type=... sends the request's body back under that media type."""
    return await _answer(writer, 200, request.body, f"Content-Type: {request.query('type')}\r\n")


Behaviour = Callable[[Recorded, asyncio.StreamWriter], Awaitable[bool]]

BEHAVIOURS: dict[str, Behaviour] = {
    "status": _status,
    "chain": _chain,
    "loop": _loop,
    "half": _half,
    "half-large": _half_large,
    "half-nothing": _half_nothing,
    "slow-chain": _slow_chain,
    "half-chunked": _half_chunked,
    "short-length": _short_length,
    "silent": _silent,
    "reset": _reset,
    "endless": _endless,
    "endless-plain": _endless_plain,
    "bomb": _bomb,
    "gzip": _gzip,
    "bad-gzip": _bad_gzip,
    "bad-brotli": _bad_brotli,
    "bad-chunk": _bad_chunk,
    "late-bad-chunk": _late_bad_chunk,
    "endless-trailers": _endless_trailers,
    "half-reset": _half_reset,
    "many-headers": _many_headers,
    "huge-header": _huge_header,
    "odd-headers": _odd_headers,
    "garbage": _garbage,
    "continue": _continue,
    "large": _large,
    "chunked": _chunked,
    "body": _body,
}
