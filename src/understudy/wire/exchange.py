"""Shows one exchange as text: what was asked, what was answered, and what went wrong."""

from __future__ import annotations

import json
import re
from http import HTTPStatus

from understudy.wire.messages import Headers, Request, Response

BODY_LIMIT = 4096
_TEXT_TYPE = re.compile(
    r"text/|.*[/+](json|xml|yaml|x-yaml|javascript|graphql|html)\b|application/x-www-form-urlencoded",
    re.IGNORECASE,
)
# Character sets of documents only: Python knows codecs that are slow, or that warn, on hostile input.
_CHARSET = re.compile(
    r"charset\s*=\s*\"?(utf-?(?:8|16)|us-ascii|iso-8859-\d+|windows-\d+|shift_jis|euc-\w+|gb\w+|big5|koi8-\w)\b",
    re.IGNORECASE,
)
# What could steer a terminal is shown, not sent to it.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_JSON_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+', re.DOTALL)


def render_exchange(
    request: Request, response: Response | None, error: str = "", body_limit: int = BODY_LIMIT
) -> str:
    """The exchange as text; bodies longer than `body_limit` characters are cut, and a note says so.

    >>> print(render_exchange(Request("GET", "http://shop.test/"), Response(204, (), b"")))
    GET http://shop.test/
    <BLANKLINE>
    204 No Content
    """
    blocks = [_message(f"{request.method} {request.url}", request.headers, request.body or b"", body_limit)]
    if response is not None:
        if response.redirects:
            asked = "\n".join(f"redirected from {_visible(url)}" for url in response.redirects)
            blocks.append(f"{asked}\n            to {_visible(response.url)}")
        first = f"{response.status} {_reason(response.status)}".rstrip()
        block = _message(first, response.headers, response.body, body_limit)
        if response.truncated:
            block += f"\n(more came; it was not read past the limit of {len(response.body):,} bytes)"
        blocks.append(block)
    if error:
        blocks.append(f"error: {_visible(error)}")
    return "\n\n".join(blocks)


def body_text(body: bytes, content_type: str, body_limit: int = BODY_LIMIT) -> str:
    """A body to be read by people: text as it is, JSON indented, anything else by its size and type.

    >>> body_text(bytes(3), "image/png")
    '<3 bytes of image/png>'
    """
    media_type = content_type.partition(";")[0].strip()
    is_text_type = _TEXT_TYPE.match(media_type) is not None
    # a byte more than can be shown, so that the cut never falls inside of a character that is shown
    head = body[: body_limit * 4 + 4]
    charset = _CHARSET.search(content_type)
    text, note = _decoded(head, charset[1] if charset else "utf-8", is_cut=len(head) < len(body))
    if not is_text_type and (note or "\x00" in text or (media_type and not _is_plain(text))):
        return f"<{len(body):,} bytes of {media_type or 'unknown type'}>"
    if len(head) == len(body) and len(text) <= body_limit:
        text = _indented(text)
    if len(text) > body_limit or len(head) < len(body):
        text = text[:body_limit]
        note += f"\n(cut here; the body has {len(body):,} bytes)"
    return _visible(text) + note


def _message(first: str, headers: Headers, body: bytes, body_limit: int) -> str:
    lines = [_visible(first), *(_visible(f"{name}: {value}") for name, value in headers)]
    if body:
        content_type = next((value for name, value in headers if name.lower() == "content-type"), "")
        lines += ["", body_text(body, content_type, body_limit)]
    return "\n".join(lines)


def _reason(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def _decoded(data: bytes, charset: str, is_cut: bool) -> tuple[str, str]:
    try:
        return data.decode(charset), ""
    except (UnicodeDecodeError, LookupError, ValueError) as error:
        if isinstance(error, UnicodeDecodeError) and is_cut and error.start >= len(data) - 4:
            return data[: error.start].decode(charset), ""
    text = data.decode("utf-8", "replace")
    if "\ufffd" not in text:
        return text, ""
    return text, "\n(not valid UTF-8: the bytes that are not are shown as \ufffd)"


def _is_plain(text: str) -> bool:
    return _CONTROL.search(text.replace("\r\n", "\n")) is None


def _visible(text: str) -> str:
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text.replace("\r\n", "\n"))


def _indented(text: str) -> str:
    """JSON with line breaks and indents, its numbers and its keys exactly as they came; other text as it is."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return text
    pieces = _JSON_PIECE.findall(text)
    lines = [""]
    depth = 0
    for index, piece in enumerate(pieces):
        following = pieces[index + 1] if index + 1 < len(pieces) else ""
        if piece in ("}", "]"):
            depth -= 1
            if pieces[index - 1] not in ("{", "["):
                lines.append("  " * depth)
        lines[-1] += f"{piece} " if piece == ":" else piece
        if piece in ("{", "["):
            depth += 1
            if following not in ("}", "]"):
                lines.append("  " * depth)
        elif piece == ",":
            lines.append("  " * depth)
    return "\n".join(lines)
