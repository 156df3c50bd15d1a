"""Times are read, written and moved as Go does."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.rules.evaluate.policy import PolicyEngine, PolicyText
from understudy.rules.evaluate.rego_engine import open_engine
from understudy.rules.evaluate.rego_times import add_date, format_time, parse_ns

UNDEFINED = object()


@pytest.fixture(scope="module")
def engine() -> PolicyEngine:
    return open_engine()


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ('time.parse_ns("2006-01-02 15:04:05","2024-01-02 03:04:05")', 1704164645000000000),
        ('time.parse_ns("02/Jan/2006:15:04:05 -0700","02/Jan/2024:03:04:05 +0000")', 1704164645000000000),
        ('time.parse_ns("RFC850","Tuesday, 02-Jan-24 03:04:05 UTC")', 1704164645000000000),
        ('time.parse_ns("ANSIC","Tue Jan  2 03:04:05 2024")', 1704164645000000000),
        ('time.parse_ns("UnixDate","Tue Jan  2 03:04:05 UTC 2024")', 1704164645000000000),
        ('time.parse_ns("RFC1123","Tue, 02 Jan 2024 03:04:05 GMT")', 1704164645000000000),
        ('time.parse_ns("RFC1123Z","Tue, 02 Jan 2024 03:04:05 +0000")', 1704164645000000000),
        ('time.parse_ns("RFC822","02 Jan 24 03:04 UTC")', 1704164640000000000),
        ('time.parse_ns("RFC3339","2024-01-02T03:04:05Z")', 1704164645000000000),
        ('time.parse_ns("2006-01-02T15:04:05.999Z","2024-01-02T03:04:05.123Z")', 1704164645123000000),
        ('time.parse_ns("2006-01-02T15:04:05Z","2024-01-02T03:04:05Z")', 1704164645000000000),
        ('time.parse_ns("2006-01-02T15:04:05","2024-01-02T03:04:05.25")', 1704164645250000000),
        ('time.parse_ns("1/2/06","1/2/24")', 1704153600000000000),
        ('time.parse_ns("2006","2024")', 1704067200000000000),
        ('time.parse_ns("2006-01","2024-02")', 1706745600000000000),
        ('time.parse_ns("Jan 2, 2006","Jan 2, 2024")', 1704153600000000000),
        ('time.parse_ns("January 2, 2006 3:04PM","January 2, 2024 3:04AM")', 1704164640000000000),
        ('time.parse_ns("20060102","20240102")', 1704153600000000000),
        ('time.parse_ns("2006-01-02","2024-13-02")', UNDEFINED),
        ('time.parse_ns("2006-01-02","2024-02-30")', UNDEFINED),
        ('time.parse_ns("2006-01-02","2024-02-03x")', UNDEFINED),
        ('time.parse_ns("2006-01-02T15:04:05-07:00","2024-01-02T05:04:05+02:00")', 1704164645000000000),
        ('time.parse_rfc3339_ns("2024-01-02")', UNDEFINED),
        ('time.parse_rfc3339_ns("2024-01-02 03:04:05Z")', UNDEFINED),
        ('time.parse_rfc3339_ns("2024-01-02t03:04:05z")', UNDEFINED),
        ('time.parse_rfc3339_ns("1500-01-02T03:04:05Z")', UNDEFINED),
        ('time.format([1704164645123000000, "UTC", "RFC3339Nano"])', "2024-01-02T03:04:05.123Z"),
        ("time.format(1704164645120000000)", "2024-01-02T03:04:05.12Z"),
        ('time.format([1704164645000000000, "America/New_York"])', "2024-01-01T22:04:05-05:00"),
        ('time.format([1704164645000000000, "UTC", "2006-01-02 15:04:05.000"])', "2024-01-02 03:04:05.000"),
        ('time.format([1704164645000000000, "UTC", "Mon Jan _2 3:04PM"])', "Tue Jan  2 3:04AM"),
        ('time.format([1704164645000000000, "", "06/1/2"])', "24/1/2"),
        ('time.date([1704164645000000000, "Nowhere/Land"])', UNDEFINED),
        ("time.add_date(1706659200000000000, 0, 1, 0)", 1709337600000000000),
        ("time.diff(1709337600000000000, 1704164645000000000)", [0, 1, 30, 20, 55, 55]),
        ('time.parse_duration_ns("1d")', UNDEFINED),
        ('time.parse_duration_ns("1h-3m")', UNDEFINED),
        ('time.parse_duration_ns("100us")', 100000),
        ('time.parse_duration_ns("")', UNDEFINED),
        ('time.parse_ns("Jan 2, 2006 at 3:04pm (MST)","Jan 2, 2024 at 3:04am (UTC)")', 1704164640000000000),
        ('time.format([1704164645120000000, "UTC", "2006-01-02T15:04:05.000Z"])', "2024-01-02T03:04:05.120Z"),
        ('time.format([1704164645120000000, "Asia/Tokyo"])', "2024-01-02T12:04:05.12+09:00"),
        ('time.add_date([1706659200000000000, "UTC"], 0, 0, 1)', 1706745600000000000),
        ("time.add_date(1706659200000000000, -1, -2, -31)", 1667174400000000000),
        ('time.add_date("a", 0, 0, 1)', UNDEFINED),
        ('time.format("a")', UNDEFINED),
        ('time.parse_ns("2006-01-02T15:04:05.000","2024-01-02T03:04:05.250")', 1704164645250000000),
        ('time.parse_ns("2006-002","2024-033")', 1706832000000000000),
        ('time.parse_ns(1,"2024-033")', UNDEFINED),
        ('time.format([1704164645000000000, "UTC", "RFC1123"])', "Tue, 02 Jan 2024 03:04:05 UTC"),
        (
            'time.format([1704164645000000000, "America/New_York", "RFC1123"])',
            "Mon, 01 Jan 2024 22:04:05 EST",
        ),
        (
            'time.format([1704164645000000000, "America/New_York", "2006-01-02T15:04:05Z"])',
            "2024-01-01T22:04:05Z",
        ),
        (
            'time.format([1704164645000000000, "America/New_York", "02 Jan 06 15:04 -0700"])',
            "01 Jan 24 22:04 -0500",
        ),
        ('time.format([1704164645000000000, "UTC", "Z07:00 3PM"])', "Z 3AM"),
        ('time.format([1704164645000000000, "Nowhere", "Z07:00 3PM"])', UNDEFINED),
        ('time.format([1704164645000000000, "UTC", 3])', UNDEFINED),
    ],
)
def test_the_value_of_a_call(engine: PolicyEngine, expression: str, expected: Any) -> None:
    policy = engine.compile(PolicyText("r.rego", f"package minder\nx := {expression}"))
    assert policy.evaluate({}, {}, ["x"]).values.get("x", UNDEFINED) == expected


seconds = st.integers(-(1 << 33), 1 << 33)


@given(seconds, st.sampled_from(["+00:00", "-05:00", "+09:30"]))
def test_what_was_written_can_be_read(second: int, offset: str) -> None:
    for layout in ("RFC3339", "RFC1123Z", "RubyDate", "2006-002 3:04:05 pm -07:00"):
        assert parse_ns(layout, format_time(second * 10**9, offset, "", layout)) == second * 10**9


@given(seconds, st.integers(-1_000, 1_000), st.integers(0, 40))
def test_days_are_all_alike(second: int, days: int, months: int) -> None:
    assert add_date(second * 10**9, 0, 0, days) == (second + days * 86_400) * 10**9
    assert add_date(second * 10**9, 1, months, 0) == add_date(second * 10**9, 0, 12 + months, 0)
