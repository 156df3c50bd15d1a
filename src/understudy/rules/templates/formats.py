"""Go's Printf: verbs, flags, width, precision and argument indexes, with its notes on what does not fit."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from understudy.rules.templates.faults import FunctionFault
from understudy.rules.templates.printing import NIL, printed, shortest_float
from understudy.rules.templates.values import type_name

_DIRECTIVE = re.compile(
    r"%(?P<flags>[-+# 0]*)(?P<index>\[[^\]]*\])?(?P<width>\*|[0-9]+)?"
    r"(?:(?P<point>\.)(?P<precision_index>\[[^\]]*\])?(?P<precision>\*|[0-9]+)?)?(?P<last_index>\[[^\]]*\])?(?P<verb>.)?",
    re.DOTALL,
)
_WIDEST = 1_000_000
_DEPTH = 100


@dataclass(frozen=True, slots=True)
class _Style:
    verb: str
    minus: bool = False
    plus: bool = False
    sharp: bool = False
    blank: bool = False
    zero: bool = False
    width: int = 0
    precision: int | None = None


def formatted(pattern: str, values: Sequence[Any], limit: int) -> str:
    """What Go's Sprintf gives; FunctionFault if that is longer than `limit`.

    >>> formatted("%s has %03d of %5.2f, %q", ["a", 7, 1.5, "b"], 1000)
    'a has 007 of  1.50, "b"'
    >>> formatted("%d %s", ["x"], 1000)
    '%!d(string=x) %!s(MISSING)'
    """
    return _Formatter(pattern, values, limit).run()


class _Formatter:
    def __init__(self, pattern: str, values: Sequence[Any], limit: int) -> None:
        self.pattern = pattern
        self.values = values
        self.limit = limit
        self.next = 0
        self.reordered = False
        self.well_indexed = True

    def run(self) -> str:
        pieces: list[str] = []
        size = position = 0
        for found in _DIRECTIVE.finditer(self.pattern):
            pieces.append(self.pattern[position : found.start()])
            position = found.end()
            pieces.append(self._directive(found))
            size += len(pieces[-1]) + len(pieces[-2])
            if size > self.limit:
                raise FunctionFault("exceeded size limit", "print less at once")
        pieces.append(self.pattern[position:])
        if not self.reordered and self.next < len(self.values):
            extra = ", ".join(
                NIL if value is None else f"{type_name(value)}={printed(value)}"
                for value in self.values[self.next :]
            )
            pieces.append(f"%!(EXTRA {extra})")
        return "".join(pieces)

    def _directive(self, found: re.Match[str]) -> str:
        verb = found["verb"]
        if not verb:
            return "%!(NOVERB)"
        flags, notes = found["flags"], ""
        self.well_indexed = True
        self._index(found["index"])
        minus, zero = "-" in flags, "0" in flags
        width, bad = self._measure(found["width"])
        if bad:
            notes += "%!(BADWIDTH)"
        if width is not None and width < 0:
            minus, width = True, -width
        self._index(found["precision_index"])
        precision: int | None = None
        if found["point"]:
            precision, bad = self._measure(found["precision"], missing=0)
            if bad or (precision is not None and precision < 0):
                precision = None
                notes += "%!(BADPREC)"
        self._index(found["last_index"])
        if verb == "%":
            return notes + "%"
        if not self.well_indexed:
            return f"{notes}%!{verb}(BADINDEX)"
        if self.next >= len(self.values):
            return f"{notes}%!{verb}(MISSING)"
        value = self.values[self.next]
        self.next += 1
        plus = "+" in flags and verb != "v"  # %+v names the fields of structs
        style = _Style(
            verb, minus, plus, "#" in flags, " " in flags, zero and not minus, width or 0, precision
        )
        return notes + _directed(value, style)

    def _index(self, text: str | None) -> None:
        if text is None:
            return
        self.reordered = True
        number = text[1:-1]
        if number.isascii() and number.isdigit() and len(number) < 8 and 1 <= int(number) <= len(self.values):
            self.next = int(number) - 1
        else:
            self.well_indexed = False

    def _measure(self, text: str | None, missing: int | None = None) -> tuple[int | None, bool]:
        """A width or precision, and whether it is none that can be."""
        if text is None:
            return missing, False
        if text != "*":
            number = int(text) if len(text) < 9 else _WIDEST + 1
            return (number, False) if number <= _WIDEST else (None, True)
        value = self.values[self.next] if self.next < len(self.values) else None
        self.next += 1
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _WIDEST:
            return value, False
        return None, True


def _directed(value: Any, style: _Style) -> str:
    if style.verb == "T":
        return _padded(type_name(value), replace(style, verb="s"))
    if style.verb == "p":
        return _bad(value, style)
    if value is None:
        return _padded(NIL, style) if style.verb == "v" else f"%!{style.verb}({NIL})"
    return _any(value, style, _DEPTH)


def _any(value: Any, style: _Style, depth: int) -> str:
    if not depth:
        return "…"
    if value is None:
        return "interface {}(nil)" if style.verb == "v" and style.sharp else NIL
    if isinstance(value, bool):
        return _padded(printed(value), style) if style.verb in "tv" else _bad(value, style)
    if isinstance(value, int):
        return _integer(value, style)
    if isinstance(value, float):
        return _float(value, style)
    if isinstance(value, str):
        return _string(value, style)
    detailed = style.verb == "v" and style.sharp
    if isinstance(value, Mapping):
        entries = [
            f"{_any(key, style, depth - 1)}:{_any(value[key], style, depth - 1)}"
            for key in sorted(value, key=str)
        ]
        return (
            f"map[string]interface {{}}{{{', '.join(entries)}}}" if detailed else f"map[{' '.join(entries)}]"
        )
    if isinstance(value, list | tuple):
        items = [_any(item, style, depth - 1) for item in value]
        return f"[]interface {{}}{{{', '.join(items)}}}" if detailed else f"[{' '.join(items)}]"
    return _padded(printed(value), style) if style.verb in "vs" else _bad(value, style)


def _integer(value: int, style: _Style) -> str:
    verb = style.verb
    if verb in "vdboOxX":
        digits = {"b": "b", "o": "o", "O": "o", "x": "x", "X": "X"}.get(verb, "d")
        text = format(abs(value), digits)
        if style.precision is not None:
            text = "" if style.precision == 0 and value == 0 else text.rjust(style.precision, "0")
        prefix = {"x": "0x", "X": "0X", "o": "0", "b": "0b"}.get(verb, "") if style.sharp else ""
        prefix = "0o" if verb == "O" else prefix
        sign = "-" if value < 0 else "+" if style.plus else " " if style.blank else ""
        if style.zero and style.precision is None:
            text = text.rjust(style.width - len(sign) - len(prefix), "0")
        return _padded(sign + prefix + text, replace(style, zero=False, precision=None))
    if verb in "cqU":
        known = 0 <= value <= 0x10FFFF and not 0xD800 <= value <= 0xDFFF
        character = chr(value) if known else "�"
        plain = replace(style, zero=False, precision=None)
        if verb == "c":
            return _padded(character, plain)
        if verb == "U":
            return _padded(f"U+{value:04X}" + (f" '{character}'" if style.sharp else ""), plain)
        return _padded(f"'{quoted(character, chr(39))[1:-1]}'", plain)
    return _bad(value, style)


def _float(value: float, style: _Style) -> str:
    verb = {"v": "g", "F": "f"}.get(style.verb, style.verb)
    if verb not in "eEfgG":
        return _bad(value, style)
    if value != value or value in (float("inf"), float("-inf")):
        text = shortest_float(value).removeprefix("+")
        style = replace(style, zero=False)
    elif verb in "gG" and style.precision is None:
        text = shortest_float(value, upper=verb == "G")
    else:
        text = format(value, f".{6 if style.precision is None else style.precision}{verb}")
    sign = "-" if text.startswith("-") else "+" if style.plus else " " if style.blank else ""
    if value == float("inf") and style.verb == "v" and not sign:
        sign = "+"
    text = text.removeprefix("-")
    if style.zero:
        text = text.rjust(style.width - len(sign), "0")
    return _padded(sign + text, replace(style, zero=False, precision=None))


def _string(value: str, style: _Style) -> str:
    verb = style.verb
    if verb in "vs" and not (verb == "v" and style.sharp):
        return _padded(value if style.precision is None else value[: style.precision], style)
    if verb in "qv":
        cut = value if style.precision is None else value[: style.precision]
        if verb == "q" and style.sharp and "`" not in cut and all(c >= " " or c == "\t" for c in cut):
            return _padded(f"`{cut}`", style)
        return _padded(quoted(cut, ascii_only=style.plus), style)
    if verb in "xX":
        data = value.encode("utf-8", "surrogatepass")[: style.precision]
        separator = " " if style.blank else ""
        prefix = ("0" + verb) if style.sharp else ""
        pairs = [f"{byte:02{verb}}" for byte in data]
        if style.blank:
            pairs = [prefix + pair for pair in pairs]
            prefix = ""
        return _padded((prefix if pairs else "") + separator.join(pairs), style)
    return _bad(value, style)


def quoted(text: str, quote: str = '"', *, ascii_only: bool = False) -> str:
    """A string as Go's strconv.Quote writes it.

    >>> quoted('say "é"\\n')
    '"say \\\\"é\\\\"\\\\n"'
    """
    short = {
        "\a": "\\a",
        "\b": "\\b",
        "\f": "\\f",
        "\n": "\\n",
        "\r": "\\r",
        "\t": "\\t",
        "\v": "\\v",
        "\\": "\\\\",
    }
    pieces = [quote]
    for character in text:
        code = ord(character)
        if character == quote:
            pieces.append("\\" + quote)
        elif character in short:
            pieces.append(short[character])
        elif (character.isprintable() or character == " ") and (code < 0x7F or not ascii_only):
            pieces.append(character)
        elif code < 0x80:
            pieces.append(f"\\x{code:02x}")
        else:
            pieces.append(f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")
    pieces.append(quote)
    return "".join(pieces)


def _padded(text: str, style: _Style) -> str:
    if len(text) >= style.width:
        return text
    if style.minus:
        return text.ljust(style.width)
    return text.rjust(style.width, "0" if style.zero and style.verb not in "tTU" else " ")


def _bad(value: Any, style: _Style) -> str:
    shown = _any(value, replace(style, verb="v", sharp=False), _DEPTH)  # with its width, as in Go
    return f"%!{style.verb}({type_name(value)}={shown})"
