"""A request's URL as routes see it: what means the same is spelled the same."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import parse_qsl, unquote

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://|//")
_AUTHORITY_END = re.compile(r"[/?#]")
_DEFAULT_PORTS = {"http": "80", "https": "443", "ws": "80", "wss": "443"}
_CACHED_LENGTH = 2_000


@dataclass(frozen=True, slots=True)
class Location:
    """A URL taken apart.

    The host is in small letters, a port that the scheme means anyway and the user are left out. Segments are
    decoded, empty ones and dots are resolved as clients do it; the last one is empty if the path ends with a slash.
    """

    scheme: str
    host: str
    port: str
    segments: tuple[str, ...]
    query: tuple[tuple[str, str], ...]

    @property
    def authority(self) -> str:
        """The host, with its port if that is not the scheme's own."""
        return f"{self.host}:{self.port}" if self.port else self.host

    @property
    def host_keys(self) -> tuple[str, ...]:
        """The keys of hosts that this URL is at: of this scheme, of any scheme, of any port; none without host."""
        if not self.host:
            return ()
        authority = self.authority
        return f"{self.scheme}://{authority}", f"//{authority}", self.host


def locate(url: str) -> Location:
    """Take a URL apart; one without a host is a path.

    >>> locate("https://ann:pw@API.Shop.test:443//a/./b%2Fc/?x=1&y=a+b")
    Location(scheme='https', host='api.shop.test', port='', segments=('a', 'b/c', ''), query=(('x', '1'), ('y', 'a b')))
    """
    return _cached(url) if len(url) <= _CACHED_LENGTH else _locate(url)


def _locate(url: str) -> Location:
    rest = url.partition("#")[0] if "#" in url else url
    query: tuple[tuple[str, str], ...] = ()
    if "?" in rest:
        rest, _, text = rest.partition("?")
        query = query_of(text)
    scheme, authority, path = split_url(rest)
    host, port = host_and_port(authority, scheme)
    return Location(scheme, host, port, segments_of(path), query)


_cached = lru_cache(maxsize=4096)(_locate)


def split_url(url: str) -> tuple[str, str, str]:
    """Scheme, authority and path of a URL without query; what has no `//` is all path."""
    found = _SCHEME.match(url)
    if found is None:
        return "", "", url
    start = found.end()
    slash = _AUTHORITY_END.search(url, start)
    end = slash.start() if slash else len(url)
    return (found[1] or "").lower(), url[start:end], url[end:]


def host_and_port(authority: str, scheme: str) -> tuple[str, str]:
    """The host in its usual spelling, and the port unless the scheme means it anyway.

    >>> host_and_port("ann@[0:0:0:0:0:0:0:1]:8080", "http"), host_and_port("B\\u00fccher.example.:443", "https")
    (('[::1]', '8080'), ('xn--bcher-kva.example', ''))
    """
    host = authority.rpartition("@")[2] if "@" in authority else authority
    port = ""
    if ":" in host and not host.endswith("]"):
        host, _, port = host.rpartition(":")
    if port == _DEFAULT_PORTS.get(scheme):
        port = ""
    if host.startswith("["):
        return _address(host), port
    if not host.isascii():
        with suppress(UnicodeError):  # no server has a name that is too long or empty, but a route may
            host = host.encode("idna").decode("ascii")
    return host.lower().rstrip("."), port


def _address(host: str) -> str:
    try:
        return f"[{ip_address(host[1:-1]).compressed}]"
    except ValueError:
        return host.lower()


def segments_of(path: str) -> tuple[str, ...]:
    """The segments of a path, decoded, with empty ones and dots resolved; a slash in one stays encoded text of it.

    >>> segments_of("/a//b/../c%20d"), segments_of("/a/"), segments_of("/")
    (('a', 'c d'), ('a', ''), ('',))
    """
    pieces = path.split("/")
    if pieces[0] == "":
        del pieces[0]
    if "%" in path:
        pieces = [unquote(piece) for piece in pieces]
    elif "//" not in path and "/." not in path and path[:1] == "/":
        return tuple(pieces)
    kept: list[str] = []
    for piece in pieces:
        if piece == "..":
            del kept[-1:]
        elif piece not in ("", "."):
            kept.append(piece)
    if not kept or pieces[-1] in ("", ".", ".."):
        kept.append("")
    return tuple(kept)


def query_of(text: str) -> tuple[tuple[str, str], ...]:
    """The parameters of a query, decoded, in their order; one without `=` has an empty value."""
    try:
        return tuple(parse_qsl(text, keep_blank_values=True, max_num_fields=10_000))
    except ValueError:
        return ()
