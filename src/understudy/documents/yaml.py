"""YAML from outside, as plain JSON data with the line and column of everything in it."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from understudy.core.errors import InputError, Problem
from understudy.core.files import READ_LIMIT, read_text
from understudy.documents.positions import Document, Positions

if TYPE_CHECKING:
    import yaml

    from understudy.documents.yaml_tree import Dialect

# What the parser says, and what a user can do with.
_PLAIN_WORDS = (
    (
        "mapping values are not allowed",
        "a ':' stands where none can",
        "check the indentation, or quote the text that holds the ':'",
    ),
    ("could not find expected ':'", "a key has no ':' after it", "write 'key: value', and indent alike"),
    ("did not find expected key", "the line does not fit what stands above it", "check the indentation"),
    ("did not find expected '-'", "the line does not fit the list above it", "check the indentation"),
    ("expected ',' or ']'", "the list is not closed", "add ']', or a ',' between its entries"),
    ("expected ',' or '}'", "the mapping is not closed", "add '}', or a ',' between its entries"),
    ("cannot start any token", "a value cannot begin with this character", "put the value in quotes"),
    ("unexpected end of stream", "a quote is never closed", "add the closing quote"),
    ("unexpected document indicator", "a quote is never closed", "add the closing quote"),
    ("unknown escape character", "a '\\' in double quotes begins no known escape", "use single quotes"),
    ("undefined tag handle", "the tag is unknown", "write the value without a tag"),
    ("expected tag URI", "'!' begins a tag, and none follows", "put the value in quotes"),
    ("alphabetic or numeric", "'&' and '*' begin the name of an anchor", "put the value in quotes"),
    ("unknown directive", "the line begins with '%' and is no known directive", "remove it"),
    ("expected <document start>", "more text follows where the content has ended", "check the indentation"),
    ("sequence entries are not allowed", "a list cannot begin here", "begin it on a line of its own"),
)


def load_yaml(path: str | os.PathLike[str], *, text: str | None = None, limit: int = READ_LIMIT) -> Document:
    """Read the one YAML document of a file, or of `text`, whose name is then `path`.

    Everything is plain JSON data: dates and times are text as written, keys too (`200:` is "200"). Refused,
    each with its place: duplicate keys, unknown tags, NaN and infinity, a second document, more than 100
    levels, and aliases that multiply. An empty file has the data None. Raises InputError.

    >>> document = load_yaml("a.yaml", text="on: 2026-01-01\\nlist: [1, {b: no}]")
    >>> document.data
    {'on': '2026-01-01', 'list': [1, {'b': False}]}
    >>> document.positions.value(("list", 1, "b"))
    (2, 15)
    """
    content = read_text(path, limit=limit) if text is None else text
    return _load(os.fspath(path), content, None)


def load_go_yaml(
    path: str | os.PathLike[str],
    *,
    text: str | None = None,
    limit: int = READ_LIMIT,
    only_text_keys: bool = False,
) -> Document:
    """Read the first YAML document of a file, or of `text`, as Go's yaml.v3 does, for files that are made for it.

    `on`, `off`, `yes` and `no` are text, dates are Go's time.Time as JSON, tags are no matter, and whatever follows
    the first document is not looked at. A key is the text that was written; with `only_text_keys` one that means
    a number, a truth value or nothing is refused, since Go has no JSON for it. Bounds are those of `load_yaml`.
    Raises InputError.

    >>> load_go_yaml("ci.yml", text="on: [push]\\nis: yes\\nmode: 0o17\\n---\\nanother: document").data
    {'on': ['push'], 'is': 'yes', 'mode': 15}
    """
    from understudy.documents.yaml_go import go_scalar
    from understudy.documents.yaml_tree import Dialect

    content = read_text(path, limit=limit) if text is None else text
    return _load(os.fspath(path), content, Dialect(go_scalar, only_text_keys))


def _load(file: str, content: str, dialect: Dialect | None) -> Document:
    import yaml

    from understudy.documents.yaml_tree import TreeBuilder

    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(content)
        try:
            data, mark = TreeBuilder(loader, file, dialect).build()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        raise InputError([_syntax_problem(error, content, file)]) from None
    except (yaml.YAMLError, UnicodeEncodeError):
        raise InputError([_character_problem(content, file)]) from None
    return Document(file, data, Positions(mark))


def _syntax_problem(error: yaml.MarkedYAMLError, content: str, file: str) -> Problem:
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    said = error.problem or error.context or "the text does not follow the rules of YAML"
    message, hint = next(
        ((words, hint) for needle, words, hint in _PLAIN_WORDS if needle in said),
        (said, "correct the line, or the one above it"),
    )
    if mark and content[mark.index : mark.index + 1] == "\t":
        message, hint = "a tab stands where only spaces can", "indent with spaces"
    opening = error.context_mark
    if opening is not None and opening.line + 1 != line:
        message += f"; it belongs to what begins in line {opening.line + 1}"
    return Problem(f"is not valid YAML: {message}", file, line, column, hint=hint)


def _character_problem(content: str, file: str) -> Problem:
    found = re.search("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", content)
    start = found.start() if found else 0
    line = content.count("\n", 0, start) + 1
    column = start - (content.rfind("\n", 0, start) + 1) + 1
    name = f"U+{ord(content[start]):04X}" if found else "of another encoding"
    message = f"is not valid YAML: a control character ({name}) stands here"
    return Problem(message, file, line, column, hint="remove it")
