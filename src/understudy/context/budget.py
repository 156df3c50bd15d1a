"""What a context may spend: units that every call costs, counted across the threads that share them."""

from __future__ import annotations

import threading

from understudy.core.brief import brief
from understudy.core.errors import InputError, UnderstudyError


class BudgetExceeded(UnderstudyError):
    """A call would cost more than what is left. It was not charged."""

    def __init__(self, by: str, asked: int, used: int, max_units: int) -> None:
        self.by = by
        self.asked = asked
        self.used = used
        self.max_units = max_units
        super().__init__(
            f"{by or 'somebody'} asks for {_units(asked)}, but of {_units(max_units)} {used} are used; "
            f"make fewer calls, or raise max_budget_units"
        )

    def __reduce__(self) -> tuple[type[BudgetExceeded], tuple[str, int, int, int]]:
        return type(self), (self.by, self.asked, self.used, self.max_units)


class QueryBudget:
    """Units to spend. Threads may share it: together they never spend more than there is.

    >>> budget = QueryBudget(5)
    >>> budget.charge(4, "search")
    >>> budget.remaining
    1
    >>> budget.charge(2, "search")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    understudy.context.budget.BudgetExceeded: search asks for 2 units, but of 5 units 4 are used; make ...
    """

    __slots__ = ("_lock", "_used", "max_units")

    def __init__(self, max_units: int | None = None, used: int = 0) -> None:
        self.max_units = None if max_units is None else whole_units(max_units, "max_units")
        self._used = whole_units(used, "used")
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"QueryBudget({self.max_units}, used={self._used})"

    def charge(self, units: int, by: str = "") -> None:
        """Spend units on behalf of `by`, or raise BudgetExceeded and spend nothing."""
        asked = whole_units(units, "units")
        with self._lock:
            if self.max_units is not None and self._used + asked > self.max_units:
                raise BudgetExceeded(by, asked, self._used, self.max_units)
            self._used += asked

    @property
    def used(self) -> int:
        """The units that are spent."""
        return self._used

    @property
    def remaining(self) -> int | None:
        """The units that are left; None if there is no limit."""
        return None if self.max_units is None else max(self.max_units - self._used, 0)


def whole_units(value: object, name: str) -> int:
    """A number of units, or an InputError that says what is wrong with it."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InputError(f"{name} must be a whole number of units from 0 on, not {brief(value)}")
    return value


def _units(number: int) -> str:
    return f"{number} unit{'' if number == 1 else 's'}"
