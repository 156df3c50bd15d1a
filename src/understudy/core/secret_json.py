"""Hides secrets in a text that is JSON, token by token: its form stays, and what comes out is JSON again."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection

from understudy.core.secret_rules import SecretNames
from understudy.core.secret_text import Mark, hide_in_header

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\],:]|[^\s{}\[\],:"]++')
_BLANK_LINES = re.compile(r"((?:\r?\n){2,}+)")
_LONGEST = 16 << 20


def is_json(text: str) -> bool:
    """Whether a text is a JSON object or list."""
    if len(text) > _LONGEST or not text.lstrip().startswith(("{", "[")):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def json_parts(text: str) -> list[str]:
    """A text cut so that every second part is JSON: a body that stands after a blank line, such as HTTP's.

    >>> json_parts('POST / HTTP/1.1\\n\\n{"a": 1}')
    ['POST / HTTP/1.1\\n\\n', '{"a": 1}', '']
    """
    if is_json(text):
        return ["", text, ""]
    parts = [""]
    for piece in _BLANK_LINES.split(text):
        if is_json(piece):
            parts += (piece, "")
        else:
            parts[-1] += piece
    return parts


def redact_json(
    text: str, names: SecretNames, mark: Mark, redact: Callable[[str], str], numbers: Collection[str]
) -> str:
    """The JSON text with `redact` done to every string in it, and with everything under a secret name hidden.

    `numbers` are secrets that may stand as numbers. An object under a secret name speaks for itself.
    """
    written: list[str] = []
    at, name, before = 0, "", ""
    containers: list[tuple[str, str]] = []
    for match in _TOKEN.finditer(text):
        piece = match[0]
        if piece in "{[":
            containers.append((piece, name if piece == "[" else ""))
            name = ""
        elif piece in "}]":
            containers.pop()
        elif piece[0] == '"':
            kind, around = containers[-1]
            is_key = kind == "{" and before in "{,"
            content = json.loads(piece)
            secret = "" if is_key else name or around
            new = hide_in_header(secret, content, mark) if secret else redact(content)
            name = content if is_key and content in names else ""
            if new != content:
                written += (text[at : match.start()], json.dumps(new, ensure_ascii=piece.isascii()))
                at = match.end()
        elif piece not in ",:":
            secret = name or containers[-1][1]
            number = piece if piece in numbers else piece.lstrip("-")
            if number in numbers or (secret and number[0].isdigit()):
                written += (text[at : match.start()], f'"{mark(number)}"')
                at = match.end()
            name = ""
        before = piece
    return "".join(written) + text[at:] if written else text
