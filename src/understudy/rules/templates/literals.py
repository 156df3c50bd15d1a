"""The literals of Go: numbers, characters and strings, from how they are written to their values."""

from __future__ import annotations

import re

from understudy.rules.templates.faults import TemplateFault

_INTEGER = re.compile(
    r"(?P<sign>[+-]?)(?:0[xX](?P<hex>(?:_?[0-9a-fA-F])+)|0[bB](?P<binary>(?:_?[01])+)|0[oO](?P<octal>(?:_?[0-7])+)"
    r"|0(?P<old_octal>(?:_?[0-7])+)|(?P<decimal>0|[1-9](?:_?[0-9])*))"
)
_FLOAT = re.compile(
    r"[+-]?(?:[0-9](?:_?[0-9])*\.?(?:[0-9](?:_?[0-9])*)?|\.[0-9](?:_?[0-9])*)(?:[eE][+-]?[0-9]+)?"
)
_HEX_FLOAT = re.compile(r"[+-]?0[xX][0-9a-fA-F_]*\.?[0-9a-fA-F_]*[pP][+-]?[0-9]+")
_BAD_OCTAL = re.compile(r"[+-]?0[0-9_]+")
_BASES = {"hex": 16, "binary": 2, "octal": 8, "old_octal": 8, "decimal": 10}
_SMALLEST, _LARGEST = -(1 << 63), (1 << 63) - 1
_ESCAPE = re.compile(
    r"\\(?:(?P<short>[abfnrtv\\'\"])|x(?P<byte>[0-9a-fA-F]{2})|(?P<octal>[0-7]{3})"
    r"|u(?P<four>[0-9a-fA-F]{4})|U(?P<eight>[0-9a-fA-F]{8})|(?P<bad>.?))",
    re.DOTALL,
)
_SHORT = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\", "'": "'", '"': '"',
}  # fmt: skip


def number(text: str, offset: int) -> int | float:
    """The value of a number as Go reads it.

    >>> number("0x1_F", 0), number("017", 0), number("1e3", 0), number("-2", 0)
    (31, 15, 1000.0, -2)
    """
    if found := _INTEGER.fullmatch(text):
        kind = found.lastgroup or "decimal"
        value = int(found[kind].replace("_", ""), _BASES[kind]) if len(text) < 100 else _LARGEST + 1
        value = -value if found["sign"] == "-" else value
        if not _SMALLEST <= value <= _LARGEST:
            raise TemplateFault(f"{text[:40]} overflows int", offset, hint="integers have 64 bits")
        return value
    if _BAD_OCTAL.fullmatch(text):
        hint = "a number that begins with 0 is octal"
        raise TemplateFault(f'illegal number syntax: "{text[:40]}"', offset, hint=hint)
    if _HEX_FLOAT.fullmatch(text):
        return float.fromhex(text.replace("_", ""))
    if _FLOAT.fullmatch(text):
        value_as_float = float(text.replace("_", ""))
        if value_as_float in (float("inf"), float("-inf")):
            raise TemplateFault(f"number too large: {text[:40]}", offset, hint="correct the number")
        return value_as_float
    if text.endswith("i"):
        raise TemplateFault(
            f"complex number: {text}", offset, hint="a rule has no use for it: remove the 'i'"
        )
    raise TemplateFault(f'illegal number syntax: "{text}"', offset, hint="correct the number")


def character(text: str, offset: int) -> int:
    """The code of a character constant, which is a number in Go.

    >>> character("'a'", 0), character(r"'\\n'", 0)
    (97, 10)
    """
    value = _unescaped(text[1:-1], "'", offset)
    if len(value) != 1:
        raise TemplateFault(f"malformed character constant: {text}", offset, hint="one character in ''")
    return ord(value)


def string(text: str, offset: int) -> str:
    """The value of a string in double quotes or, raw, in backquotes.

    >>> string(r'"a\\tb"', 0), string(r"`a\\tb`", 0)
    ('a\\tb', 'a\\\\tb')
    """
    if text.startswith("`"):
        return text[1:-1].replace("\r", "")
    return _unescaped(text[1:-1], '"', offset)


def _unescaped(text: str, quote: str, offset: int) -> str:
    if "\\" not in text:
        return text
    pieces: list[str] = []
    position = 0
    for found in _ESCAPE.finditer(text):
        pieces.append(text[position : found.start()])
        position = found.end()
        pieces.append(_escaped(found, quote, offset))
    pieces.append(text[position:])
    joined = "".join(pieces)
    # \xNN writes a byte: those that make up characters together are read as UTF-8.
    return joined.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _escaped(found: re.Match[str], quote: str, offset: int) -> str:
    if short := found["short"]:
        if short not in (quote, "'", '"') or short == quote:
            return _SHORT[short]
    elif code := found["four"] or found["eight"]:
        value = int(code, 16)
        if value <= 0x10FFFF and not 0xD800 <= value <= 0xDFFF:
            return chr(value)
    elif found["byte"] or found["octal"]:
        value = int(found["byte"], 16) if found["byte"] else int(found["octal"], 8)
        if value <= 0xFF:
            one_character = quote == "'" or value < 0x80
            return chr(value) if one_character else bytes([value]).decode("utf-8", "surrogateescape")
    message = f"invalid syntax: the escape {found[0]} is unknown"
    raise TemplateFault(message, offset, hint="use a raw string in backquotes, or double the backslash")
