"""JSON from outside: strict, bounded, and nearly as fast as the standard library reads it."""

from __future__ import annotations

import json
import math
import os
import re
import sys
from typing import Any

from understudy.core.collector import without_collector
from understudy.core.errors import InputError, Problem
from understudy.core.files import read_text
from understudy.documents.json_places import Lines, root_place
from understudy.documents.positions import Document, Positions

JSON_LIMIT = 256 << 20
DEPTH_LIMIT = 100
PROBLEM_LIMIT = 100

_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{}:,]|[^\s\[\]{}:,"]++', re.DOTALL)
_CONTAINERS = (dict, list)

# What the decoder says, and what a user can do with.
_PLAIN_WORDS = (
    ("Illegal trailing comma", "a ',' stands after the last entry", "remove it"),
    (
        "Expecting property name",
        "a key in double quotes is missing",
        "write \"key\": value, with no ',' at the end",
    ),
    ("Expecting value", "a value is missing", "text stands in double quotes; no ',' after the last entry"),
    ("Expecting ':'", "a ':' is missing after the key", 'write "key": value'),
    ("Expecting ','", "a ',' is missing, or a bracket that closes", "put a ',' between two entries"),
    ("Unterminated string", "the quote that opens here is never closed", "add the closing quote"),
    ("Invalid control character", "a line break or control character stands in a text", "write it as \\n"),
    ("Invalid \\u", "four hexadecimal digits must follow \\u", "write \\\\u for a plain backslash"),
    ("Invalid \\", "a '\\' begins no known escape", "write \\\\ for a plain backslash"),
    ("Extra data", "more text follows where the content has ended", "remove it"),
)


class _Refused(ValueError):
    """The text is JSON for the decoder, but not for us; a second look finds out where."""


def load_json(path: str | os.PathLike[str], *, text: str | None = None, limit: int = JSON_LIMIT) -> Document:
    """Read a JSON file, or `text`, whose name is then `path`.

    Refused, each with its place: duplicate keys, NaN and infinity, numbers too large to be read, more than
    100 levels. Positions are looked up in the text only when they are asked for. Raises InputError.

    >>> document = load_json("a.json", text='{"a": [1, {"b": 2}]}')
    >>> document.data, document.positions.value(("a", 1, "b"))
    ({'a': [1, {'b': 2}]}, (1, 17))
    """
    file = os.fspath(path)
    content = read_text(path, limit=limit) if text is None else text
    try:
        with without_collector():  # data from JSON has no cycles
            data = _DECODER.decode(content)
            is_too_deep = _is_too_deep(data)
    except json.JSONDecodeError as error:
        raise InputError([_syntax_problem(error, content, file)]) from None
    except (ValueError, RecursionError):
        raise InputError(_refusals(content, file)) from None
    if is_too_deep:
        raise InputError(_refusals(content, file))
    return Document(file, data, Positions(root_place(content)))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        raise _Refused
    return record


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise _Refused
    return value


def _constant(name: str) -> Any:
    raise _Refused(name)


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_float=_finite, parse_constant=_constant)


def _is_too_deep(data: Any) -> bool:
    level = [data] if isinstance(data, _CONTAINERS) else []
    for _ in range(DEPTH_LIMIT):
        if not level:
            return False
        level = [
            child
            for container in level
            for child in (container.values() if type(container) is dict else container)
            if type(child) in _CONTAINERS
        ]
    return bool(level)


def _syntax_problem(error: json.JSONDecodeError, content: str, file: str) -> Problem:
    if not content.strip(" \t\r\n"):
        return Problem("is empty", file, 1, 1, hint="write a JSON value")
    message, hint = next(
        ((words, hint) for needle, words, hint in _PLAIN_WORDS if needle in error.msg),
        (error.msg, "correct the line, or the one above it"),
    )
    return Problem(f"is not valid JSON: {message}", file, error.lineno, error.colno, hint=hint)


def _refusals(content: str, file: str) -> list[Problem]:
    """Go through the text once more, slowly, and note what the decoder was not to accept."""
    lines = Lines(content)
    problems: list[Problem] = []

    def note(match: re.Match[str], message: str, hint: str) -> None:
        problems.append(Problem(message, file, *lines.position(match.start()), hint=hint))

    stack: list[dict[str, int] | None] = []
    is_key = False
    for match in _TOKEN.finditer(content):
        if len(problems) >= PROBLEM_LIMIT:
            break
        piece = match.group()
        if piece in "{[":
            stack.append({} if piece == "{" else None)
            is_key = piece == "{"
            if len(stack) > DEPTH_LIMIT:
                note(match, f"is nested more than {DEPTH_LIMIT} levels deep", "flatten it")
                break
        elif piece in "}]":
            del stack[-1:]
            is_key = False
        elif piece == ",":
            is_key = bool(stack) and stack[-1] is not None
        elif piece[0] == '"':
            keys = stack[-1] if stack and is_key else None
            is_key = False
            if keys is not None:
                key = _decoded(piece)
                first = keys.setdefault(key, match.start())
                if first != match.start():
                    line = lines.position(first)[0]
                    message = f"the key {key[:80]!r} is given twice, first in line {line}"
                    note(match, message, "remove one of the two")
        elif piece != ":":
            message = _wrong_with_literal(piece)
            if message:
                note(match, message, "write it in quotes to mean text")
    return problems or [Problem("cannot be read as JSON", file, 1, 1, hint="check it with a JSON editor")]


def _decoded(text: str) -> str:
    try:
        return str(json.loads(text))
    except ValueError:
        return text


def _wrong_with_literal(token: str) -> str:
    if token in ("NaN", "Infinity", "-Infinity"):
        return f"{token} is no JSON value"
    if token.lstrip("-").isdigit():
        most = sys.get_int_max_str_digits()
        return f"the number has more than {most:,} digits" if 0 < most < len(token.lstrip("-")) else ""
    try:
        return "" if math.isfinite(float(token)) else f"the number {token[:40]} is too large"
    except ValueError:
        return ""
