"""A disturber does what its steps say, as far as the run gives it the occasion, and knows which came to pass."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from understudy.simulation import Crash, Duplicate, Reorder
from understudy.simulation.replay.disturber import Delivery, StepsDisturber


def test_every_delivery_has_its_own_steps() -> None:
    disturber = StepsDisturber([Duplicate(1, delivery=2), Reorder((2, 1), delivery=3)])
    batches = [disturber.deliver(list("ab"), "", False) for _ in range(3)]
    assert batches == [["a", "b"], ["a", "a", "b"], ["b", "a"]]


def test_an_order_for_more_items_than_there_are_orders_those_that_are() -> None:
    disturber = StepsDisturber([Reorder((3, 2, 1))])
    assert disturber.deliver(["a", "b"], "", False) == ["b", "a"]
    assert disturber.met == [Reorder((3, 2, 1))]


def test_items_that_an_order_does_not_name_come_last() -> None:
    assert StepsDisturber([Reorder((2, 1))]).deliver(list("abcd"), "", False) == list("bacd")


def test_what_there_was_no_occasion_for_is_not_met() -> None:
    disturber = StepsDisturber([Reorder((2, 1)), Duplicate(5), Crash("after", write=9)])
    assert disturber.deliver(["a"], "", False) == ["a"]
    assert not disturber.crashes_after(1)
    assert disturber.met == []


def test_it_takes_down_what_was_handed_over_and_announced() -> None:
    disturber = StepsDisturber()
    disturber.deliver(list("ab"), "queue", True)
    disturber.crashes_before(1)
    assert (disturber.deliveries, disturber.announced) == ([Delivery(2, "queue", True)], {1})


def test_a_run_that_writes_without_end_is_crashed() -> None:
    disturber = StepsDisturber(most_writes=2)
    assert [disturber.crashes_after(write) for write in (1, 2, 3)] == [False, False, True]
    assert disturber.is_runaway


@settings(deadline=None)
@given(st.permutations(range(1, 7)), st.integers(1, 6))
def test_nothing_is_lost_and_only_the_duplicate_comes_again(order: list[int], item: int) -> None:
    handed = StepsDisturber([Reorder(tuple(order)), Duplicate(item)]).deliver([1, 2, 3, 4, 5, 6], "", False)
    assert sorted(handed) == sorted([1, 2, 3, 4, 5, 6, item])
    assert list(dict.fromkeys(handed)) == order
