"""A plan has every single disturbance and every combination once, in an order that only the seed decides."""

from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from understudy.simulation.replay.disturbance import Crash, Duplicate, Reorder, checked, key_of
from understudy.simulation.replay.disturbance_plan import Level, drawn, is_possible, plan
from understudy.simulation.replay.disturber import Delivery
from understudy.simulation.replay.record import Write
from understudy.simulation.replay.trial import Trial


def clean(writes: int, *sizes: int, announced: int | None = None, is_ordered: bool = False) -> Trial:
    made = tuple(Write(step, "sink", "upsert", str(step), "") for step in range(1, writes + 1))
    return Trial(
        writes=made,
        deliveries=tuple(Delivery(size, "source", is_ordered) for size in sizes),
        announced=frozenset(range(1, (writes if announced is None else announced) + 1)),
    )


def every(level: Level) -> list[str]:
    return [key_of(one) for one in drawn(level, 0, all_of_them=True)]


def test_single_disturbances_are_a_crash_around_each_write_and_each_item_twice_and_orders() -> None:
    (level,) = plan(clean(2, 2), seed=0, steps=1)
    assert [steps[0] for steps in drawn(level, 0, all_of_them=True)] == [
        Crash("before", 1),
        Crash("after", 1),
        Crash("before", 2),
        Crash("after", 2),
        Duplicate(1),
        Duplicate(2),
        Reorder((2, 1)),
    ]


def test_a_crash_comes_before_a_write_only_where_it_says_so_before() -> None:
    (level,) = plan(clean(3, announced=1), seed=0, steps=1)
    assert [str(steps[0]) for steps in drawn(level, 0, all_of_them=True)] == [
        "a crash before write 1",
        "a crash after write 1",
        "a crash after write 2",
        "a crash after write 3",
    ]


def test_a_delivery_in_a_promised_order_is_not_reordered() -> None:
    (level,) = plan(clean(0, 3, is_ordered=True), seed=0, steps=1)
    assert {type(steps[0]) for steps in drawn(level, 0, all_of_them=True)} == {Duplicate}


def test_only_the_kinds_that_are_asked_for_are_planned() -> None:
    (level,) = plan(clean(3, 3), seed=0, steps=1, kinds=["reorder"])
    assert {type(steps[0]) for steps in drawn(level, 0, all_of_them=True)} == {Reorder}


@pytest.mark.parametrize(
    ("size", "orders", "count"), [(1, 3, 0), (2, 3, 1), (3, 9, 5), (5, 3, 3), (50, 7, 7), (5, 0, 0)]
)
def test_orders_are_all_if_they_are_few_and_as_many_as_asked_for_else(
    size: int, orders: int, count: int
) -> None:
    (level,) = plan(clean(0, size), seed=3, steps=1, kinds=["reorder"], orders=orders)
    found = [steps[0] for steps in drawn(level, 3, all_of_them=True)]
    assert len(set(found)) == len(found) == count


def test_backwards_is_always_among_the_orders() -> None:
    (level,) = plan(clean(0, 6), seed=3, steps=1, kinds=["reorder"], orders=1)
    assert level.disturbance(0) == (Reorder((6, 5, 4, 3, 2, 1)),)


@settings(deadline=None)
@given(st.integers(0, 3), st.lists(st.integers(0, 3), max_size=2), st.integers(1, 3))
def test_every_level_has_each_of_its_disturbances_once_and_counts_them(
    writes: int, sizes: list[int], steps: int
) -> None:
    for level in plan(clean(writes, *sizes), seed=1, steps=steps):
        keys = every(level)
        assert len(set(keys)) == len(keys) == level.possible <= level.count
        for disturbance in drawn(level, 1, all_of_them=True):
            assert checked(disturbance) == disturbance
            assert len(disturbance) == level.steps


def test_after_a_crash_anything_may_happen_in_the_next_run() -> None:
    _, pairs = plan(clean(1, 2), seed=0)
    keys = every(pairs)
    assert key_of((Crash("after", 1), Reorder((2, 1), run=2))) in keys
    assert key_of((Crash("after", 1), Crash("before", 1, run=2))) in keys
    assert key_of((Reorder((2, 1)), Crash("after", 1))) in keys
    assert key_of((Duplicate(1), Reorder((2, 1)))) in keys


def test_by_chance_every_one_comes_once_and_the_seed_decides_the_order() -> None:
    _, pairs = plan(clean(4, 4), seed=0)
    first, again, other = (
        [key_of(one) for one in drawn(pairs, seed, all_of_them=False)] for seed in (1, 1, 2)
    )
    assert first == again != other
    assert sorted(first) == sorted(other) == sorted(every(pairs))


def test_a_plan_that_is_beyond_all_counting_is_drawn_from_at_once() -> None:
    *_, fours = plan(clean(10_000, 1_000), seed=0, steps=4)
    assert fours.count > 10**16
    found = list(islice(drawn(fours, 5, all_of_them=False), 20))
    assert len(set(found)) == 20
    assert all(is_possible(one) for one in found)
