"""So many calls within any window of time, whatever the clock does."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.clock import FixedClock
from understudy.core.errors import InputError
from understudy.governance.rate_limit import SlidingWindow


def test_the_window_slides_with_every_call() -> None:
    clock = FixedClock()
    window = SlidingWindow(2, 60, clock.monotonic)
    assert window.enter("ann") == 0
    clock.advance(40)
    assert window.enter("ann") == 0
    clock.advance(10)
    assert window.enter("ann") == 10
    clock.advance(10)
    assert window.enter("ann") == 0
    assert window.enter("ann") == 40


def test_a_call_that_is_refused_is_not_counted() -> None:
    clock = FixedClock()
    window = SlidingWindow(1, 60, clock.monotonic)
    window.enter("ann")
    for _ in range(59):
        clock.advance(1)
        assert window.enter("ann") > 0
    clock.advance(1)

    assert window.enter("ann") == 0


def test_everybody_has_a_window_of_their_own() -> None:
    window = SlidingWindow(1, 60, FixedClock().monotonic)

    assert [window.enter(name) for name in ("ann", "bob", "ann")] == [0, 0, 60]


def test_a_limit_of_nothing_lets_nobody_in() -> None:
    assert SlidingWindow(0, 60, FixedClock().monotonic).enter("ann") == math.inf


@given(
    limit=st.integers(1, 4),
    steps=st.lists(st.tuples(st.integers(0, 25), st.sampled_from(["ann", "bob"])), max_size=60),
)
def test_no_window_ever_holds_more_calls_than_the_limit(limit: int, steps: list[tuple[int, str]]) -> None:
    clock = FixedClock()
    window = SlidingWindow(limit, 30, clock.monotonic)
    entered: list[tuple[float, str]] = []
    for seconds, name in steps:
        clock.advance(seconds)
        now = clock.monotonic()
        within = [moment for moment, who in entered if who == name and moment > now - 30]
        wait = window.enter(name)
        assert (wait == 0) == (len(within) < limit)
        if wait:
            assert wait == within[0] + 30 - now
        else:
            entered.append((now, name))


@pytest.mark.parametrize("jump", [-(10**9), math.nan, math.inf, -math.inf])
def test_a_clock_that_is_set_back_neither_opens_nor_locks_the_gate(jump: float) -> None:
    clock = FixedClock()
    window = SlidingWindow(1, 60, clock.monotonic)
    window.enter("ann")
    clock.elapsed += jump
    assert window.enter("ann") == 60
    clock.elapsed = -(10.0**9)
    window.enter("ann")
    clock.advance(59)
    assert window.enter("ann") == 1
    clock.advance(1)

    assert window.enter("ann") == 0


def test_a_clock_that_leaps_forward_lets_one_window_pass_and_no_more() -> None:
    clock = FixedClock()
    window = SlidingWindow(2, 60, clock.monotonic)
    window.enter("ann")
    clock.elapsed += 10**9
    assert [window.enter("ann") for _ in range(3)] == [0, 0, 60]
    clock.elapsed = 0.0
    window.enter("ann")
    clock.advance(60)

    assert window.enter("ann") == 0


def test_threads_do_not_slip_through_together() -> None:
    window = SlidingWindow(50, 60, FixedClock().monotonic)
    with ThreadPoolExecutor(8) as pool:
        waits = list(pool.map(window.enter, ["ann"] * 400))

    assert waits.count(0) == 50


def test_names_that_are_long_gone_are_forgotten() -> None:
    clock = FixedClock()
    window = SlidingWindow(1, 60, clock.monotonic)
    for number in range(9_999):
        window.enter(f"agent-{number}")
    clock.advance(30)
    window.enter("lately")
    clock.advance(30)
    window.enter("now")

    assert sorted(window._entered) == ["lately", "now"]
    assert window.enter("lately") == 30


@pytest.mark.parametrize("limit", [-1, True, 1.0, "100", None])
def test_a_limit_that_is_no_number_is_refused(limit: Any) -> None:
    with pytest.raises(InputError, match="max_calls_per_window must be a whole number of at least 0"):
        SlidingWindow(limit, 60, FixedClock().monotonic)


@pytest.mark.parametrize("seconds", [0, -1, True, "60", None, math.nan, math.inf, 10**400])
def test_a_window_that_is_no_time_is_refused(seconds: Any) -> None:
    with pytest.raises(InputError, match="window_seconds must be a number above 0"):
        SlidingWindow(1, seconds, FixedClock().monotonic)


@pytest.mark.parametrize("seconds", [0.5, 1, 366 * 24 * 3600])
def test_a_window_may_be_short_or_a_year_long(seconds: float) -> None:
    clock = FixedClock()
    window = SlidingWindow(1, seconds, clock.monotonic)
    window.enter("ann")
    assert window.enter("ann") == seconds
    clock.advance(seconds)

    assert window.enter("ann") == 0


def test_a_window_of_more_than_a_year_is_refused() -> None:
    with pytest.raises(InputError, match="at most 31,622,400"):
        SlidingWindow(1, 366 * 24 * 3600 + 1, FixedClock().monotonic)
