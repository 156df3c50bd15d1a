"""A connection pool of urllib3 whose connections reach nobody: what is sent is handed over, and answered in bytes.

Everything above the socket is urllib3's own, so that retries, redirects, decoding and errors are the real ones.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from http.client import parse_headers
from typing import Any

from understudy.core.errors import missing_extra
from understudy.wire.asgi import first_header
from understudy.wire.messages import Request

try:
    from urllib3.connection import HTTPConnection
    from urllib3.connectionpool import HTTPConnectionPool
except ImportError as error:
    raise missing_extra("stix", error.name or "urllib3") from error

__all__ = ["Exchange", "StandInPool", "real_urlopen", "stand_in_for"]

Exchange = Callable[[Request], bytes]

_PORTS = {"http": 80, "https": 443}

real_urlopen = HTTPConnectionPool.urlopen


class _Socket:
    """What http.client takes for a socket. The answer is made when it is about to be read."""

    def __init__(self, origin: str, exchange: Exchange) -> None:
        self._origin = origin
        self._exchange = exchange
        self._sent = bytearray()

    def sendall(self, data: bytes) -> None:
        self._sent += data

    def makefile(self, *_: Any, **__: Any) -> io.BytesIO:
        __tracebackhide__ = True
        sent, self._sent = bytes(self._sent), bytearray()
        return io.BytesIO(self._exchange(_request(sent, self._origin)))

    def settimeout(self, seconds: Any) -> None:
        """Nothing takes any time."""

    def close(self) -> None:
        """There is nothing to close."""


class _Connection(HTTPConnection):
    """A subclass, as pools make their connections of a class of urllib3's."""

    def __init__(
        self, host: str, port: int | None = None, *, origin: str, exchange: Exchange, **rest: Any
    ) -> None:
        super().__init__(host, port, **rest)
        self.default_port = _PORTS[origin.partition(":")[0]]  # type: ignore[misc]  # of this connection only
        self._origin = origin
        self._exchange = exchange

    def connect(self) -> None:
        self.sock = _Socket(self._origin, self._exchange)

    @property
    def is_connected(self) -> bool:
        return self.sock is not None


class StandInPool(HTTPConnectionPool):
    """The pool for one host, with or without TLS, which is not needed where nothing is sent."""

    ConnectionCls = _Connection
    urlopen = real_urlopen  # also while that of its base is replaced

    def __init__(self, scheme: str, host: str, port: int | None, exchange: Exchange, **rest: Any) -> None:
        kept = {
            name: rest[name] for name in ("timeout", "headers", "retries", "maxsize", "block") if name in rest
        }
        super().__init__(
            host, port or _PORTS[scheme], **kept, origin=_origin(scheme, host, port), exchange=exchange
        )
        self.scheme = scheme


def stand_in_for(pool: HTTPConnectionPool, exchange: Exchange) -> StandInPool:
    """The pool that is asked instead of a real one, with its defaults."""
    return StandInPool(
        str(pool.scheme),
        pool.host,
        pool.port,
        exchange,
        timeout=pool.timeout,
        headers=pool.headers,
        retries=pool.retries,
    )


def _origin(scheme: str, host: str, port: int | None) -> str:
    name = f"[{host}]" if ":" in host and not host.startswith("[") else host
    return f"{scheme}://{name}" if port in (None, _PORTS[scheme]) else f"{scheme}://{name}:{port}"


def _request(sent: bytes, origin: str) -> Request:
    """What was sent, as data. The target is a whole URL if a proxy was to be asked."""
    stream = io.BytesIO(sent)
    method, target, _ = stream.readline().decode("latin-1").split(" ", 2)
    headers = tuple(parse_headers(stream).items())
    body = stream.read()
    if (first_header(headers, "transfer-encoding") or "").lower() == "chunked":
        body = _unchunked(body)
    is_whole = target.lower().startswith(("http://", "https://"))
    return Request(method, target if is_whole else origin + target, headers, body or None)


def _unchunked(framed: bytes) -> bytes:
    stream, parts = io.BytesIO(framed), []
    while size := int(stream.readline().partition(b";")[0] or b"0", 16):
        parts.append(stream.read(size))
        stream.readline()
    return b"".join(parts)
