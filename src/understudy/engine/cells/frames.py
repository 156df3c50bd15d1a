"""Messages over a socket pair: pickled, with their length in front, put together from whatever pieces arrive."""

from __future__ import annotations

import pickle
import struct
from typing import Any

_LENGTH = struct.Struct("!Q")
LONGEST = 256 << 20


def frame(message: Any) -> bytes:
    """A message as it goes over the socket."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(data)) + data


class Frames:
    """What came in so far: bytes are fed, whole messages are taken.

    >>> frames = Frames()
    >>> sent = frame({"a": 1}) + frame("b")
    >>> frames.feed(sent[:9]), frames.take()
    (None, None)
    >>> frames.feed(sent[9:]), frames.take(), frames.take()
    (None, ({'a': 1},), ('b',))
    """

    def __init__(self) -> None:
        self._data = bytearray()

    def feed(self, data: bytes) -> None:
        """Add what arrived."""
        self._data += data

    def take(self) -> tuple[Any] | None:
        """The next message in a tuple, or None if it is not whole yet."""
        if len(self._data) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack_from(self._data)
        if length > LONGEST:
            raise EOFError(f"a message of {length} bytes, more than the {LONGEST} allowed")
        end = _LENGTH.size + length
        if len(self._data) < end:
            return None
        message = pickle.loads(memoryview(self._data)[_LENGTH.size : end])  # noqa: S301 - our own child wrote it
        del self._data[:end]
        return (message,)
