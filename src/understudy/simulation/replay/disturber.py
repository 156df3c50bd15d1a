"""Carries out a disturbance in one run, and takes down what there was to disturb."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from understudy.simulation.replay.disturbance import Crash, Duplicate, Reorder, Step

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Delivery:
    """One batch that was handed to the pipeline: how many items, by which source, and whether in a promised order."""

    size: int
    source: str = ""
    is_ordered: bool = False


class StepsDisturber:
    """The disturber of one run. After `most_writes` it crashes the run as well, so that it ends.

    >>> disturber = StepsDisturber([Duplicate(1), Reorder((3, 1, 2))])
    >>> disturber.deliver(["a", "b", "c"], "queue", False)
    ['c', 'a', 'a', 'b']
    """

    def __init__(self, steps: Iterable[Step] = (), most_writes: int | None = None) -> None:
        self._crash: Crash | None = None
        self._duplicates: dict[int, list[Duplicate]] = {}
        self._orders: dict[int, Reorder] = {}
        self._most_writes = most_writes
        self._lock = threading.Lock()
        self.deliveries: list[Delivery] = []
        self.announced: set[int] = set()
        self.met: list[Step] = []
        self.is_runaway = False
        for step in steps:
            if isinstance(step, Crash):
                self._crash = step
            elif isinstance(step, Reorder):
                self._orders[step.delivery] = step
            else:
                self._duplicates.setdefault(step.delivery, []).append(step)

    def crashes_before(self, write: int) -> bool:
        """True if the run is to end before the write with this number."""
        self.announced.add(write)
        return self._meets("before", write)

    def crashes_after(self, write: int) -> bool:
        """True if the run is to end after the write with this number."""
        if self._most_writes is not None and write > self._most_writes:
            self.is_runaway = True
        return self._meets("after", write) or self.is_runaway

    def deliver(self, batch: list[T], source: str, is_ordered: bool) -> list[T]:
        """The batch as the pipeline gets it."""
        with self._lock:
            self.deliveries.append(Delivery(len(batch), source, is_ordered))
            number = len(self.deliveries)
        twice = [step for step in self._duplicates.get(number, ()) if step.item <= len(batch)]
        order = self._orders.get(number)
        places = list(range(len(batch)))
        if order is not None and not is_ordered:
            there = [item - 1 for item in order.order if item <= len(batch)]
            places = there + places[len(order.order) :]
            if places != sorted(places):
                self.met.append(order)
        self.met += twice
        repeated = {step.item - 1 for step in twice}
        return [batch[place] for place in places for _ in range(1 + (place in repeated))]

    def _meets(self, when: str, write: int) -> bool:
        crash = self._crash
        if crash is None or crash.when != when or crash.write != write:
            return False
        self.met.append(crash)
        return True
