"""Reads patterns with globs: `GET https://api.github.com/repos/*/branches/**?page=2`.

The rules, for those who write them:

- A method may stand in front; without one, any method is meant.
- `https://host/path` means this scheme and host, `/path` any host. `*` in a host stands within one of its labels.
- In a path, `*` is one segment or a part of one, never a slash. `**` as a whole segment is any number of segments,
  none included.
- A path that is `/*` and nothing more is every path, as `/**` is: `{"/*": code(404)}` answers whatever is asked.
- A trailing slash counts. What is percent-encoded and what is not is the same; `%2A` is a star that means itself.
- `?page=2` asks for this parameter among those of the request, `?page=*` for any value of it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import unquote, unquote_plus

from understudy.core.errors import Problem
from understudy.core.nearness import closest_name
from understudy.wire.route_pattern import PartGlob, RouteError, RoutePattern, Segment, Wild
from understudy.wire.route_url import host_and_port, split_url

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT")
LENGTH_LIMIT = 10_000

_KEY = re.compile(r"\s*(?:(\S+)\s+)?(\S+)\s*")
_LIKE_A_HOST = re.compile(r"(?i)(localhost|\[[0-9a-f:.]+\]|[^/*]*\.[a-z]{2,}|[^/*]+:\d+)(:\d+)?")


@lru_cache(maxsize=16_384)
def parse_glob(text: str) -> RoutePattern:
    """The pattern that a text with globs means; RouteError says what is wrong with it.

    >>> parse_glob("GET /repos/*/v*.json").segments
    ('repos', <Wild.ONE: '*'>, PartGlob(prefix='v', middles=(), suffix='.json'))
    """
    if len(text) > LENGTH_LIMIT:
        raise _wrong(text, f"is longer than {LENGTH_LIMIT:,} characters", "shorten it with '*' or '**'")
    found = _KEY.fullmatch(text)
    if found is None:
        hint = "write '/path', 'https://host/path' or 'GET https://host/path'; a space in a path is %20"
        raise _wrong(text, "is empty" if not text.strip() else "is no method and URL", hint)
    methods = (_method(text, found[1]),) if found[1] else ()
    url, _, query = found[2].partition("?")
    if "#" in found[2]:
        raise _wrong(text, "has a fragment (#...), which is never sent", "remove it, or write %23")
    scheme, authority, path = split_url(url)
    host: str = ""
    labels: tuple[Segment, ...] = ()
    if authority:
        host, labels = _host(text, scheme, authority)
    elif scheme or url.startswith("//"):
        raise _wrong(text, "has no host", f"write '{scheme or 'https'}://host/path'")
    elif not path.startswith("/"):
        path = _rooted(text, path, method=found[1])
    return RoutePattern(text, methods, host, labels, _segments(path), _query(query))


def glob_piece(raw: str, *, plus: bool = False) -> str | PartGlob:
    """A piece of a URL as text, or, if there is a `*` in it, as a glob; decoded after it was split at the stars."""
    decode = unquote_plus if plus else unquote
    if "*" not in raw:
        return decode(raw)
    first, *middles, last = (decode(piece) for piece in raw.split("*"))
    return PartGlob(first, tuple(middle for middle in middles if middle), last)


def _method(text: str, method: str) -> str:
    upper = method.upper()
    if upper in METHODS:
        return upper
    nearest = closest_name(upper, METHODS)
    hint = f"did you mean {nearest}?" if nearest else f"the methods are {', '.join(METHODS)}"
    raise _wrong(text, f"begins with {method!r}, which is no HTTP method", hint)


def _host(text: str, scheme: str, authority: str) -> tuple[str, tuple[Segment, ...]]:
    if scheme not in ("http", "https", ""):
        raise _wrong(text, f"has the scheme {scheme!r}", "write http:// or https://")
    host, port = host_and_port(authority, scheme)
    if not host or (port and not (port.isdigit() or port == "*")):
        raise _wrong(
            text, f"has no usable host: {authority!r}", "write https://host/path or https://host:port/path"
        )
    if "*" not in f"{host}{port}":
        start = f"{scheme}://" if scheme else "//"
        return f"{start}{host}:{port}" if port else f"{start}{host}", ()
    if "**" in host:
        raise _wrong(
            text, "has '**' in its host", "write '*' for one label of it, or leave the host out: '/path'"
        )
    labels = tuple(Wild.ONE if label == "*" else glob_piece(label) for label in host.split("."))
    return "", (scheme or Wild.ONE, *labels, glob_piece(f":{port}"))


def _rooted(text: str, path: str, *, method: str | None) -> str:
    first, slash, _ = path.partition("/")
    if _LIKE_A_HOST.fullmatch(first) or not first:
        raise _wrong(
            text,
            f"begins with {first!r}, which may be a host or a folder",
            f"write 'https://{path}' or '/{path}'",
        )
    if not slash:
        known = "" if method or path.upper() not in METHODS else f"write '{path} https://host/path'"
        raise _wrong(text, "is no URL and no path", known or "begin it with '/' or 'https://'")
    return f"/{path}"


def _segments(path: str) -> tuple[Segment, ...]:
    if path in ("/*", "/**"):
        return (Wild.MANY,)
    segments: list[Segment] = []
    pieces = path.split("/")[1:]
    for piece in pieces:
        if piece == "**":
            if segments[-1:] != [Wild.MANY]:  # '**/**' says no more than '**'
                segments.append(Wild.MANY)
        elif piece == "*":
            segments.append(Wild.ONE)
        elif piece == "..":
            del segments[-1:]
        elif piece not in ("", "."):
            segments.append(glob_piece(piece))
    if not segments or pieces[-1] in ("", ".", ".."):
        segments.append("")
    return tuple(segments)


def _query(query: str) -> tuple[tuple[str, str | PartGlob], ...]:
    pairs = []
    for piece in filter(None, query.split("&")):
        name, _, value = piece.partition("=")
        pairs.append((unquote_plus(name), glob_piece(value, plus=True)))
    return tuple(sorted(pairs, key=lambda pair: (pair[0], str(pair[1]))))


def _wrong(text: str, message: str, hint: str) -> RouteError:
    shown = text if len(text) <= 200 else f"{text[:199]}…"
    return RouteError([Problem(f"{shown!r} {message}", hint=hint)])
