"""Regular expressions as Go has them: RE2, with Go's rules for what is found, split and put in."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import re2  # type: ignore[import-untyped]  # has no hints

from understudy.rules.evaluate.functions import HostError

_OPTIONS = re2.Options()
_OPTIONS.log_errors = False
_PATTERN = 10_000


@lru_cache(maxsize=2_048)
def _compiled(pattern: str) -> Any:
    if not isinstance(pattern, str):
        raise HostError("error parsing regexp: it is not a string")
    if len(pattern) > _PATTERN:
        raise HostError(f"the regular expression is longer than {_PATTERN:,} characters")
    try:
        return re2.compile(pattern, _OPTIONS)
    except re2.error as error:
        reason = error.args[0].decode() if isinstance(error.args[0], bytes) else str(error.args[0])
        raise HostError(f"error parsing regexp: {reason}") from None


def is_valid(pattern: Any) -> bool:
    """regex.is_valid

    >>> is_valid(r"\\${{(.*?)}}"), is_valid("("), is_valid(r"(?P<x>\\pL)"), is_valid(1)
    (True, False, True, False)
    """
    if not isinstance(pattern, str):
        return False
    try:
        _compiled(pattern)
    except HostError:
        return False
    return True


def match(pattern: str, text: str) -> bool:
    """regex.match

    >>> match("^v[0-9]+$", "v12")
    True
    """
    return _compiled(pattern).search(_text(text)) is not None


def split(pattern: str, text: str) -> list[str]:
    """regex.split

    >>> split("/", "/foo/bar"), split("z*", "pizza"), split("a", "")
    (['', 'foo', 'bar'], ['p', 'i', 'a'], [''])
    """
    compiled, text = _compiled(pattern), _text(text)
    if not text and pattern:
        return [text]
    pieces, begin, end = [], 0, 0
    for found in _finds(compiled, text):
        end = found.start()
        if found.end() != 0:
            pieces.append(text[begin:end])
        begin = found.end()
    if end != len(text):
        pieces.append(text[begin:])
    return pieces


def find_n(pattern: str, text: str, limit: int) -> list[str]:
    """regex.find_n

    >>> find_n("a.", "paranormal", 2), find_n("a.", "paranormal", -1)
    (['ar', 'an'], ['ar', 'an', 'al'])
    """
    return [found[0] for found in _some(pattern, text, limit)]


def find_all_string_submatch_n(pattern: str, text: str, limit: int) -> list[list[str]]:
    """regex.find_all_string_submatch_n

    >>> find_all_string_submatch_n("a(x*)b", "-axxb-ab-", -1)
    [['axxb', 'xx'], ['ab', '']]
    """
    return [[found[0], *(group or "" for group in found.groups())] for found in _some(pattern, text, limit)]


def replace(text: str, pattern: str, value: str) -> str:
    """regex.replace; `$1`, `${name}` and `$$` in the value are as in Go: `$1x` is the group named `1x`.

    >>> replace("-ab-axxb-", "a(x*)b", "${1}W"), replace("-ab-axxb-", "a(x*)b", "$1W"), replace("abc", "", "-")
    ('-W-xxW-', '---', '-a-b-c-')
    """
    compiled, text, value = _compiled(pattern), _text(text), _text(value)
    pieces: list[str] = []
    position = 0
    for found in _finds(compiled, text):
        pieces += (text[position : found.start()], _expanded(value, found, compiled))
        position = found.end()
    pieces.append(text[position:])
    return "".join(pieces)


def template_match(template: str, text: str, opening: str, closing: str) -> bool:
    """regex.template_match: literal text, with regular expressions between the two delimiters.

    >>> template_match("urn:foo:{.*}", "urn:foo:bar:baz", "{", "}")
    True
    """
    if len(opening) != 1 or len(closing) != 1:
        raise HostError("delimiters must be one character long")
    pattern, depth, begun = ["^"], 0, 0
    for index, character in enumerate(template):
        if character == opening:
            if not depth:
                pattern.append(re2.escape(template[begun:index]))
                begun = index + 1
            depth += 1
        elif character == closing:
            depth -= 1
            if depth < 0:
                raise HostError(f"unbalanced braces in {template!r}")
            if not depth:
                pattern.append(f"({template[begun:index]})")
                begun = index + 1
    if depth:
        raise HostError(f"unbalanced braces in {template!r}")
    return match("".join([*pattern, re2.escape(template[begun:]), "$"]), text)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise HostError("the text to search must be a string")
    return value


def _some(pattern: str, text: str, limit: int) -> Iterator[Any]:
    if isinstance(limit, bool) or not isinstance(limit, int):
        raise HostError("the number of matches must be an integer")
    for index, found in enumerate(_finds(_compiled(pattern), _text(text))):
        if 0 <= limit <= index:
            return
        yield found


def _finds(compiled: Any, text: str) -> Iterator[Any]:
    """What Go finds: no empty match right behind a match."""
    ended = -1
    for found in compiled.finditer(text):
        if found.end() > found.start() or found.start() != ended:
            yield found
        ended = found.end()


def _expanded(template: str, found: Any, compiled: Any) -> str:
    if "$" not in template:
        return template
    pieces: list[str] = []
    position = 0
    while True:
        dollar = template.find("$", position)
        if dollar < 0:
            return "".join([*pieces, template[position:]])
        pieces.append(template[position:dollar])
        name, position = _name_at(template, dollar)
        pieces.append("$" if name is None else _group(found, compiled, name))


def _name_at(template: str, dollar: int) -> tuple[str | None, int]:
    """The name behind a `$`, None if there is none, and where the text goes on."""
    following = template[dollar + 1 : dollar + 2]
    if following == "$":
        return None, dollar + 2
    braced = following == "{"
    start = dollar + 1 + braced
    end = start
    while end < len(template) and (template[end].isalnum() or template[end] == "_"):
        end += 1
    if end == start or (braced and template[end : end + 1] != "}"):
        return None, dollar + 1
    return template[start:end], end + braced


def _group(found: Any, compiled: Any, name: str) -> str:
    index = int(name) if name.isdecimal() else compiled.groupindex.get(name, -1)
    return (found.group(index) or "") if 0 <= index <= compiled.groups else ""
