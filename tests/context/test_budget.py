"""A budget is never overspent, however many spend from it, and who wanted too much is named."""

from __future__ import annotations

import os
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.context import BudgetExceeded, QueryBudget
from understudy.core.errors import InputError, UnderstudyError


def test_who_asks_for_too_much_is_named_and_nothing_is_spent() -> None:
    budget = QueryBudget(5)
    budget.charge(4, "search")
    with pytest.raises(BudgetExceeded) as caught:
        budget.charge(2, "enricher")
    assert str(caught.value) == (
        "enricher asks for 2 units, but of 5 units 4 are used; make fewer calls, or raise max_budget_units"
    )
    error = caught.value
    assert (error.by, error.asked, error.used, error.max_units) == ("enricher", 2, 4, 5)
    assert isinstance(error, UnderstudyError)
    assert (budget.used, budget.remaining) == (4, 1)
    budget.charge(1, "search")
    assert budget.remaining == 0
    budget.charge(0, "search")


def test_nobody_in_particular_may_ask() -> None:
    with pytest.raises(BudgetExceeded, match=r"^somebody asks for 1 unit, but of 0 units 0 are used"):
        QueryBudget(0).charge(1)


def test_without_a_limit_it_only_counts() -> None:
    budget = QueryBudget()
    budget.charge(10**12, "search")
    assert (budget.max_units, budget.used, budget.remaining) == (None, 10**12, None)


def test_a_budget_may_begin_overdrawn_and_then_has_nothing_left() -> None:
    assert QueryBudget(3, used=5).remaining == 0


@pytest.mark.parametrize("units", [-1, 1.5, "2", None, True, float("nan")], ids=repr)
def test_only_whole_units_are_spent(units: Any) -> None:
    budget = QueryBudget(5)
    with pytest.raises(InputError, match="units must be a whole number of units from 0 on, not"):
        budget.charge(units, "search")
    assert budget.used == 0


@pytest.mark.parametrize("limit", [-1, 1.5, "2", True], ids=repr)
def test_only_whole_limits_are_set(limit: Any) -> None:
    with pytest.raises(InputError, match="max_units must be a whole number"):
        QueryBudget(limit)


@given(limit=st.integers(0, 50), charges=st.lists(st.integers(0, 20)))
def test_what_is_spent_is_what_was_granted_and_never_more_than_there_is(
    limit: int, charges: list[int]
) -> None:
    budget, granted = QueryBudget(limit), 0
    for units in charges:
        try:
            budget.charge(units, "x")
        except BudgetExceeded:
            assert granted + units > limit
        else:
            granted += units
    assert budget.used == granted <= limit
    assert budget.remaining == limit - granted


class Yielding(int):
    """A number whose sums let other threads go first, as any line of Python may."""

    def __add__(self, other: int) -> Yielding:
        os.sched_yield()
        return Yielding(int(self) + other)


def test_threads_together_never_spend_more_than_there_is() -> None:
    budget = QueryBudget(200, used=Yielding(0))
    begin = threading.Barrier(8)

    def spend() -> int:
        begin.wait(30)
        granted = 0
        for _ in range(100):
            try:
                budget.charge(1, "thread")
            except BudgetExceeded:
                break
            granted += 1
        return granted

    with ThreadPoolExecutor(8) as pool:
        assert sum(future.result() for future in [pool.submit(spend) for _ in range(8)]) == 200
    assert (budget.used, budget.remaining) == (200, 0)


def test_the_error_travels_between_processes() -> None:
    error = BudgetExceeded("search", 2, 4, 5)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.by, again.max_units) == (str(error), "search", 5)
