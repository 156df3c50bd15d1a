"""Units that wait for whoever is free to run them, several at a time if their act gains by knowing them beforehand."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

from understudy.engine.act import Act, ForeseeingAct, Unit

MOST_AT_ONCE = 16


class Turns:
    """Hands out units in the order of the plan to so many takers.

    While there are many left, each taker gets several of an act that foresees; towards the end they get one at a time,
    so that nobody has work waiting while another one has none.
    """

    def __init__(self, units: Iterable[Unit], acts: Mapping[str, Act], takers: int) -> None:
        self._waiting = deque(units)
        self._takers = takers
        self._foreseeing = {name for name, act in acts.items() if isinstance(act, ForeseeingAct)}

    def take(self) -> list[Unit]:
        """The next units, all of one act; none if no unit is left."""
        waiting = self._waiting
        count = min(len(waiting) // (2 * self._takers), MOST_AT_ONCE)
        taken = [waiting.popleft()] if waiting else []
        if taken and taken[0].act in self._foreseeing:
            while len(taken) < count and waiting[0].act == taken[0].act:
                taken.append(waiting.popleft())
        return taken
