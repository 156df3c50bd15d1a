"""OPA's sprintf: Go's formatting of integers, floats and strings; everything else is the text of its Rego."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from understudy.rules.evaluate.functions import HostError
from understudy.rules.evaluate.regorus_tree import dotted, literal_text
from understudy.rules.evaluate.regorus_variables import Node

_VERB = re.compile(
    r"%(?P<flags>[-+# 0]*)(?P<width>(?:\[\d+\])?\*|\d+)?(?:(?P<dot>\.)(?P<precision>(?:\[\d+\])?\*|\d+)?)?"
    r"(?P<index>\[\d+\])?(?P<verb>.)?",
    re.DOTALL,
)
_SIMPLE_VERB = re.compile(r"%(.?)", re.DOTALL)
_GIVES_TEXT = frozenset(
    {"concat", "format_int", "lower", "upper", "replace", "substring", "trim", "trim_left", "trim_right"}
    | {"trim_prefix", "trim_suffix", "trim_space", "json.marshal", "base64.encode", "type_name"}
)
_WIDEST = 10_000
_BASES = {"b": "b", "o": "o", "O": "o", "x": "x", "X": "X"}


def is_plain(arguments: Sequence[Node]) -> bool:
    """Whether the engine's own sprintf is sure to do here what Go's does; it is faster.

    >>> text = {"String": {"value": "%v of %d"}}
    >>> count = {"Call": {"fcn": {"Var": {"value": "count"}}}}
    >>> is_plain([text, {"Array": {"items": [count, count]}}])
    True
    >>> is_plain([text, {"Array": {"items": [{"Var": {"value": "x"}}, count]}}])
    False
    """
    template = literal_text(arguments[0]) if len(arguments) == 2 else None
    if template is None or "Array" not in arguments[1]:
        return False
    verbs = [verb for verb in _SIMPLE_VERB.findall(template) if verb != "%"]
    items = arguments[1]["Array"]["items"]
    return len(verbs) == len(items) and all(
        _suits(verb, item) for verb, item in zip(verbs, items, strict=True)
    )


def _suits(verb: str, item: Node) -> bool:
    called = dotted(item["Call"]["fcn"]) if "Call" in item else ""
    is_integer = called == "count" or ("Number" in item and isinstance(item["Number"]["value"], int))
    is_text = called in _GIVES_TEXT or literal_text(item) is not None
    return (is_integer and verb in ("d", "v")) or (is_text and verb in ("s", "v"))


def sprintf(template: str, values: Sequence[Any]) -> str:
    """Format as OPA does.

    >>> sprintf("%5.2f|%-4d|%q|%v", [3.14159, 7, "a", {"k": [1, None]}])
    ' 3.14|7   |"a"|{"k": [1, null]}'
    >>> sprintf("%d %s", ["a"])
    '%!d(string=a) %!s(MISSING)'
    """
    if not isinstance(template, str) or not isinstance(values, list | tuple):
        raise HostError("sprintf: operand 1 must be string and operand 2 must be array")
    return _format(template, [value if _is_direct(value) else rego_text(value) for value in values])


def sprintf_typed(template: str, typed: Sequence[tuple[str, str]]) -> str:
    """Format values that are given as the name of their type and their text.

    >>> sprintf_typed("%d %v", [("number", "7"), ("set", "{{1}}")])
    '7 {{1}}'
    """
    return _format(template, [_number(text) if kind == "number" else text for kind, text in typed])


def rego_text(value: Any) -> str:
    """A value as Rego writes it.

    >>> rego_text({"b": [True, None], "a": {2, 1}}), rego_text(set())
    ('{"a": {1, 2}, "b": [true, null]}', 'set()')
    """
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e21 else _shortest(value, 21)
    if isinstance(value, str):
        return _json_text(value)
    if isinstance(value, dict):
        pairs = sorted(value.items(), key=lambda pair: _order(pair[0]))
        return "{" + ", ".join(f"{rego_text(key)}: {rego_text(item)}" for key, item in pairs) + "}"
    if isinstance(value, set | frozenset):
        return "{" + ", ".join(map(rego_text, sorted(value, key=_order))) + "}" if value else "set()"
    return "[" + ", ".join(map(rego_text, value)) + "]"


def _json_text(value: str) -> str:
    import json

    return json.dumps(value, ensure_ascii=False)


def _order(value: Any) -> tuple[int, Any]:
    if value is None:
        return 0, 0
    if isinstance(value, bool):
        return 1, value
    if isinstance(value, int | float):
        return 2, value
    if isinstance(value, str):
        return 3, value
    return (4, tuple(map(_order, value))) if isinstance(value, list | tuple) else (5, rego_text(value))


def _is_direct(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _number(text: str) -> int | float:
    return int(text) if text.lstrip("-").isdecimal() else float(text)


class _Piece(NamedTuple):
    literal: str
    flags: str
    width: str
    precision: str | None
    turn: int | None
    verb: str | None


@lru_cache(maxsize=512)
def _pieces(template: str) -> tuple[tuple[_Piece, ...], str]:
    pieces, position = [], 0
    for found in _VERB.finditer(template):
        precision = (found["precision"] or "0") if found["dot"] else None
        index = int(found["index"][1:-1]) if found["index"] else None
        literal = template[position : found.start()]
        pieces.append(
            _Piece(literal, found["flags"], found["width"] or "", precision, index, found["verb"] or "")
        )
        position = found.end()
    return tuple(pieces), template[position:]


class _Arguments:
    """The values in their turn; an index (`%[2]d`) says which is next, and ends the complaint about extra ones."""

    def __init__(self, values: Sequence[Any]) -> None:
        self._values = values
        self._next = 0
        self._reordered = False

    def turn_to(self, index: int) -> bool:
        self._reordered = True
        self._next = index - 1
        return 0 < index <= len(self._values)

    def take(self) -> tuple[bool, Any]:
        self._next += 1
        return (True, self._values[self._next - 1]) if self._next <= len(self._values) else (False, None)

    def measure(self, text: str) -> tuple[int | None, str]:
        """A width or precision, which may be an argument of its own (`*`), and what to complain about it."""
        if not text.endswith("*"):
            return min(int(text), _WIDEST), ""
        if text.startswith("["):
            self.turn_to(int(text[1:-2]))
        there, value = self.take()
        if not there or not isinstance(value, int):
            return None, "bad"
        return max(-_WIDEST, min(value, _WIDEST)), ""

    def extra(self) -> str:
        if self._reordered or self._next >= len(self._values):
            return ""
        return f"%!(EXTRA {', '.join(f'{_type(v)}={_plain(v)}' for v in self._values[self._next :])})"


def _format(template: str, values: Sequence[Any]) -> str:
    pieces, rest = _pieces(template)
    arguments = _Arguments(values)
    written: list[str] = []
    for piece in pieces:
        written += (piece.literal, _piece(piece, arguments))
    return "".join([*written, rest, arguments.extra()])


def _piece(piece: _Piece, arguments: _Arguments) -> str:
    complaint = ""
    width: int | None = None
    precision: int | None = None
    flags = piece.flags
    if piece.width:
        width, bad = arguments.measure(piece.width)
        complaint += "%!(BADWIDTH)" if bad else ""
        if width is not None and width < 0:
            flags, width = flags + "-", -width
    if piece.precision is not None:
        precision, bad = arguments.measure(piece.precision)
        complaint += "%!(BADPREC)" if bad else ""
    if not piece.verb:
        return complaint + "%!(NOVERB)"
    if piece.verb == "%":
        return complaint + "%"
    if piece.turn is not None and not arguments.turn_to(piece.turn):
        return f"{complaint}%!{piece.verb}(BADINDEX)"
    there, value = arguments.take()
    if not there:
        return f"{complaint}%!{piece.verb}(MISSING)"
    return complaint + _value(piece.verb, value, flags, width, precision)


def _value(verb: str, value: Any, flags: str, width: int | None, precision: int | None) -> str:
    zeros = "0" in flags and "-" not in flags
    if verb == "T":
        text: str | None = _type(value)
    elif isinstance(value, str):
        text = _string(verb, value, flags, precision)
    elif isinstance(value, float):
        text = _float(verb, value, flags, precision)
    else:
        text = _integer(verb, value, flags, precision, width if zeros else None)
    if text is None:
        return f"%!{verb}({_type(value)}={_plain(value)})"
    if width is None or len(text) >= width:
        return text
    if "-" in flags:
        return text.ljust(width)
    if zeros:
        sign = text[:1] if text[:1] in "+-" and not isinstance(value, str) else ""
        return sign + text[len(sign) :].rjust(width - len(sign), "0")
    return text.rjust(width)


def _string(verb: str, value: str, flags: str, precision: int | None) -> str | None:
    if verb in "xX":
        data = value.encode()[: precision if precision is not None else None]
        separator = " " if " " in flags else ""
        text = data.hex(separator) if separator else data.hex()
        return text.upper() if verb == "X" else text
    cut = value if precision is None else value[:precision]
    if verb in "vs":
        return cut
    if verb == "q":
        return f"`{cut}`" if "#" in flags and "`" not in cut and cut.isprintable() else _quoted(cut)
    return None


def _integer(verb: str, value: int, flags: str, precision: int | None, zeros: int | None) -> str | None:
    sign = "-" if value < 0 else "+" if "+" in flags else " " if " " in flags else ""
    size = abs(value)
    if verb in "vd":
        digits = str(size)
    elif verb in _BASES:
        digits = format(size, _BASES[verb])
    elif verb == "c":
        return _character(value)
    elif verb == "q":
        return f"'{_character(value)}'"
    elif verb == "U":
        return f"U+{size:04X}"
    else:
        return None
    if precision is not None:
        digits = digits.rjust(precision, "0") if precision or value else ""
    prefix = {"x": "0x", "X": "0X", "o": "0", "b": "0b"}.get(verb, "") if "#" in flags else ""
    prefix = "0o" if verb == "O" else prefix
    if zeros is not None and precision is None:
        digits = digits.rjust(zeros - len(sign), "0")
    return sign + prefix + digits


def _character(code: int) -> str:
    is_one = 0 <= code < 0x110000 and not 0xD800 <= code < 0xE000
    return chr(code) if is_one else "\ufffd"


def _float(verb: str, value: float, flags: str, precision: int | None) -> str | None:
    if verb in "fF":
        text = f"{value:.{6 if precision is None else precision}f}"
    elif verb in "eE":
        text = f"{value:.{6 if precision is None else precision}{verb}}"
    elif verb in "vgG":
        text = _shortest(value, 6 if precision is None else None, precision)
        text = text.upper() if verb == "G" else text
    else:
        return None
    if not text.startswith("-"):
        text = ("+" if "+" in flags else " " if " " in flags else "") + text
    return text


def _shortest(value: float, threshold: int | None, precision: int | None = None) -> str:
    """Go's %g: as few digits as tell the number apart, and an exponent where it is long.

    With `threshold` None, `precision` digits are kept.
    """
    if precision is not None:
        return f"{value:.{precision or 1}g}"
    mantissa = f"{value!r}".partition("e")[0]
    power = int(f"{value:e}".rpartition("e")[2])
    digits = mantissa.lstrip("-").replace(".", "").lstrip("0").rstrip("0") or "0"
    if threshold is None or not (power < -4 or power >= threshold) or value == 0:
        return f"{value:.{max(len(digits) - power - 1, 0)}f}"
    sign = "-" if value < 0 else ""
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{fraction}e{'-' if power < 0 else '+'}{abs(power):02d}"


def _type(value: Any) -> str:
    if isinstance(value, str):
        return "string"
    if isinstance(value, float):
        return "float64"
    return "int" if -(1 << 63) <= value < 1 << 63 else "*big.Int"


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else _value("v", value, "", None, None)


def _quoted(text: str) -> str:
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\a": "\\a", "\b": "\\b"}
    escapes |= {"\f": "\\f", "\v": "\\v"}
    return '"' + "".join(escapes.get(c) or (c if c.isprintable() else _escaped(c)) for c in text) + '"'


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
