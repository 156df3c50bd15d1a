"""How a case is called: `act::file::name`, one line of printable text that splits back into its parts."""

from __future__ import annotations

import re
from collections import Counter

SEPARATOR = "::"
# A part, in which a colon is escaped or stands alone, and what ends it.
_PART = re.compile(r"((?:[^\\:]|\\.|:(?!:))*+)(::|\Z)", re.DOTALL)


def case_id(act: str, file: str, name: str) -> str:
    r"""Join the parts of an id; `::` inside a part is escaped so that the id splits again.

    >>> case_id("testbed", "shop.json", "http/getItem/a::b")
    'testbed::shop.json::http/getItem/a\\:\\:b'
    """
    return SEPARATOR.join(_escape(part) for part in (act, file, name))


def split_case_id(identifier: str) -> tuple[str, str, str]:
    """The act, the file and the name of a case id, unescaped.

    >>> split_case_id(case_id("testbed", "a::b", "c:"))
    ('testbed', 'a::b', 'c:')
    """
    parts: list[str] = []
    position = 0
    while found := _PART.match(identifier, position):
        parts.append(found[1])
        position = found.end()
        if not found[2]:
            break
    if len(parts) != 3 or position != len(identifier):
        raise ValueError(f"{identifier!r} is no case id: it must read act::file::name")
    act, file, name = (_unescape(part) for part in parts)
    return act, file, name


class Numbering:
    """Numbers equal names in the order they come: `a`, `a#2`, `a#3`, never clashing with a name as written.

    >>> numbering = Numbering()
    >>> [numbering(name) for name in ("a", "a", "b", "a")]
    ['a', 'a#2', 'b', 'a#3']
    """

    def __init__(self) -> None:
        self._count: Counter[str] = Counter()
        self._taken: set[str] = set()

    def __call__(self, name: str) -> str:
        self._count[name] += 1
        candidate = name if self._count[name] == 1 else f"{name}#{self._count[name]}"
        while candidate in self._taken:
            self._count[name] += 1
            candidate = f"{name}#{self._count[name]}"
        self._taken.add(candidate)
        return candidate


def _escape(part: str) -> str:
    if part.isprintable() and ":" not in part and "\\" not in part:
        return part
    text = (
        part.replace("\\", "\\\\").replace(":", "\\:") if _colons_clash(part) else part.replace("\\", "\\\\")
    )
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def _colons_clash(part: str) -> bool:
    return SEPARATOR in part or part.startswith(":") or part.endswith(":")


def _unescape(part: str) -> str:
    if "\\" not in part:
        return part
    result: list[str] = []
    index = 0
    while index < len(part):
        char = part[index]
        if char != "\\" or index + 1 == len(part):
            result.append(char)
            index += 1
            continue
        mark = part[index + 1]
        width = {"x": 4, "u": 6, "U": 10}.get(mark, 2)
        escape = part[index : index + width]
        plain = {"\\": "\\", ":": ":"}.get(mark)
        result.append(plain if plain is not None else escape.encode("ascii").decode("unicode_escape"))
        index += width
    return "".join(result)
