"""Everything that the cases of one run share: where they go, over what, with which headers, values and limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from understudy.core.clock import Clock, SystemClock
from understudy.core.errors import InputError, Problem
from understudy.wire.faults import without_userinfo
from understudy.wire.target import Target
from understudy.wire.transport import DEFAULT_RESPONSE_LIMIT, DEFAULT_TIMEOUT, MAX_RESPONSE_LIMIT, Transport

if TYPE_CHECKING:
    from understudy.testbed.composition import WebSocketRunner


@dataclass(slots=True)
class Session:
    """What a case needs to be run. `strict` says that `${name}` is ours and must have a value."""

    transport: Transport
    target: Target
    limit: int = DEFAULT_RESPONSE_LIMIT
    timeout: float = DEFAULT_TIMEOUT
    values: Mapping[str, Any] = field(default_factory=dict)
    strict: bool = False
    websocket_runner: WebSocketRunner | None = None
    clock: Clock = field(default_factory=SystemClock)


def check_base_url(base_url: str) -> str:
    """The base URL without trailing slashes, if it names a scheme and a host; its path is kept as a prefix.

    >>> check_base_url("http://127.0.0.1:8000/api/")
    'http://127.0.0.1:8000/api'
    """
    given = base_url if isinstance(base_url, str) else ""
    shown = repr(without_userinfo(given) if isinstance(base_url, str) else base_url)
    try:
        parts = urlsplit(given)
        _ = parts.port  # raises ValueError if it is no port number
        # Python's parser forgives, or takes out, what no host can have.
        wrong = parts.scheme not in ("http", "https") or not parts.hostname or _has_blanks(given)
    except ValueError:
        wrong = True
    else:
        if not wrong and (parts.query or parts.fragment):
            message = f"the base URL {shown} has a query or a fragment, which no case could keep"
            raise InputError([Problem(message, hint="write scheme, host and path only")])
    if wrong:
        message = f"the base URL {shown} must have a scheme and a host"
        raise InputError(
            [Problem(message, hint="write it like http://127.0.0.1:8000 or https://host/prefix")]
        )
    return given.rstrip("/")


def _has_blanks(url: str) -> bool:
    return any(char <= " " or char == "\x7f" for char in url)


def check_response_limit(limit: int) -> int:
    """The number of bytes that are kept of a response; 0 means the default of 1 MiB."""
    if not is_number(limit, int):
        raise InputError(f"max_response_bytes is {limit!r}; it must be a whole number of bytes")
    if limit < 0:
        raise InputError(
            f"max_response_bytes is {limit}; it must not be negative (0 means {DEFAULT_RESPONSE_LIMIT})"
        )
    if limit > MAX_RESPONSE_LIMIT:
        raise InputError(f"max_response_bytes is {limit}; at most {MAX_RESPONSE_LIMIT} (1 GiB) are kept")
    return limit or DEFAULT_RESPONSE_LIMIT


def is_number(value: Any, kind: Any) -> bool:
    """True for a number of that kind; true and false are none."""
    return isinstance(value, kind) and not isinstance(value, bool)
