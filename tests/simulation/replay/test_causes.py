"""Of all that was read, what may have made the difference is named, the most likely first."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

import pytest

from understudy.simulation.replay.causes import CAUSES_SHOWN, causes_for, forms_of, likely_causes
from understudy.simulation.replay.judge import Finding
from understudy.simulation.replay.record import Read, Run, Site

PIPELINE = Site("feed.py", 1)
MOMENT = datetime(2026, 1, 2, 3, 4, 5, 678901)


def read(name: str, *values: Any, line: int = 2, count: int = 0, through: str = "") -> Read:
    return Read("clock", name, Site("feed.py", line), count or len(values), values, through)


def named(first: list[Read], again: list[Read], *texts: str) -> list[str]:
    causes = likely_causes(Run(reads=tuple(first)), Run(reads=tuple(again)), texts, PIPELINE)
    return [cause.name for cause in causes]


def test_what_gave_the_same_both_times_is_no_cause() -> None:
    assert named([read("a", "x")], [read("a", "x")], "x") == []


def test_a_value_that_stands_in_the_difference_comes_first() -> None:
    first = [
        read("quiet", "111", line=1),
        read("library", "222", line=2, through="lib.f"),
        read("loud", "abc"),
    ]
    again = [
        read("quiet", "333", line=1),
        read("library", "444", line=2, through="lib.f"),
        read("loud", "abd"),
    ]

    assert named(first, again, "tool--abc", "tool--abd") == ["loud", "quiet", "library"]


def test_what_only_one_run_read_is_a_cause_too() -> None:
    assert named([read("first", "x")], [read("again", "y")]) == ["again", "first"]


def test_another_count_is_a_cause() -> None:
    assert named([read("a", "x", count=300)], [read("a", "x", count=301)]) == ["a"]


def test_no_more_are_named_than_somebody_reads() -> None:
    first = [read(f"r{line}", "x", line=line) for line in range(50)]
    again = [read(f"r{line}", "y", line=line) for line in range(50)]

    assert len(named(first, again)) == CAUSES_SHOWN


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (MOMENT, "run-20260102030405"),
        (MOMENT, "2026-01-02T03:04:05.678901"),
        (MOMENT, "2026-01-02 03:04:05.678901"),
        (MOMENT.replace(tzinfo=UTC), "2026-01-02T03:04:05.678901+00:00"),
        (MOMENT.replace(tzinfo=UTC), "2026-01-02T03:04:05Z"),
        (MOMENT.replace(tzinfo=UTC), "1767323045"),
        (date(2026, 1, 2), "20260102"),
        (1767323045.25, "1767323045"),
        (1767323045.25, "1767323045250"),
        (1767323045_250000000, "1767323045"),
        (UUID(int=255), "id-000000000000000000000000000000ff"),
        (UUID(int=255), "00000000-0000-0000-0000-0000000000ff"),
        (b"\xab\xcd", "abcd"),
        (0.123456789, "x-0.123456789"),
        ("Europe/Berlin", "at europe/berlin"),
    ],
)
def test_a_value_is_found_in_the_forms_that_it_usually_has(value: Any, text: str) -> None:
    assert any(form in text.lower() for form in forms_of(value))


@pytest.mark.parametrize("value", [None, True, "a", 7])
def test_what_stands_everywhere_proves_nothing(value: Any) -> None:
    assert not any(form in "a 7 none true" for form in forms_of(value))


def test_a_finding_has_the_causes_whose_value_it_shows_or_else_all() -> None:
    loud, quiet = read("loud", "abc"), read("quiet", "xyz")

    assert causes_for(Finding("missing", "", texts=("tool--abc",)), (loud, quiet)) == (loud,)
    assert causes_for(Finding("missing", "", texts=("tool--1",)), (loud, quiet)) == (loud, quiet)
    assert causes_for(Finding("write", "", texts=("abc",), is_own=True), (loud, quiet)) == ()
    assert causes_for(Finding("added", ""), (loud, quiet)) == ()
