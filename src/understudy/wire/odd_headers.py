"""Reads response headers that are not ASCII, which pyreqwest holds but does not give out.

It refuses to turn such a value into text, yet sends it on unchanged. So we let it send those headers, and
only those, to a socket of our own on the loopback device, and read the bytes there.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING

from understudy.wire.messages import Headers, TransportError

if TYPE_CHECKING:
    from pyreqwest.http import HeaderMap

_PATIENCE = 5.0
_HEAD_LIMIT = 1 << 20


async def read_odd_headers(headers: HeaderMap) -> Headers:
    """All headers in order; a value that is not UTF-8 is read as latin-1."""
    odd = headers.copy()
    values: dict[str, list[str]] = {}
    for name in dict.fromkeys(headers):
        with contextlib.suppress(ValueError):
            values[name] = headers.getall(name)
            del odd[name]
    values.update(await _mirrored(odd))
    in_order: dict[str, Iterator[str]] = {name: iter(found) for name, found in values.items()}
    return tuple((name, next(in_order[name], "")) for name in headers)


def decoded(value: bytes) -> str:
    """The text of a header: UTF-8, or else latin-1, which fits every byte.

    >>> decoded(b"caf\\xc3\\xa9") == decoded(b"caf\\xe9")
    True
    """
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")


async def _mirrored(odd: HeaderMap) -> dict[str, list[str]]:
    from pyreqwest.client import ClientBuilder
    from pyreqwest.exceptions import PyreqwestError

    token = secrets.token_hex(16)
    heads: asyncio.Queue[bytes] = asyncio.Queue()

    async def catch(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.closing(writer), contextlib.suppress(OSError, EOFError, asyncio.LimitOverrunError):
            head = await reader.readuntil(b"\r\n\r\n")
            if token.encode() in head.partition(b"\r\n")[0]:
                heads.put_nowait(head)
            writer.write(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
            await writer.drain()

    try:
        server = await asyncio.start_server(catch, "127.0.0.1", 0, limit=_HEAD_LIMIT)
        async with server, ClientBuilder().no_proxy().follow_redirects(False).build() as client:
            port = server.sockets[0].getsockname()[1]
            request = client.get(f"http://127.0.0.1:{port}/{token}").headers(odd)
            await request.timeout(timedelta(seconds=_PATIENCE)).build().send()
            head = heads.get_nowait()
    except (OSError, PyreqwestError, asyncio.QueueEmpty) as error:
        names = ", ".join(dict.fromkeys(odd))
        raise TransportError(
            f"the response has headers that are not ASCII ({names}) and they could not be read: {error}"
        ) from error
    wanted = set(odd)
    found: dict[str, list[str]] = {}
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        key = name.decode("ascii", "replace").lower()
        if key in wanted:
            found.setdefault(key, []).append(decoded(value.strip(b" \t")))
    return found
