"""Time and ids are injected: real ones move, fixed ones only when told to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from understudy.core.clock import Clock, CountingIds, FixedClock, IdSource, SystemClock, random_ids


def test_a_fixed_clock_stands_until_it_is_advanced() -> None:
    clock: Clock = (fixed := FixedClock(datetime(2026, 5, 1, tzinfo=UTC)))
    assert clock.now() == clock.now() == datetime(2026, 5, 1, tzinfo=UTC)
    fixed.advance(1.5)
    assert clock.now() == datetime(2026, 5, 1, 0, 0, 1, 500_000, tzinfo=UTC)
    assert clock.monotonic() == 1.5


def test_the_system_clock_is_in_utc_and_never_goes_backwards() -> None:
    clock: Clock = SystemClock()
    assert clock.now().utcoffset() == timedelta(0)
    moments = [clock.monotonic() for _ in range(100)]
    assert moments == sorted(moments)


def test_counted_ids_are_the_same_in_every_run_and_random_ones_never() -> None:
    first: IdSource = CountingIds("run")
    second: IdSource = CountingIds("run")
    assert [first(), first()] == [second(), second()] == ["run-1", "run-2"]
    assert random_ids() != random_ids()
