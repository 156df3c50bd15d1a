"""Where the keys and values of a valid TOML text stand, which tomllib does not tell."""

from __future__ import annotations

import json
import re

from understudy.documents.json_places import Lines
from understudy.documents.positions import Mark, Path, Position

_SPACE = re.compile(r"[ \t]*")
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
# The longest form first: a text in three quotes may end in up to two more.
_TEXT = re.compile(
    r'"""(?:[^\\]|\\.)*?"""(?:"{0,2})'
    r"|'''.*?'''(?:'{0,2})"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'",
    re.DOTALL,
)
_PLAIN = re.compile(r"[^,\]}#\r\n]+")
_EIGHT_DIGITS = re.compile(r"\\U([0-9A-Fa-f]{8})")


def toml_marks(text: str) -> Mark:
    """The marks of a valid TOML text; ValueError if it is of a newer TOML than 1.0.

    >>> toml_marks("[a]\\nb.c = 1").children["a"].children["b"].children["c"].position
    (2, 7)
    """
    return _Scanner(text).scan()


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._lines = Lines(text)
        self._root = Mark((1, 1))
        self._arrays: set[Path] = set()

    def scan(self) -> Mark:
        table = self._root
        self._skip(_BLANK)
        while self._at < len(self._text):
            if self._peek("["):
                table = self._header()
            else:
                self._entry(table)
            self._skip(_BLANK)
        return self._root

    def _header(self) -> Mark:
        is_array = self._peek("[[")
        self._at += 2 if is_array else 1
        start = self._here()
        keys = self._dotted_key()
        self._at += 2 if is_array else 1
        mark = self._root
        path: Path = ()
        for index, (key, _) in enumerate(keys):
            path = (*path, key)
            is_last = index == len(keys) - 1
            known = mark.children.get(key)
            if known is None:
                known = mark.children[key] = Mark(start, start)
            mark = known
            if is_last and is_array:
                self._arrays.add(path)
                entry = Mark(start, start)
                path = (*path, len(mark.children))
                mark.children[path[-1]] = entry
                mark = entry
            elif path in self._arrays:
                path = (*path, len(mark.children) - 1)
                mark = mark.children[path[-1]]
        if not is_array:
            # A table may be named after its sub-tables; its own header is then where it stands.
            mark.position = mark.key = start
        return mark

    def _entry(self, table: Mark) -> None:
        keys = self._dotted_key()
        self._skip(_SPACE)
        self._at += 1
        self._skip(_SPACE)
        mark = table
        for key, place in keys[:-1]:
            child = mark.children.get(key)
            if child is None:
                child = mark.children[key] = Mark(place, place)
            mark = child
        key, place = keys[-1]
        value = self._value()
        value.key = place
        mark.children[key] = value

    def _dotted_key(self) -> list[tuple[str, Position]]:
        keys = []
        while True:
            self._skip(_SPACE)
            place = self._here()
            quoted = self._match(_TEXT) if self._peek('"') or self._peek("'") else ""
            keys.append((_unquoted(quoted) if quoted else self._match(_BARE_KEY), place))
            self._skip(_SPACE)
            if not self._peek("."):
                return keys
            self._at += 1

    def _value(self) -> Mark:
        mark = Mark(self._here())
        if self._peek('"') or self._peek("'"):
            self._match(_TEXT)
        elif self._peek("["):
            self._entries(mark, "]")
        elif self._peek("{"):
            self._entries(mark, "}")
        else:
            self._match(_PLAIN)
        return mark

    def _entries(self, mark: Mark, closing: str) -> None:
        self._at += 1
        self._skip(_BLANK)
        while not self._peek(closing):
            if closing == "]":
                mark.children[len(mark.children)] = self._value()
            else:
                self._entry(mark)
            self._skip(_BLANK)
            if self._peek(","):
                self._at += 1
                self._skip(_BLANK)
        self._at += 1

    def _here(self) -> Position:
        return self._lines.position(self._at)

    def _peek(self, text: str) -> bool:
        return self._text.startswith(text, self._at)

    def _skip(self, pattern: re.Pattern[str]) -> None:
        found = pattern.match(self._text, self._at)
        self._at = found.end() if found else self._at

    def _match(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self._at)
        if found is None:
            # Only a form of a newer TOML than this scanner knows comes here; going on would never end.
            raise ValueError(f"no {pattern.pattern!r} at offset {self._at}")
        self._at = found.end()
        return found.group()


def _unquoted(key: str) -> str:
    if key.startswith("'"):
        return key[1:-1]
    short = _EIGHT_DIGITS.sub(lambda found: json.dumps(chr(int(found[1], 16)))[1:-1], key)
    return str(json.loads(short))
