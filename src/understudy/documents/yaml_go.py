"""What a scalar of a YAML file means to Go's yaml.v3, and what Go writes for it as JSON."""

from __future__ import annotations

import base64
import binascii
import math
import re
from datetime import datetime, timedelta, timezone
from typing import Any

from understudy.documents.yaml_scalars import NotMeaningful, short_tag

_STANDARD = "tag:yaml.org,2002:"
_KNOWN: dict[str, tuple[str, Any]] = {
    **dict.fromkeys(("true", "True", "TRUE"), ("bool", True)),
    **dict.fromkeys(("false", "False", "FALSE"), ("bool", False)),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), ("null", None)),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), ("float", math.nan)),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), ("float", math.inf)),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), ("float", -math.inf)),
}
_RESOLVED = ("str", "bool", "int", "float", "null", "timestamp")
_INTEGER = re.compile(
    r"(?P<sign>[+-]?)(?:0[xX](?P<hex>[0-9a-fA-F]+)|0[bB](?P<bin>[01]+)|0[oO]?(?P<oct>[0-7]+)|(?P<dec>0|[1-9][0-9]*))"
)
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_DATE = re.compile(
    r"(?P<year>[0-9]{4})-(?P<month>[0-9]{1,2})-(?P<day>[0-9]{1,2})"
    r"(?:(?P<between>[Tt ])(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{1,2}):(?P<second>[0-9]{1,2})"
    r"(?:\.(?P<fraction>[0-9]{1,9}))?(?P<zone>Z|[+-][0-9]{2}:[0-9]{2})?)?"
)
_NUMBER_LIMIT = 1_000


def go_scalar(text: str, tag: str | None, *, is_plain: bool) -> tuple[str, Any]:
    """The kind and the value of a scalar; `tag` is the one that was written, and is_plain is without quotes.

    `on`, `off`, `yes` and `no` are text; a date is the text that Go's time.Time is as JSON. Tags that YAML does
    not know leave the text as it is, and are the kind. Raises NotMeaningful.

    >>> go_scalar("on", None, is_plain=True), go_scalar("0o17", None, is_plain=True)
    (('str', 'on'), ('int', 15))
    >>> go_scalar("2026-01-02", None, is_plain=True)
    ('timestamp', '2026-01-02T00:00:00Z')
    """
    kind = "" if tag is None or tag == "!" else tag.removeprefix(_STANDARD)
    if kind == "str" or (not kind and not is_plain):
        return "str", text
    if kind == "binary":
        return kind, _decoded(text)
    if kind and (kind not in _RESOLVED or not (tag or "").startswith(_STANDARD)):
        return kind, text
    found, value = _resolved(text, may_be_date=kind in ("", "timestamp"))
    if kind == "float" and found == "int":
        found, value = kind, float(value)
    if kind and found != kind:
        message = f"{short_tag(tag or '')} does not fit the text {text[:40]!r}"
        raise NotMeaningful(message, "write the value without a tag")
    if found == "float":
        value = _json_number(text, value)
    return found, value


def _resolved(text: str, *, may_be_date: bool) -> tuple[str, Any]:
    known = _KNOWN.get(text)
    if known is not None:
        return known
    first = text[0]
    if first == ".":
        return _float(text, text)
    if first not in "+-0123456789":
        return "str", text
    if may_be_date:
        date = _timestamp(text)
        if date:
            return "timestamp", date
    plain = text.replace("_", "")
    found = _INTEGER.fullmatch(plain) if len(plain) <= _NUMBER_LIMIT else None
    if found is not None:
        number = _integer(found)
        if -(1 << 63) <= number < (1 << 64):
            return "int", number
    return _float(plain, text)


def _integer(found: re.Match[str]) -> int:
    bases = (("hex", 16), ("bin", 2), ("oct", 8), ("dec", 10))
    number = next(int(found[name], base) for name, base in bases if found[name] is not None)
    return -number if found["sign"] == "-" else number


def _float(plain: str, text: str) -> tuple[str, Any]:
    if len(plain) <= _NUMBER_LIMIT and _FLOAT.fullmatch(plain):
        number = float(plain)
        # A number that is too large for Go's float64 is text.
        if math.isfinite(number):
            return "float", number
    return "str", text


def _json_number(text: str, number: float) -> int | float:
    if not math.isfinite(number):
        raise NotMeaningful(f"{text} has no form in JSON", "write a number, or quote it to mean text")
    # Go writes a whole number without a fraction.
    return int(number) if number.is_integer() and abs(number) < 1e15 else number


def _timestamp(text: str) -> str:
    """The time as Go's time.Time is written to JSON; '' if the text is none."""
    found = _DATE.fullmatch(text)
    if found is None or (found["zone"] is None) != (found["between"] in (None, " ")):
        return ""
    zone, offset = found["zone"] or "Z", timedelta(0)
    if zone != "Z":
        hours, minutes = int(zone[1:3]), int(zone[4:6])
        if hours > 23 or minutes > 59:
            return ""
        offset = timedelta(hours=hours, minutes=minutes) * (-1 if zone[0] == "-" else 1)
    year, month, day = (int(found[name]) for name in ("year", "month", "day"))
    hour, minute, second = (int(found[name] or 0) for name in ("hour", "minute", "second"))
    try:
        # Python has no year 0, which is a leap year as 4 is.
        moment = datetime(year or 4, month, day, hour, minute, second, tzinfo=timezone(offset))
    except ValueError:
        return ""
    written = f"{year:04d}{moment.isoformat()[4:19]}"
    fraction = (found["fraction"] or "").rstrip("0")
    return written + (f".{fraction}" if fraction else "") + (zone if offset else "Z")


def _decoded(text: str) -> str:
    try:
        data = base64.b64decode(text.replace("\r", "").replace("\n", ""), validate=True)
    except (binascii.Error, ValueError):
        raise NotMeaningful("!!binary holds text that is no base64", "correct it") from None
    return data.decode("utf-8", "replace")
