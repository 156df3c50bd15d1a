"""OPA's times where the engine reads them otherwise: layouts as Go has them, and dates that Go carries over."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from understudy.rules.evaluate.functions import HostError

_NAMED = {
    "ANSIC": "Mon Jan _2 15:04:05 2006",
    "UnixDate": "Mon Jan _2 15:04:05 MST 2006",
    "RubyDate": "Mon Jan 02 15:04:05 -0700 2006",
    "RFC822": "02 Jan 06 15:04 MST",
    "RFC822Z": "02 Jan 06 15:04 -0700",
    "RFC850": "Monday, 02-Jan-06 15:04:05 MST",
    "RFC1123": "Mon, 02 Jan 2006 15:04:05 MST",
    "RFC1123Z": "Mon, 02 Jan 2006 15:04:05 -0700",
    "RFC3339": "2006-01-02T15:04:05Z07:00",
    "RFC3339Nano": "2006-01-02T15:04:05.999999999Z07:00",
}
_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_ELEMENT = re.compile(
    r"January|Jan|Monday|Mon|MST|2006|__2|_2(?!006)|002|01|02|03|04|05|06|15|Z07:00:00|Z070000|Z07:00|Z0700|Z07"
    r"|-07:00:00|-070000|-07:00|-0700|-07|PM|pm|[.,](?:0+|9+)(?!\d)|[12345]"
)
_FRACTION = r"(?:[.,](?P<fraction>\d{1,9})\d*)?"


def _either(names: list[str], length: int | None = None) -> str:
    return "(?i:" + "|".join(name[:length] for name in names) + ")"


# What each element of a layout takes. A fraction may follow the seconds though the layout has none.
_TAKES = {
    "January": f"(?P<month_name>{_either(_MONTHS)})",
    "Jan": f"(?P<month_name>{_either(_MONTHS, 3)})",
    "Monday": _either(_DAYS),
    "Mon": _either(_DAYS, 3),
    "MST": r"(?P<zone>UTC|GMT(?:[+-]\d{1,2})?|[A-Z]{3,4}|[+-]\d{2})",
    "2006": r"(?P<year>\d{4})",
    "06": r"(?P<short_year>\d{2})",
    "01": r"(?P<month>\d{2})",
    "1": r"(?P<month>\d{1,2})",
    "02": r"(?P<day>\d{2})",
    "2": r"(?P<day>\d{1,2})",
    "_2": r" ?(?P<day>\d{1,2})",
    "002": r"(?P<day_of_year>\d{3})",
    "__2": r" {0,2}(?P<day_of_year>\d{1,3})",
    "15": r"(?P<hour>\d{1,2})",
    "03": r"(?P<hour>\d{2})",
    "3": r"(?P<hour>\d{1,2})",
    "04": r"(?P<minute>\d{2})",
    "4": r"(?P<minute>\d{1,2})",
    "05": r"(?P<second>\d{2})",
    "5": r"(?P<second>\d{1,2})",
    "PM": "(?P<half>AM|PM)",
    "pm": "(?P<half>am|pm)",
}
_OFFSETS = {
    "07:00:00": r"[+-]\d{2}:\d{2}:\d{2}",
    "070000": r"[+-]\d{6}",
    "07:00": r"[+-]\d{2}:\d{2}",
    "0700": r"[+-]\d{4}",
    "07": r"[+-]\d{2}",
}
_RFC3339 = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}:\d{2})")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def parse_ns(layout: str, value: str) -> int:
    """time.parse_ns

    >>> parse_ns("2006-01-02", "2024-01-02"), parse_ns("RFC1123", "Tue, 02 Jan 2024 03:04:05 GMT")
    (1704153600000000000, 1704164645000000000)
    """
    if not isinstance(layout, str) or not isinstance(value, str):
        raise HostError("time.parse_ns: operands must be strings")
    try:
        found = _pattern(_NAMED.get(layout, layout)).fullmatch(value)
    except re.error:  # an element that stands twice in the layout
        raise HostError(f'the layout "{layout}" cannot be read') from None
    if found is None:
        raise HostError(f'parsing time "{value}" as "{layout}": cannot parse it')
    return _nanoseconds(found.groupdict(), value)


def parse_rfc3339_ns(value: str) -> int:
    """time.parse_rfc3339_ns

    >>> parse_rfc3339_ns("2024-01-02T05:04:05.5+02:00")
    1704164645500000000
    """
    if not isinstance(value, str) or not _RFC3339.fullmatch(value):
        raise HostError(f'parsing time "{value}" as "{_NAMED["RFC3339"]}": cannot parse it')
    return parse_ns("RFC3339", value)


def format_time(nanoseconds: int, offset: str, zone: str, layout: str) -> str:
    """time.format with a layout, of a time in a zone that is so far from UTC.

    >>> format_time(1704164645120000000, "+09:00", "Asia/Tokyo", "Mon Jan _2 3:04:05.000pm 2006 Z07:00")
    'Tue Jan  2 12:04:05.120pm 2024 +09:00'
    """
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    try:
        moment = _EPOCH + timedelta(seconds=seconds) + _offset({"offset": offset})
    except (OverflowError, ValueError):
        raise HostError("time outside of valid range") from None
    layout = _NAMED.get(layout, layout)
    pieces, position = [], 0
    for found in _ELEMENT.finditer(layout):
        pieces.append(layout[position : found.start()])
        pieces.append(_written(found[0], moment, rest, offset, zone))
        position = found.end()
    return "".join([*pieces, layout[position:]])


def add_date(nanoseconds: int, years: int, months: int, days: int) -> int:
    """time.add_date of a time in UTC: what is beyond the end of a month is carried over to the next.

    >>> add_date(1706659200000000000, 0, 1, 0) == parse_ns("2006-01-02", "2024-03-02")
    True
    """
    given = (nanoseconds, years, months, days)
    if any(isinstance(number, bool) or not isinstance(number, int) for number in given):
        raise HostError("time.add_date: operands must be integer numbers")
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    try:
        moment = _EPOCH + timedelta(seconds=seconds)
        year, month = divmod(moment.year * 12 + moment.month - 1 + years * 12 + months, 12)
        first = moment.replace(year=year, month=month + 1, day=1)
        return _in_range(first + timedelta(days=moment.day - 1 + days), rest)
    except (OverflowError, ValueError):
        raise HostError("time outside of valid range") from None


@lru_cache(maxsize=128)
def _pattern(layout: str) -> re.Pattern[str]:
    pattern, position = "", 0
    for found in _ELEMENT.finditer(layout):
        element = found[0]
        pattern += re.escape(layout[position : found.start()])
        position = found.end()
        if element[0] in ".,":
            taken = _FRACTION if element[1] == "9" else rf"[.,](?P<fraction>\d{{{len(element) - 1}}})"
            if "(?P<fraction>" in pattern:  # the one that may follow the seconds
                pattern = pattern.replace(_FRACTION, "")
        elif element[0] in "Z-":
            offset = f"(?P<offset>{_OFFSETS[element[1:]]})"
            taken = f"(?:Z|{offset})" if element[0] == "Z" else offset
        else:
            taken = _TAKES[element] + (_FRACTION if element in ("05", "5") else "")
        pattern += taken
    return re.compile(pattern + re.escape(layout[position:]))


def _nanoseconds(parts: dict[str, str | None], value: str) -> int:
    number = {name: int(text) for name, text in parts.items() if text and text.isdecimal()}
    year = number.get("year", 0)
    if "short_year" in number:
        year = number["short_year"] + (1900 if number["short_year"] >= 69 else 2000)
    month = number.get("month", 1)
    name = parts.get("month_name")
    if name:
        month = 1 + next(index for index, full in enumerate(_MONTHS) if full[:3].lower() == name[:3].lower())
    hour = number.get("hour", 0)
    half = (parts.get("half") or "").upper()
    if half:
        hour = hour % 12 + (12 if half == "PM" else 0)
    try:
        moment = datetime(year, month, number.get("day", 1), hour, number.get("minute", 0), tzinfo=UTC)
        moment = moment.replace(second=number.get("second", 0))
        if "day_of_year" in number:
            moment = moment.replace(month=1, day=1) + timedelta(days=number["day_of_year"] - 1)
        moment -= _offset(parts)
        return _in_range(moment, int((parts.get("fraction") or "0").ljust(9, "0")))
    except (OverflowError, ValueError):
        raise HostError(f'parsing time "{value}": a part is out of range') from None


def _written(element: str, moment: datetime, rest: int, offset: str, zone: str) -> str:
    if element[0] in ".,":
        digits = f"{rest:09d}"[: len(element) - 1]
        digits = digits.rstrip("0") if element[1] == "9" else digits
        return element[0] + digits if digits else ""
    if element[0] in "Z-":
        if element[0] == "Z" and offset == "+00:00":
            return "Z"
        full = f"{offset}:00"
        shown = {"07:00:00": full, "070000": full.replace(":", ""), "07:00": offset, "07": offset[:3]}
        return shown.get(element[1:], offset.replace(":", ""))
    of_year = moment.timetuple().tm_yday
    twelve = moment.hour % 12 or 12
    written = {
        "January": _MONTHS[moment.month - 1],
        "Jan": _MONTHS[moment.month - 1][:3],
        "Monday": _DAYS[moment.weekday()],
        "Mon": _DAYS[moment.weekday()][:3],
        "MST": "UTC" if zone in ("", "UTC") else _abbreviation(moment, offset, zone),
        "2006": f"{moment.year:04d}",
        "06": f"{moment.year % 100:02d}",
        "01": f"{moment.month:02d}",
        "1": f"{moment.month}",
        "02": f"{moment.day:02d}",
        "2": f"{moment.day}",
        "_2": f"{moment.day:2d}",
        "002": f"{of_year:03d}",
        "__2": f"{of_year:3d}",
        "15": f"{moment.hour:02d}",
        "03": f"{twelve:02d}",
        "3": f"{twelve}",
        "04": f"{moment.minute:02d}",
        "4": f"{moment.minute}",
        "05": f"{moment.second:02d}",
        "5": f"{moment.second}",
        "PM": "AM" if moment.hour < 12 else "PM",
        "pm": "am" if moment.hour < 12 else "pm",
    }
    return written[element]


def _abbreviation(moment: datetime, offset: str, zone: str) -> str:
    import zoneinfo

    try:
        name = moment.replace(tzinfo=zoneinfo.ZoneInfo(zone)).tzname()
    except (zoneinfo.ZoneInfoNotFoundError, ValueError):
        name = None
    return name or offset.replace(":", "")


def _offset(parts: dict[str, Any]) -> timedelta:
    """How far a time is from UTC. An abbreviation of a zone says nothing of it, as in Go."""
    text = parts.get("offset") or (parts.get("zone") or "").removeprefix("GMT")
    if text[:1] not in ("+", "-") or not text:
        return timedelta()
    digits = text[1:].replace(":", "")
    hours, minutes, seconds = (int(digits[start : start + 2] or 0) for start in (0, 2, 4))
    if hours > 24 or minutes > 59 or seconds > 59:
        raise ValueError(text)
    return timedelta(hours=hours, minutes=minutes, seconds=seconds) * (-1 if text[0] == "-" else 1)


def _in_range(moment: datetime, nanoseconds: int) -> int:
    total = (moment - _EPOCH) // timedelta(seconds=1) * 1_000_000_000 + nanoseconds
    if not -(1 << 63) <= total < 1 << 63:
        raise HostError("time outside of valid range")
    return total
