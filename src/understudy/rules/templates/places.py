"""Where the text of a YAML value begins, so that what is wrong in a template is shown where it stands."""

from __future__ import annotations

import re


def text_start(source: str, line: int, column: int) -> tuple[int, int]:
    """The line and column of the first character of a string's text, whose value begins at a line and column.

    A quoted string begins after its quote, a block (`|`, `>`) in the line below. `source` is the text of the file;
    in a Rego file the `#` in front of the lines of its METADATA counts as a blank.

    >>> text_start("a:\\n  b: |\\n    text\\n", 2, 6), text_start("a: 'text'\\n", 1, 4), text_start("a: text\\n", 1, 4)
    ((3, 5), (1, 5), (1, 4))
    """
    lines = source.splitlines()
    opening = lines[line - 1][column - 1 :] if 0 < line <= len(lines) else ""
    if opening.startswith(("'", '"')):
        return line, column + 1
    if not opening.startswith(("|", ">")):
        return line, column
    indicated = re.match(r"[|>][+-]?([1-9])", opening)
    if indicated:
        return line + 1, _indent(lines[line - 1]) + int(indicated[1]) + 1
    for below in lines[line:]:
        plain = " " + below[1:] if below.startswith("#") else below
        if plain.strip():
            return line + 1, _indent(plain) + 1
    return line + 1, 1


def _indent(line: str) -> int:
    """How far a line's content is indented; for an entry of a list, how far the key after its dash is."""
    plain = " " + line[1:] if line.startswith("#") else line
    found = re.match(r" *(?:- +)*", plain)
    return found.end() if found and plain[found.end() :] else len(plain)
