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
    labels = _labels(text, names) if '"value"' in text else {}
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
            secret = "" if is_key else labels.get(match.start()) or name or around
            new = hide_in_header(secret, content, mark) if secret else redact(content)
            name = content if is_key and content in names else ""
            if new != content:
                written += (text[at : match.start()], json.dumps(new, ensure_ascii=piece.isascii()))
                at = match.end()
        elif piece not in ",:":
            secret = labels.get(match.start()) or name or containers[-1][1]
            number = piece if piece in numbers else piece.lstrip("-")
            if number in numbers or (secret and number[0].isdigit()):
                written += (text[at : match.start()], f'"{mark(number)}"')
                at = match.end()
            name = ""
        before = piece
    return "".join(written) + text[at:] if written else text


def _labels(text: str, names: SecretNames) -> dict[int, str]:
    """Where the value of a `{"name": "token", "value": ...}` begins, and the secret name beside it."""
    found: dict[int, str] = {}
    objects: list[tuple[str, str, int]] = []  # the key that is read, the label so far, where the value begins
    before = ""
    for match in _TOKEN.finditer(text):
        piece = match[0]
        if piece in "{[":
            objects.append(("" if piece == "{" else "[", "", -1))
        elif piece in "}]":
            _, label, value = objects.pop()
            if label and value >= 0:
                found[value] = label
        elif piece not in ",:":
            key, label, value = objects[-1]
            if key == "[":
                pass
            elif before in "{,":
                objects[-1] = (piece, label, value)
            elif key in ('"name"', '"key"') and piece[0] == '"' and (named := json.loads(piece)) in names:
                objects[-1] = (key, named, value)
            elif key == '"value"':
                objects[-1] = (key, label, match.start())
        before = piece
    return found
