"""The later of two times: no clock that is set back makes a time limit longer."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from understudy.core.clock import FixedClock
from understudy.governance.later_clock import LaterClock

STEPS = st.lists(
    st.tuples(st.integers(0, 1_000), st.integers(-(10**8), 10**8)),  # seconds that go by, and a jump
    max_size=20,
)


@given(steps=STEPS)
def test_it_never_lags_behind_the_wall_or_behind_what_has_gone_by(steps: list[tuple[int, int]]) -> None:
    wall = FixedClock()
    clock = LaterClock(wall)
    began, gone_by = wall.moment, 0
    for seconds, jump in steps:
        wall.advance(seconds)
        wall.moment += timedelta(seconds=jump)
        gone_by += seconds
        assert clock.now() == max(wall.moment, began + timedelta(seconds=gone_by))
        assert clock.monotonic() == gone_by


def test_a_machine_that_slept_is_caught_by_the_wall() -> None:
    wall = FixedClock()
    clock = LaterClock(wall)
    wall.moment += timedelta(hours=8)

    assert clock.now() == wall.moment


def test_seconds_that_run_backwards_are_none() -> None:
    wall = FixedClock()
    clock = LaterClock(wall)
    wall.elapsed = -100.0

    assert clock.now() == wall.moment


def test_it_tells_utc_whatever_the_wall_tells() -> None:
    zone = timezone(timedelta(hours=-5))
    clock = LaterClock(FixedClock(datetime(2026, 1, 1, 7, tzinfo=zone)))

    assert clock.now() == datetime(2026, 1, 1, 12, tzinfo=UTC)
    assert clock.now().utcoffset() == timedelta(0)


def test_without_a_clock_it_is_the_present() -> None:
    before = datetime.now(UTC)

    assert before - timedelta(seconds=1) <= LaterClock().now() <= datetime.now(UTC) + timedelta(seconds=1)
