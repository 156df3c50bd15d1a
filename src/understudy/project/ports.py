"""A port for the app under test: the project's own if it is free, so that reports of two runs say the same."""

from __future__ import annotations

import fcntl
import os
import socket
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

# Below the ports that Linux and macOS hand out by themselves.
_FIRST, _COUNT = 20_000, 12_000


@contextmanager
def reserved_port(project: str) -> Iterator[int]:
    """A loopback port that was free a moment ago and that no other run of ours takes meanwhile.

    >>> with reserved_port("/a/project") as first, reserved_port("/a/project") as second:
    ...     first == second
    False
    """
    port = _FIRST + zlib.crc32(os.fsencode(project)) % _COUNT
    lock = _lock(port)
    if lock is None:
        yield _probe(0)
        return
    with lock:
        yield port


def _lock(port: int) -> IO[str] | None:
    """The lock on a port, held until it is closed; None if another run holds it, or a program listens there."""
    path = Path(tempfile.gettempdir(), f"understudy-{os.getuid()}-{port}.lock")
    try:
        lock = path.open("a", encoding="ascii")
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _probe(port)
    except OSError:
        lock.close()
        return None
    return lock


def _probe(port: int) -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", port))
        return int(probe.getsockname()[1])
