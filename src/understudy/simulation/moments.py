"""The moments that objects carry: STIX timestamps as text, or datetimes, made comparable."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from understudy.core.errors import InputError, Problem


def moment(value: Any) -> datetime | None:
    """The moment that a timestamp means, in UTC; None if it is none. One without a zone is in UTC.

    >>> moment("2026-01-01T00:00:00Z") == moment("2026-01-01T01:00:00.000+01:00")
    True
    """
    if isinstance(value, str):
        # shorter than a date, or not beginning like one: most texts are no timestamps
        if len(value) < 10 or not value[:4].isdigit() or value[4] != "-":
            return None
        try:
            return _in_utc(datetime.fromisoformat(value))
        except ValueError:
            return None
    if isinstance(value, datetime):
        return _in_utc(value)
    return datetime(value.year, value.month, value.day, tzinfo=UTC) if isinstance(value, date) else None


def given_moment(value: Any, name: str) -> datetime:
    """The moment that a caller gave. Raises InputError for anything else."""
    found = moment(value)
    if found is None:
        hint = "give a datetime or a text such as '2026-01-01T00:00:00Z'"
        raise InputError([Problem(f"{name} is no moment: {value!r}", hint=hint)])
    return found


def version_moment(obj: Mapping[str, Any]) -> datetime | None:
    """When this version of an object was made: its `modified`, else its `created`; None if it says neither."""
    return moment(obj.get("modified")) or moment(obj.get("created"))


def _in_utc(when: datetime) -> datetime:
    if when.tzinfo is None:
        return when.replace(tzinfo=UTC)
    try:
        return when.astimezone(UTC)
    except OverflowError:  # the first and the last day of all have no neighbour to move into
        return when.replace(tzinfo=UTC)


def stix_timestamp(when: datetime) -> str:
    """A moment as STIX writes it: in UTC, to the millisecond.

    >>> stix_timestamp(datetime(2026, 1, 1, 12, tzinfo=UTC))
    '2026-01-01T12:00:00.000Z'
    """
    return when.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"
