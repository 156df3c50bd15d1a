"""Keeps a process that replays from reaching the network: what is not on this machine is refused, and said."""

from __future__ import annotations

import ipaddress
import sys
from typing import Any

from understudy.core.errors import UnderstudyError

_CONNECTS = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
_LOOKS_UP = frozenset({"socket.getaddrinfo", "socket.gethostbyname"})


class NetworkRefused(UnderstudyError, OSError):
    """What must stay on this machine tried to reach something beyond it."""


def stay_offline(who: str = "a replayed pipeline", table: str = "replay.pipelines") -> None:
    """Refuse every connection beyond this machine, for as long as the process lives."""

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        host = _reached(event, arguments)
        if not is_local(host):
            raise NetworkRefused(
                f"{who} tried to reach {host!r}; give it a simulated connector, "
                f"or write allow_network = true under its [[{table}]]"
            )

    sys.addaudithook(refuse)


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


def _reached(event: str, arguments: tuple[Any, ...]) -> Any:
    """The host that is about to be reached; None if it is none."""
    if event in _LOOKS_UP:
        return arguments[0]
    if event in _CONNECTS:
        address = arguments[1]
        if isinstance(address, tuple) and address:  # others are sockets in the file system
            return address[0]
    return None
