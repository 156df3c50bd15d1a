"""Timestamps in every form that they come in mean the same moment; what is none is none."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from understudy.core.errors import InputError
from understudy.simulation.moments import given_moment, moment, version_moment

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "value",
    [
        "2026-01-01T00:00:00Z",
        "2026-01-01T00:00:00.000Z",
        "2026-01-01T00:00:00.000000000Z",
        "2026-01-01T01:00:00+01:00",
        "2026-01-01T00:00:00",
        "2026-01-01",
        date(2026, 1, 1),
        datetime(2026, 1, 1),
        datetime(2025, 12, 31, 23, tzinfo=timezone(timedelta(hours=-1))),
    ],
)
def test_the_same_moment_in_any_form(value: Any) -> None:
    assert moment(value) == NEW_YEAR


@pytest.mark.parametrize(
    "value",
    ["", "today", "2026", "2026-13-01", "2026-01-01T25:00:00Z", "١٢٣٤-01-01", 20260101, None, b"2026-01-01"],
)
def test_what_is_no_timestamp_is_no_moment(value: Any) -> None:
    assert moment(value) is None
    with pytest.raises(InputError, match=r"modified_since is no moment: .*give a datetime or a text"):
        given_moment(value, "modified_since")


def test_the_ends_of_time_are_moments() -> None:
    east, west = timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))
    assert moment(datetime.min.replace(tzinfo=east)) == datetime.min.replace(tzinfo=UTC)
    assert moment(datetime.max.replace(tzinfo=west)) == datetime.max.replace(tzinfo=UTC)


def test_a_version_is_of_when_it_was_modified_else_created() -> None:
    assert version_moment({"created": "2026-01-01", "modified": "2026-01-02"}) == NEW_YEAR + timedelta(days=1)
    assert version_moment({"created": "2026-01-01", "modified": "soon"}) == NEW_YEAR
    assert version_moment({"name": "a"}) is None
