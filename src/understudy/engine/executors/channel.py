"""Messages between a run and its worker processes: pickled, with their length in front, over a socket pair.

Only our own child processes are at the other end, started by us with the very file descriptor.
"""

from __future__ import annotations

import asyncio
import pickle
import socket
import struct
from contextlib import suppress
from typing import Any

from understudy.core.errors import UnderstudyError

_LENGTH = struct.Struct("!Q")
LONGEST = 256 << 20


class Channel:
    """One end of the pair."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._length: int | None = None

    @classmethod
    async def open(cls, end: socket.socket) -> Channel:
        """Wrap a connected socket."""
        return cls(*await asyncio.open_connection(sock=end))

    def put(self, message: Any) -> None:
        """Send a message, without waiting."""
        data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        self._writer.write(_LENGTH.pack(len(data)) + data)

    async def drain(self) -> None:
        """Wait until the other end keeps up."""
        await self._writer.drain()

    async def get(self) -> Any:
        """The next message; raises EOFError when the other end is gone. May be cancelled and called again."""
        try:
            if self._length is None:
                (length,) = _LENGTH.unpack(await self._reader.readexactly(_LENGTH.size))
                if length > LONGEST:
                    raise UnderstudyError(
                        f"a worker sent a message of {length} bytes, more than the {LONGEST} allowed"
                    )
                self._length = length
            data = await self._reader.readexactly(self._length)
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise EOFError from error
        self._length = None
        return pickle.loads(data)  # noqa: S301 - written by our own child process

    def finish(self) -> None:
        """Tell the other end that no more is coming; what it still sends can be read."""
        if self._writer.can_write_eof() and not self._writer.is_closing():
            self._writer.write_eof()

    def close(self) -> None:
        """Hang up."""
        self._writer.close()

    async def aclose(self) -> None:
        """Hang up once the other end has what was put."""
        self._writer.close()
        with suppress(ConnectionError):
            await self._writer.wait_closed()
