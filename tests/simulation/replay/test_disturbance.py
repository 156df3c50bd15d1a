"""Disturbances say in words and in Python what they are, and cannot be made of what makes no sense."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from understudy.core.errors import InputError
from understudy.simulation import Crash, Duplicate, Reorder
from understudy.simulation.replay.disturbance import Step, checked, described, key_of, written

STEPS: list[Step] = [
    Crash("after", write=2),
    Crash("before", write=1, run=2),
    Duplicate(3),
    Duplicate(1, delivery=2, run=3),
    Reorder((2, 1)),
    Reorder((3, 1, 2), delivery=4),
]


@pytest.mark.parametrize("step", STEPS, ids=str)
def test_what_is_written_of_a_step_makes_it_again(step: Step) -> None:
    made = eval(written(step), {"Crash": Crash, "Duplicate": Duplicate, "Reorder": Reorder})
    assert made == step


def test_a_disturbance_is_told_in_words() -> None:
    assert described((Reorder((2, 1)), Crash("after", write=1), Duplicate(2, run=2))) == (
        "delivery 1 in the order 2, 1, and a crash after write 1, "
        "and item 2 of delivery 1 handed over twice in run 2"
    )


def test_different_disturbances_have_different_keys() -> None:
    assert len({key_of((step,)) for step in STEPS}) == len(STEPS)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Crash("during", 1), "'before' or 'after' a write, not \"during\""),  # type: ignore[arg-type]  # this is what is tried
        (lambda: Crash("after", 0), "write is a number from 1 on, not 0"),
        (lambda: Crash("after", True), "write is a number from 1 on, not true"),
        (lambda: Duplicate(1, run=-1), "run is a number from 1 on, not -1"),
        (lambda: Reorder((1, 3)), r"the order \[1, 3\] does not have every item once"),
        (lambda: checked((Crash("after", 1), Crash("before", 2))), "one run cannot crash twice"),
        (lambda: checked((Duplicate(1, run=2),)), "there is no run 2, for run 1 does not crash"),
        (lambda: checked((Reorder((2, 1)), Reorder((2, 1)))), "one delivery cannot be in two orders"),
        (lambda: checked(("crash",)), '"crash" is no disturbance'),
    ],
)
def test_what_makes_no_sense_is_refused(make: Callable[[], object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        make()


def test_steps_that_can_happen_together_are_taken() -> None:
    steps = (Crash("after", 1), Crash("before", 1, run=2), Duplicate(1, run=3), Reorder((2, 1), delivery=2))
    assert checked(steps) == steps
