"""What a Starlark text says before it is run: its words, outside of strings and comments, and where they stand."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

_TOKEN = re.compile(
    r"""
      (?P<blank>[^\S\n]+|\\\r?\n)
    | (?P<comment>\#[^\n]*)
    | (?P<string>[rRbB]{0,2}(?:\"{3}(?:\\.|[^\\])*?\"{3}|'{3}(?:\\.|[^\\])*?'{3}
                              |\"(?:\\.|[^\\\"\n])*\"?|'(?:\\.|[^\\'\n])*'?))
    | (?P<word>[^\W\d]\w*)
    | (?P<number>\d[\w.]*)
    | (?P<newline>\r?\n)
    | (?P<mark>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_RENAMED = "assert"
STAND_IN = "asserT"  # starlark-rust keeps `assert` for itself; a name of the same length keeps every column


class Token(NamedTuple):
    """A word, a string, a number, a mark or a line's end, and where it begins in the text."""

    kind: str
    text: str
    start: int


def tokens(text: str) -> Iterator[Token]:
    """Everything in a text but comments and blanks.

    >>> [token.text for token in tokens("x = 'a # b'  # c")]
    ['x', '=', "'a # b'"]
    """
    for found in _TOKEN.finditer(text):
        kind = found.lastgroup or "mark"
        if kind not in ("comment", "blank"):
            yield Token(kind, found[0], found.start())


@dataclass(frozen=True, slots=True)
class Reading:
    """A text as it is handed to the interpreter, and what was found in it.

    `functions` are the top-level definitions by name with the line they stand in, and whether they take no
    arguments; `assigned` are other names that the text gives a value to, with their lines.
    """

    text: str
    speaks_mindev: bool
    functions: dict[str, tuple[int, bool]]
    assigned: dict[str, int]


def read_source(text: str) -> Reading:
    """Find out a text's dialect and its top-level names, and rename the word that the interpreter reserves.

    >>> reading = read_source("def test_a():\\n    assert.eq(1, 1)\\ntest_b = make()\\n")
    >>> reading.speaks_mindev, reading.functions, reading.assigned
    (True, {'test_a': (1, True)}, {'test_b': 3})
    >>> reading.text.splitlines()[1]
    '    asserT.eq(1, 1)'
    """
    found = list(tokens(text))
    return Reading(
        _rewritten(text, found), _speaks_mindev(found), _functions(text, found), _assigned(text, found)
    )


def as_written(text: str) -> str:
    """What the interpreter says, with the word that was renamed as users wrote it."""
    return text.replace(STAND_IN, _RENAMED)


def _rewritten(text: str, found: list[Token]) -> str:
    """The text with the reserved word renamed and neighbouring strings joined, every line and column as it was."""
    edits = [
        (token.start, STAND_IN) for token in found if token.kind == "word" and token.text == _RENAMED
    ] + [(start, "+") for start in _joints(text, found)]
    pieces: list[str] = []
    end = 0
    for start, replacement in sorted(edits):
        pieces += [text[end:start], replacement]
        end = start + len(replacement)
    return "".join([*pieces, text[end:]]) if pieces else text


def _joints(text: str, found: list[Token]) -> list[int]:
    """The blanks before strings that follow a string within brackets: Go's Starlark and Python join such strings.

    Where something binds to the last of them (`.format`, `%`), joining by `+` would mean something else: these are
    left as they are, for the interpreter to refuse.
    """
    joints: list[int] = []
    run: list[int] = []
    depth = 0
    last: Token | None = None
    for token in found:
        if token.kind == "newline":
            continue
        if token.kind == "string" and last is not None and last.kind == "string" and depth:
            run.append(token.start - 1)
        elif run:
            if token.text not in (".", "%", "[", "("):
                joints += [start for start in run if text[start] in " \t"]
            run = []
        depth += (token.text in "([{") - (token.text in ")]}") if token.kind == "mark" else 0
        last = token
    return joints


def _speaks_mindev(found: list[Token]) -> bool:
    keywords = ("mock_http", "mock_fs", "data_sources")
    for token, after in itertools.pairwise(found):
        if token.kind != "word":
            continue
        if token.text == _RENAMED and after.text == ".":
            return True
        if token.text in keywords and after.text == "=":
            return True
    return False


def _functions(text: str, found: list[Token]) -> dict[str, tuple[int, bool]]:
    functions: dict[str, tuple[int, bool]] = {}
    for index, token in enumerate(found[:-3]):
        if token.text == "def" and _begins_line(text, token):
            name, closing = found[index + 1], _next_mark(found, index + 3)
            functions[name.text] = (_line(text, token), closing == ")")
    return functions


def _assigned(text: str, found: list[Token]) -> dict[str, int]:
    return {
        token.text: _line(text, token)
        for token, after in itertools.pairwise(found)
        if token.kind == "word" and after.text == "=" and _begins_line(text, token)
    }


def _begins_line(text: str, token: Token) -> bool:
    return token.start == 0 or text[token.start - 1] == "\n"


def _next_mark(found: list[Token], index: int) -> str:
    while index < len(found) and found[index].kind == "newline":
        index += 1
    return found[index].text if index < len(found) else ""


def _line(text: str, token: Token) -> int:
    return text.count("\n", 0, token.start) + 1
