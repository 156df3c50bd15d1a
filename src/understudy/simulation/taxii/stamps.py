"""Moments as TAXII writes them, and which version of an object is meant by one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from understudy.simulation.moments import moment


def timestamp(when: datetime) -> str:
    """A moment in UTC, with microseconds, so that it can be given back as `added_after` exactly.

    >>> timestamp(datetime(2026, 1, 1, tzinfo=UTC))
    '2026-01-01T00:00:00.000000Z'
    """
    return when.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def version_text(obj: Mapping[str, Any], added: datetime) -> str:
    """What a version is called: by the object's `modified`, its `created`, or else by when it was added."""
    for name in ("modified", "created"):
        value = obj.get(name)
        if value is not None and (when := moment(value)) is not None:
            return value if isinstance(value, str) else timestamp(when)
    return timestamp(added)
