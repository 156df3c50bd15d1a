"""A disturbance is made as small as it can be and still shows what it showed."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from understudy.simulation import Crash, Duplicate, Reorder
from understudy.simulation.replay.disturbance import Disturbance, Step, checked
from understudy.simulation.replay.shrinking import candidates, shrunk


def holds(*kinds: type[Step]) -> Callable[[Disturbance], bool]:
    return lambda steps: {type(step) for step in steps} >= set(kinds)


def test_what_is_not_needed_is_taken_away() -> None:
    steps = (Reorder((3, 2, 1)), Duplicate(2), Crash("after", 4))
    assert shrunk(steps, holds(Duplicate)) == (Duplicate(1),)


def test_numbers_become_as_small_as_they_can() -> None:
    found = shrunk((Crash("before", 40),), lambda steps: isinstance(steps[0], Crash) and steps[0].write >= 17)
    assert found == (Crash("before", 17),)


def test_an_order_becomes_one_exchange_and_says_nothing_of_the_rest() -> None:
    def comes_before(steps: Disturbance) -> bool:
        (step,) = steps
        return isinstance(step, Reorder) and step.order.index(3) < step.order.index(2)

    assert shrunk((Reorder((5, 4, 3, 2, 1)),), comes_before) == (Reorder((1, 3, 2)),)


def test_without_a_crash_what_followed_it_happens_in_the_run_before() -> None:
    steps = (Crash("after", 1), Duplicate(1, run=2))
    assert shrunk(steps, holds(Duplicate)) == (Duplicate(1),)
    assert shrunk(steps, holds(Crash)) == (Crash("after", 1),)
    assert shrunk(steps, holds(Crash, Duplicate)) == steps


def test_what_shows_nothing_smaller_stays() -> None:
    steps = (Crash("after", 3), Reorder((2, 1), run=2))
    assert shrunk(steps, lambda candidate: candidate == steps) == steps


@settings(deadline=None)
@given(
    st.permutations(range(1, 7)),
    st.integers(1, 30),
    st.integers(1, 6),
    st.sampled_from([Crash, Duplicate, Reorder]),
)
def test_shrinking_ends_and_keeps_what_matters(
    order: list[int], write: int, item: int, kind: type[Step]
) -> None:
    steps: Disturbance = (Crash("after", write), Duplicate(item, run=2), Reorder(tuple(order), run=2))
    found = shrunk(steps, holds(kind))
    assert [type(step) for step in found] == [kind]
    assert checked(found) == found
    assert all(checked(one) == one for one in candidates(steps) if len({s.run for s in one}) < 3)
