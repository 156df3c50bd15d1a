"""A server that costs next to nothing, so that what is measured is the client: GETs only, on the loopback device."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def answer(number: bytes) -> bytes:
    """The response for the item of that number.

    >>> answer(b"7").partition(b"\\r\\n\\r\\n")[2]
    b'{"id":7,"name":"a thing","price":1250}'
    """
    body = b'{"id":%b,"name":"a thing","price":1250}' % number
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (
        len(body),
        body,
    )


class FastProtocol(asyncio.Protocol):
    """Answers `GET /.../NUMBER` with the item of that number, as often as it is asked on one connection."""

    def __init__(self) -> None:
        self._transport: asyncio.WriteTransport
        self._rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep where answers go."""
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer every request that is whole."""
        *heads, self._rest = (self._rest + data).split(b"\r\n\r\n")
        for head in heads:
            path = head.split(b" ", 2)[1]
            self._transport.write(answer(path[path.rfind(b"/") + 1 :]))


@contextmanager
def fast_server() -> Iterator[str]:
    """The server in a process of its own; gives its base URL, and ends that process."""
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.fast_server"],
        cwd=Path(__file__).resolve().parent.parent,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            assert process.stdout is not None
            port = process.stdout.readline().strip()
            if not port:
                raise SystemExit("the fast server did not start; its output stands above")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


async def serve() -> None:
    """Serve on a free port, which is printed, until the process that started this one has gone."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(FastProtocol, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(serve())
