"""TOML from outside (the project file), as plain JSON data with the line and column of every key."""

from __future__ import annotations

import math
import os
import re
import tomllib
from datetime import date, datetime, time
from typing import Any

from understudy.core.errors import InputError, Problem
from understudy.core.files import read_text
from understudy.documents.positions import Document, Mark, Path, Positions
from understudy.documents.toml_marks import toml_marks

TOML_LIMIT = 1 << 20
DEPTH_LIMIT = 100
NUMBER_BITS = 4_096

# tomllib takes minutes for a key of a hundred thousand parts, so such a key must not reach it.
_LONG_KEY = re.compile(
    r"""(?<![A-Za-z0-9_-])(?:(?:[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){100}"""
)
_SAID_AT = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def load_toml(
    path: str | os.PathLike[str],
    table: tuple[str, ...] = (),
    *,
    text: str | None = None,
    limit: int = TOML_LIMIT,
) -> Document:
    """Read a TOML file, or `text`, whose name is then `path`; of it, the given table.

    Without that table, the data is None. Dates and times become ISO text, since everything goes to JSON. NaN,
    infinity and more than 100 levels are refused. Raises InputError.

    >>> document = load_toml("pyproject.toml", ("tool", "understudy"), text="[tool.understudy]\\nseed = 7")
    >>> document.data, document.positions.key(("seed",)), document.positions.value(("seed",))
    ({'seed': 7}, (2, 1), (2, 8))
    """
    file = os.fspath(path)
    content = read_text(path, limit=limit) if text is None else text
    long_key = _LONG_KEY.search(content)
    if long_key:
        raise InputError([_too_deep(file, content.count("\n", 0, long_key.start()) + 1)])
    try:
        parsed = tomllib.loads(content)
    except tomllib.TOMLDecodeError as error:
        raise InputError([_syntax_problem(error, content, file)]) from None
    except RecursionError:
        raise InputError([_too_deep(file, 1, 1)]) from None
    except ValueError:
        message = "a number in this file has too many digits to be read"
        raise InputError([Problem(message, file, hint="write it in quotes to mean text")]) from None
    _check_depth(parsed, file)
    positions = _positions(content)
    problems: list[Problem] = []
    data = _plain(parsed, (), positions, file, problems)
    if problems:
        raise InputError(problems)
    for index, step in enumerate(table):
        if not isinstance(data, dict):
            place = positions.key(table[:index])
            message = f"'{'.'.join(table[:index])}' must be a table"
            raise InputError([Problem(message, file, *place, hint=f"write [{'.'.join(table)}]")])
        data = data.get(step)
        if data is None:
            break
    return Document(file, data, positions.below(table))


def _positions(content: str) -> Positions:
    try:
        return Positions(toml_marks(content))
    except ValueError:
        # What a newer tomllib reads and our scanner does not is still to be read, if with poorer positions.
        return Positions(Mark((1, 1)))


def _check_depth(parsed: dict[str, Any], file: str) -> None:
    level: list[Any] = [parsed]
    for _ in range(DEPTH_LIMIT):
        level = [
            child
            for container in level
            for child in (container.values() if isinstance(container, dict) else container)
            if isinstance(child, dict | list)
        ]
    if level:
        raise InputError([_too_deep(file)])


def _too_deep(file: str, line: int | None = None, column: int | None = None) -> Problem:
    message = f"is nested more than {DEPTH_LIMIT} levels deep"
    return Problem(message, file, line, column, hint="flatten it")


def _plain(value: Any, path: Path, positions: Positions, file: str, problems: list[Problem]) -> Any:
    if isinstance(value, dict):
        return {key: _plain(child, (*path, key), positions, file, problems) for key, child in value.items()}
    if isinstance(value, list):
        return [_plain(child, (*path, at), positions, file, problems) for at, child in enumerate(value)]
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    message = ""
    if isinstance(value, float) and not math.isfinite(value):
        message = "infinity and NaN have no form in JSON"
    elif isinstance(value, int) and value.bit_length() > NUMBER_BITS:
        message = "the number is too large"
    if message:
        hint = "write it in quotes to mean text"
        problems.append(Problem(message, file, *positions.value(path), hint=hint))
    return value


def _syntax_problem(error: tomllib.TOMLDecodeError, content: str, file: str) -> Problem:
    said = str(error)
    found = _SAID_AT.search(said)
    line: int | None = None
    column: int | None = None
    if found and found[1]:
        line, column = int(found[1]), int(found[2])
    elif found:
        line = content.rstrip("\n").count("\n") + 1
        column = len(content.rstrip("\n").rpartition("\n")[2]) + 1
    message = _SAID_AT.sub("", said)
    message = message[:1].lower() + message[1:]
    hint = "texts stand in quotes, keys are written key = value, tables [table]"
    return Problem(f"is not valid TOML: {message}", file, line, column, hint=hint)
