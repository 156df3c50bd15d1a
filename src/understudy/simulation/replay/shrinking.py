"""Makes a disturbance as small as it can be while it still does the same damage."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from understudy.simulation.replay.disturbance import Crash, Disturbance, Duplicate, Reorder, Step


def shrunk(disturbance: Disturbance, shows: Callable[[Disturbance], bool]) -> Disturbance:
    """The smallest disturbance that still shows it, by taking away and making smaller, one thing at a time.

    >>> shrunk((Reorder((3, 2, 1)), Crash("after", 5)), lambda steps: isinstance(steps[-1], Crash))
    (Crash(when='after', write=1, run=1),)
    """
    while True:
        smaller = next((candidate for candidate in candidates(disturbance) if shows(candidate)), None)
        if smaller is None:
            return tuple(_trimmed(step) for step in disturbance)
        disturbance = smaller


def candidates(disturbance: Disturbance) -> Iterator[Disturbance]:
    """Disturbances that are smaller by one thing, the boldest first."""
    if len(disturbance) > 1:
        for place in range(len(disturbance)):
            yield without(disturbance, place)
    for place, step in enumerate(disturbance):
        for smaller in _smaller(step):
            yield (*disturbance[:place], smaller, *disturbance[place + 1 :])


def without(disturbance: Disturbance, place: int) -> Disturbance:
    """The disturbance without one step; without a crash, what was to happen after it happens in the run before."""
    gone = disturbance[place]
    rest = (*disturbance[:place], *disturbance[place + 1 :])
    if not isinstance(gone, Crash):
        return rest
    return tuple(replace(step, run=step.run - 1) if step.run > gone.run else step for step in rest)


def _smaller(step: Step) -> Iterator[Step]:
    if isinstance(step, Crash):
        yield from (replace(step, write=write) for write in _lower(step.write))
    elif isinstance(step, Duplicate):
        yield from (replace(step, item=item) for item in _lower(step.item))
    else:
        for item in step.order:
            order = _at_home(step.order, item)
            if _disorder(order) < _disorder(step.order) and _disorder(order):
                yield replace(step, order=order)


def _lower(number: int) -> list[int]:
    """Smaller numbers to try, the smallest first, and closer together the closer they are."""
    steps = (number - (number >> halvings) for halvings in range(1, number.bit_length()))
    return sorted({1, *steps, number - 1} - {0, number})


def _at_home(order: tuple[int, ...], item: int) -> tuple[int, ...]:
    rest = [other for other in order if other != item]
    return (*rest[: item - 1], item, *rest[item - 1 :])


def _disorder(order: tuple[int, ...]) -> int:
    """How many pairs of items come the wrong way round."""
    if len(order) > 200:  # in large batches: how many items are not at home
        return sum(item != place for place, item in enumerate(order, 1))
    return sum(order[i] > order[j] for i in range(len(order)) for j in range(i + 1, len(order)))


def _trimmed(step: Step) -> Step:
    """Without the items at the end that stay where they are."""
    if not isinstance(step, Reorder):
        return step
    order = step.order
    while order and order[-1] == len(order):
        order = order[:-1]
    return replace(step, order=order)
