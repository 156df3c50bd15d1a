"""Writes a request as one line of shell that sends it again with curl."""

from __future__ import annotations

import base64
import re
import shlex
from urllib.parse import quote

from understudy import __version__
from understudy.wire.messages import Request
from understudy.wire.target import Tls
from understudy.wire.transport import MAX_REDIRECTS

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_DOT_SEGMENT = re.compile(r"/(?:\.|%2e){1,2}(?:/|$)", re.IGNORECASE)
_PRINTABLE = "".join(map(chr, range(0x21, 0x7F)))
# What our transport percent-encodes, and curl does not.
_PATH_SAFE = "".join(c for c in _PRINTABLE if c not in '"<>`{}')
_QUERY_SAFE = "".join(c for c in _PRINTABLE if c not in "\"<>'")
# A single argument of a process may have 128 KiB on Linux; what a shell's own printf writes may be longer.
_ARGUMENT_LIMIT = 100_000


def curl_command(
    request: Request, *, follow_redirects: bool = True, tls: Tls | None = None, proxy: str = ""
) -> str:
    """One line for a POSIX shell. It uses no proxy from the environment, as our transport does not.

    A method given with -X is kept by curl on 301, 302 and 303, where our transport turns to GET.

    >>> print(curl_command(Request("GET", "http://shop.test/items?id=1&q=a"), follow_redirects=False))
    curl -sS -i --compressed --noproxy '*' -A understudy/0.1.0 'http://shop.test/items?id=1&q=a'
    """
    body = request.body or b""
    feed, data = _body(body)
    words = [*_method(request.method, bool(body))]
    if follow_redirects:
        words += ["-L", "--max-redirs", str(MAX_REDIRECTS)]
    words += ["--proxy", _word(proxy)] if proxy else ["--noproxy", "'*'"]
    settings = tls or Tls()
    for option, file in (
        ("--cacert", settings.ca),
        ("--cert", settings.client_cert),
        ("--key", settings.client_key),
    ):
        if file:
            words += [option, _word(file)]
    words += _headers(request, body)
    words += data
    words += _url(request.url)
    return f"{feed}curl -sS -i --compressed {' '.join(words)}"


def _method(method: str, has_body: bool) -> list[str]:
    if method == "GET" and not has_body:
        return []
    if method == "HEAD" and not has_body:
        return ["--head"]
    if method == "POST" and has_body:
        return []
    return ["-X", _word(method)]


def _headers(request: Request, body: bytes) -> list[str]:
    words: list[str] = []
    own = {name.lower() for name, _ in request.headers}
    if "user-agent" not in own:
        words += ["-A", f"understudy/{__version__}"]
    for name, value in request.headers:
        # curl takes "Name:" as the wish to leave a header out, and "Name;" as one with an empty value
        words += ["-H", _word(f"{name}: {value}" if value.strip() else f"{name};")]
    if body and "content-type" not in own:
        words += ["-H", "'Content-Type:'"]
    if len(body) > 1024 and "expect" not in own:
        words += ["-H", "'Expect:'"]
    if not body and request.method in ("POST", "PUT", "PATCH") and "content-length" not in own:
        words += ["-H", "'Content-Length: 0'"]
    return words


def _body(body: bytes) -> tuple[str, list[str]]:
    """What is to stand before curl, if the body comes through a pipe, and curl's own words for it."""
    if not body:
        return "", []
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return f"printf %s {base64.b64encode(body).decode()} | base64 -d | ", ["--data-binary", "@-"]
    if _CONTROL.search(text) or len(body) > _ARGUMENT_LIMIT:
        return f"printf {_printf_format(text)} | ", ["--data-binary", "@-"]
    return "", ["--data-raw", shlex.quote(text)]


def _url(url: str) -> list[str]:
    path, mark, query = url.partition("?")
    encoded = quote(path, safe=_PATH_SAFE) + mark + quote(query, safe=_QUERY_SAFE)
    options = []
    if re.search(r"[\[\]{}]", encoded):
        options.append("--globoff")
    if _DOT_SEGMENT.search(path.partition("#")[0]):
        options.append("--path-as-is")
    return [*options, *(["--url"] if url.startswith("-") else []), shlex.quote(encoded)]


def _word(text: str) -> str:
    """Text as one word on one line of shell."""
    return f'"$(printf {_printf_format(text)})"' if _CONTROL.search(text) else shlex.quote(text)


def _printf_format(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("%", "%%")
    return shlex.quote(_CONTROL.sub(_printf_escape, escaped))


def _printf_escape(match: re.Match[str]) -> str:
    return "\\n" if match[0] == "\n" else f"\\{ord(match[0]):03o}"
