"""Keeps a process that replays from reaching the network: what is not on this machine is refused, and said."""

from __future__ import annotations

import ipaddress
import sys
from typing import Any

from understudy.core.errors import UnderstudyError

_CONNECTS = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
_LOOKS_UP = frozenset({"socket.getaddrinfo", "socket.gethostbyname"})


class NetworkRefused(UnderstudyError, OSError):
    """A pipeline that is replayed tried to reach something beyond this machine."""


def stay_offline() -> None:
    """Refuse every connection beyond this machine, for as long as the process lives."""
    sys.addaudithook(_refuse)


def is_local(host: Any) -> bool:
    """True for this machine itself.

    >>> is_local("127.0.0.1"), is_local("localhost"), is_local("192.0.2.1"), is_local("example.com")
    (True, True, False, False)
    """
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
    if name in (None, "", "localhost"):
        return True
    try:
        return ipaddress.ip_address(str(name).partition("%")[0]).is_loopback
    except ValueError:
        return False


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event in _LOOKS_UP:
        host = arguments[0]
    elif event in _CONNECTS:
        address = arguments[1]
        if not isinstance(address, tuple) or not address:  # a socket in the file system
            return
        host = address[0]
    else:
        return
    if not is_local(host):
        raise NetworkRefused(
            f"a replayed pipeline tried to reach {host!r}; give it a simulated connector, "
            "or write allow_network = true under its [[replay.pipelines]]"
        )
