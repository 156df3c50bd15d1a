"""Reads patterns of Go's http.ServeMux: `[METHOD ][HOST]/path`, with `{name}`, `{name...}` and `{$}`.

Beside what Go reads, a scheme before the host and a query after the path are dropped. A host with a port means that
port, one without means any.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import unquote

from understudy.core.errors import Problem
from understudy.wire.route_pattern import RouteError, RoutePattern, Segment, Wild
from understudy.wire.route_url import host_and_port

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")


@lru_cache(maxsize=16_384)
def parse_mux(text: str) -> RoutePattern:
    """The pattern that a text in the language of http.ServeMux means; RouteError says what is wrong with it.

    >>> parse_mux("GET https://api.shop.test/items/{id}/").names
    ('id', '')
    """
    if not text:
        raise _wrong(text, "is empty", "write '/path', 'host/path' or 'GET host/path'")
    method, gap, rest = _split_method(text)
    if gap and not _TOKEN.fullmatch(method):
        raise _wrong(text, f"begins with {method!r}, which is no HTTP method", "write '[METHOD ][HOST]/path'")
    scheme = _SCHEME.match(rest)
    if scheme:
        rest = rest[scheme.end() :]
        if "/" not in rest.partition("?")[0]:  # the URL of a host alone is that of its root
            host_alone, question, query = rest.partition("?")
            rest = f"{host_alone}/{question}{query}"
    rest = rest.partition("?")[0]
    authority, slash, path = rest.partition("/")
    if not slash:
        raise _wrong(text, "has no '/' after its host", f"write '{rest}/' or '/{rest}'")
    if "{" in authority:
        raise _wrong(text, "has '{' in its host", "a wildcard stands in the path, behind the first '/'")
    host, port = host_and_port(authority, scheme[1].lower() if scheme else "")
    segments, names = _segments(text, path)
    methods = ("GET", "HEAD") if method == "GET" else (method,) if method else ()
    return RoutePattern(
        text,
        methods,
        f"//{host}:{port}" if port else host,
        segments=segments,
        names=names,
        adds_slash=True,
        host_first=True,
    )


def _split_method(text: str) -> tuple[str, str, str]:
    found = re.search(r"[ \t]", text)
    if found is None:
        return "", "", text
    return text[: found.start()], " ", text[found.end() :].lstrip(" \t")


def _segments(text: str, path: str) -> tuple[tuple[Segment, ...], tuple[str, ...]]:
    segments: list[Segment] = []
    names: list[str] = []
    pieces = path.split("/")
    for index, piece in enumerate(pieces):
        is_last = index == len(pieces) - 1
        if "{" not in piece:
            if piece in (".", ".."):
                raise _wrong(
                    text, f"has {piece!r} in its path, which no request has once it is cleaned", "remove it"
                )
            if piece:
                segments.append(unquote(piece))
            elif is_last:
                segments.append(Wild.REST)
                names.append("")
            else:
                raise _wrong(
                    text, "has '//' in its path, which no request has once it is cleaned", "write one '/'"
                )
            continue
        if not (piece.startswith("{") and piece.endswith("}")) or piece.count("{") > 1:
            raise _wrong(text, f"has {piece!r}: a wildcard takes a whole segment", "write '/{name}/'")
        name = piece[1:-1]
        if name == "$":
            if not is_last:
                raise _wrong(text, "has '{$}' before its end", "it can only end a pattern")
            segments.append("")
            continue
        is_rest = name.endswith("...")
        name = name.removesuffix("...")
        if is_rest and not is_last:
            raise _wrong(
                text, f"has '{piece}' before its end", "it takes all that follows, so nothing can follow it"
            )
        if not name.isidentifier():
            raise _wrong(text, f"has '{piece}', whose name is no name", "use letters, digits and '_'")
        if name in names:
            raise _wrong(text, f"has the name '{name}' twice", "give each wildcard a name of its own")
        segments.append(Wild.REST if is_rest else Wild.ONE)
        names.append(name)
    return tuple(segments), tuple(names)


def _wrong(text: str, message: str, hint: str) -> RouteError:
    shown = text if len(text) <= 200 else f"{text[:199]}…"
    return RouteError([Problem(f"{shown!r} {message}", hint=hint)])
