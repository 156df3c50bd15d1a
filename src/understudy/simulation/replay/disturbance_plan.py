"""What an exploration tries, and in which order: every single disturbance, then combinations of them by chance."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from understudy.simulation.replay.disturbance import Crash, Disturbance, Duplicate, Reorder, Step, in_run
from understudy.simulation.replay.disturbance_kinds import KINDS, StepKind
from understudy.simulation.replay.trial import Trial

_SHUFFLED = 1_000_000


@dataclass(frozen=True, slots=True)
class Level:
    """All disturbances of so many steps: `count` of them, the nth one is made when it is asked for.

    With two steps, a crash is followed by anything in the run after it; repeated and reordered deliveries are
    combined with each other and with a crash of the same run. With more, crashes come before.
    """

    steps: int
    crashes: tuple[Crash, ...]
    deliveries: tuple[Duplicate | Reorder, ...]

    @property
    def count(self) -> int:
        """How many there are."""
        crashes, deliveries = len(self.crashes), len(self.deliveries)
        singles = crashes + deliveries
        if self.steps == 1:
            return singles
        pairs = crashes * singles + deliveries * crashes + math.comb(deliveries, 2)
        return int(crashes ** (self.steps - 2) * pairs)

    @property
    def possible(self) -> int:
        """How many of them can happen: one delivery cannot be in two orders at once."""
        if self.steps == 1:
            return self.count
        orders = Counter(step.delivery for step in self.deliveries if isinstance(step, Reorder))
        impossible = sum(math.comb(number, 2) for number in orders.values())
        return self.count - int(len(self.crashes) ** (self.steps - 2)) * impossible

    def disturbance(self, number: int) -> Disturbance:
        """The one with this number, from 0 on."""
        crashes, deliveries = len(self.crashes), len(self.deliveries)
        singles: Sequence[Step] = (*self.crashes, *self.deliveries)
        if self.steps == 1:
            return (singles[number],)
        before: list[Step] = []
        for run in range(1, self.steps - 1):
            number, which = divmod(number, crashes)
            before.append(in_run(self.crashes[which], run))
        run = self.steps - 1
        if number < crashes * len(singles):
            first, second = divmod(number, len(singles))
            pair: tuple[Step, Step] = (in_run(self.crashes[first], run), in_run(singles[second], run + 1))
        elif (number := number - crashes * len(singles)) < deliveries * crashes:
            first, second = divmod(number, crashes)
            pair = (in_run(self.deliveries[first], run), in_run(self.crashes[second], run))
        else:
            one, other = _pair(number - deliveries * crashes)
            pair = (in_run(self.deliveries[one], run), in_run(self.deliveries[other], run))
        return (*before, *pair)


def plan(
    clean: Trial, *, seed: int, steps: int = 2, orders: int = 3, kinds: Sequence[StepKind] = KINDS
) -> list[Level]:
    """The levels to try, from what the clean run wrote and was handed. `orders` are tried of each delivery.

    >>> [level.count for level in plan(Trial(), seed=0)]
    [0, 0]
    """
    crashes: list[Crash] = []
    if "crash" in kinds:
        for write in range(1, len(clean.writes) + 1):
            if write in clean.announced:
                crashes.append(Crash("before", write))
            crashes.append(Crash("after", write))
    deliveries: list[Duplicate | Reorder] = []
    for number, delivery in enumerate(clean.deliveries, 1):
        if "duplicate" in kinds:
            deliveries += [Duplicate(item, number) for item in range(1, delivery.size + 1)]
        if "reorder" in kinds and not delivery.is_ordered:
            deliveries += [
                Reorder(order, number) for order in _orders(delivery.size, orders, f"{seed}:{number}")
            ]
    return [Level(count, tuple(crashes), tuple(deliveries)) for count in range(1, steps + 1)]


def drawn(level: Level, seed: int, *, all_of_them: bool) -> Iterator[Disturbance]:
    """The disturbances of a level: in their own order if all of them are going to be tried, else as chance has it."""
    numbers = range(level.count) if all_of_them else _by_chance(level.count, f"{seed}:{level.steps}")
    for number in numbers:
        disturbance = level.disturbance(number)
        if is_possible(disturbance):
            yield disturbance


def _by_chance(count: int, seed: str) -> Iterator[int]:
    """All numbers below `count`, each once, in an order that only the seed decides; of very many, not all."""
    chance = random.Random(seed)  # noqa: S311 - it has to be the same again
    if count <= _SHUFFLED:
        yield from chance.sample(range(count), count)
        return
    seen: set[int] = set()
    while len(seen) < _SHUFFLED:
        number = chance.randrange(count)
        if number not in seen:
            seen.add(number)
            yield number


def is_possible(disturbance: Disturbance) -> bool:
    """False for one delivery in two orders at once."""
    places = [(step.run, step.delivery) for step in disturbance if isinstance(step, Reorder)]
    return len(set(places)) == len(places)


def _orders(size: int, most: int, seed: str) -> Iterator[tuple[int, ...]]:
    """Orders other than their own: all if the items are few, else backwards, moved on by one, and by chance."""
    own = tuple(range(1, size + 1))
    if size < 2 or most < 1:
        return
    if math.factorial(min(size, 10)) - 1 <= most:
        yield from (order for order in itertools.permutations(own) if order != own)
        return
    chance = random.Random(seed)  # noqa: S311 - it has to be the same again
    found = [own[::-1], (*own[1:], own[0])][:most]
    while len(found) < most:
        order = tuple(chance.sample(own, size))
        if order != own and order not in found:
            found.append(order)
    yield from found


def _pair(number: int) -> tuple[int, int]:
    """The nth pair of different numbers, the smaller first.

    >>> [_pair(number) for number in range(4)]
    [(0, 1), (0, 2), (1, 2), (0, 3)]
    """
    larger = (1 + math.isqrt(1 + 8 * number)) // 2
    return number - larger * (larger - 1) // 2, larger
