"""What a TAXII request asks for in its query: read strictly, as a filter that is not understood filters nothing."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl

from understudy.core.brief import brief
from understudy.core.nearness import closest_name
from understudy.simulation.taxii.errors import TaxiiError
from understudy.simulation.taxii.media import SPEC_VERSIONS

PAGING = ("added_after", "limit", "next")
LISTING = (*PAGING, "match[id]", "match[type]", "match[version]", "match[spec_version]")
OBJECT = (*PAGING, "match[version]", "match[spec_version]")
VERSIONS = (*PAGING, "match[spec_version]")
DELETING = ("match[version]", "match[spec_version]")

VERSION_WORDS = ("first", "last", "all")

_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z", re.ASCII)
_FIELDS = 100


@dataclass(frozen=True, slots=True)
class Query:
    """A query that was understood. Empty means: not asked for."""

    ids: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    spec_versions: tuple[str, ...] = ()
    added_after: datetime | None = None
    limit: int | None = None
    next: str = ""

    def filters(self) -> dict[str, Any]:
        """What narrows the objects, in the names of a connector's filters."""
        asked = {"id": self.ids, "type": self.types, "spec_version": self.spec_versions}
        return {name: list(values) for name, values in asked.items() if values}


def read_query(text: str, allowed: Collection[str]) -> Query:
    """The query of a URL. Raises TaxiiError 400 for anything that is unknown, given twice, empty or malformed.

    >>> read_query("match[type]=indicator,malware&limit=10", LISTING).types
    ('indicator', 'malware')
    """
    given: dict[str, str] = {}
    for name, value in _pairs(text):
        if name not in allowed:
            raise _unknown(name, allowed)
        if name in given:
            raise _wrong(f"{name} is given twice", "give it once, with its values joined by commas")
        if not value:
            raise _wrong(f"{name} is empty", "leave it out, or give a value")
        given[name] = value
    return Query(
        ids=_values(given, "match[id]"),
        types=_values(given, "match[type]"),
        versions=_versions(given),
        spec_versions=_spec_versions(given),
        added_after=_added_after(given),
        limit=_limit(given),
        next=given.get("next", ""),
    )


def read_timestamp(text: str) -> datetime | None:
    """The moment of a timestamp as STIX and TAXII write it; None if it is none.

    >>> read_timestamp("2026-01-01T00:00:00.5Z")
    datetime.datetime(2026, 1, 1, 0, 0, 0, 500000, tzinfo=datetime.timezone.utc)
    """
    if not _TIMESTAMP.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _pairs(text: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(
            text, keep_blank_values=True, encoding="utf-8", errors="strict", max_num_fields=_FIELDS
        )
    except UnicodeDecodeError:
        raise _wrong("the query is not UTF-8", "percent-encode the bytes of UTF-8 text") from None
    except ValueError:
        raise _wrong("the query has too many parameters", f"at most {_FIELDS} are read") from None


def _values(given: dict[str, str], name: str) -> tuple[str, ...]:
    return tuple(value for value in given.get(name, "").split(",") if value)


def _versions(given: dict[str, str]) -> tuple[str, ...]:
    values = _values(given, "match[version]")
    for value in values:
        if value not in VERSION_WORDS and read_timestamp(value) is None:
            raise _wrong(
                f"match[version] has {brief(value)}",
                f"a version is {', '.join(VERSION_WORDS)} or a timestamp such as 2026-01-01T00:00:00.000Z",
            )
    return values


def _spec_versions(given: dict[str, str]) -> tuple[str, ...]:
    values = _values(given, "match[spec_version]")
    for value in values:
        if value not in SPEC_VERSIONS:
            raise _wrong(f"match[spec_version] has {brief(value)}", f"there are {', '.join(SPEC_VERSIONS)}")
    return values


def _added_after(given: dict[str, str]) -> datetime | None:
    if "added_after" not in given:
        return None
    when = read_timestamp(given["added_after"])
    if when is None:
        hint = "give one timestamp in UTC, such as 2026-01-01T00:00:00.000Z"
        raise _wrong(f"added_after is {brief(given['added_after'])}", hint)
    return when


def _limit(given: dict[str, str]) -> int | None:
    text = given.get("limit")
    if text is None:
        return None
    if not re.fullmatch(r"0*[1-9][0-9]{0,17}", text, re.ASCII):
        raise _wrong(f"limit is {brief(text)}", "give a whole number from 1 on")
    return int(text)


def _unknown(name: str, allowed: Collection[str]) -> TaxiiError:
    near = closest_name(name, allowed)
    known = f"did you mean {near}?" if near else f"known here: {', '.join(allowed) or 'none'}"
    return _wrong(f"the parameter {brief(name)} is not known here", known)


def _wrong(what: str, hint: str) -> TaxiiError:
    return TaxiiError(400, "the query is wrong", f"{what} ({hint})")
