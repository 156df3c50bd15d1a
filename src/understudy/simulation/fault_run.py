"""Carries out a script of faults on the calls of one connector, and knows which faults were never met."""

from __future__ import annotations

import copy
import random
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from understudy.core.clock import Clock
from understudy.simulation.faults import Fault, Faults
from understudy.simulation.selection import Page

Raise = Callable[[str, float | None], Exception]
Sleep = Callable[[float], object]


class _State:
    """What one fault has seen: the calls that it concerns, and whether it had an effect on one."""

    __slots__ = ("calls", "fault", "granted", "is_hit", "random")

    def __init__(self, fault: Fault, seed: str) -> None:
        self.fault = fault
        self.calls = 0
        self.is_hit = False
        self.granted: deque[float] = deque()
        self.random = random.Random(seed)  # noqa: S311 - faults have to be the same again, not unguessable

    def meets(self) -> bool:
        """Count a call, and say whether the fault meets it."""
        self.calls += 1
        fault = self.fault
        if fault.nth is not None:
            return self.calls in (fault.nth if isinstance(fault.nth, tuple) else (fault.nth,))
        if fault.every is not None:
            return self.calls % fault.every == 0
        return fault.chance is None or self.random.random() < fault.chance


class FaultRun:
    """The faults of one connector as its calls go by."""

    def __init__(
        self, faults: Faults | Fault | Iterable[Fault] | None, clock: Clock, sleep: Sleep | None
    ) -> None:
        script = _script(faults)
        self._states = [_State(fault, f"{script.seed}:{at}") for at, fault in enumerate(script.script)]
        self._clock = clock
        self._sleep = sleep if sleep is not None else getattr(clock, "advance", None)
        self._lock = threading.Lock()
        self.waited = 0.0

    def unused(self) -> list[Fault]:
        """The faults that no call was met by, in the order of the script."""
        return [state.fault for state in self._states if not state.is_hit]

    def begin(self, operation: str, error: Raise) -> Call:
        """Let the faults meet a call before it is carried out; raises what `error` makes if one fails it."""
        if not self._states:
            return _UNTOUCHED
        with self._lock:
            # all are counted before any acts, so that what one does never shifts the numbers of another
            met = [state for state in self._states if state.fault.concerns(operation) and state.meets()]
            wait = self._wait(met)
        if wait and self._sleep is not None:
            self._sleep(wait)
        for state in met:
            if state.fault.kind == "rate_limit":
                self._ask_leave(state, operation, error)
        for state in met:
            if state.fault.kind == "fail":
                state.is_hit = True
                raise error(f"{operation}: {state.fault.message}", state.fault.retry_after)
        return Call(met)

    def _wait(self, met: list[_State]) -> float:
        slow = [state for state in met if state.fault.kind == "latency"]
        for state in slow:
            state.is_hit = True
        seconds = sum(state.fault.seconds for state in slow)
        self.waited += seconds
        return seconds

    def _ask_leave(self, state: _State, operation: str, error: Raise) -> None:
        fault = state.fault
        with self._lock:
            now = self._clock.monotonic()
            while state.granted and state.granted[0] <= now - fault.seconds:
                state.granted.popleft()
            if len(state.granted) < fault.amount:
                state.granted.append(now)
                return
            state.is_hit = True
            pause = state.granted[0] + fault.seconds - now
        limit = f"{fault.amount:g} calls in {fault.seconds:g} s"
        raise error(f"{operation}: the rate limit of {limit} is reached; retry after {pause:.3g} s", pause)


class Call:
    """What the faults that met a call do to its result."""

    __slots__ = ("_met",)

    def __init__(self, met: list[_State]) -> None:
        self._met = met

    def times(self) -> int:
        """How often a write is carried out."""
        twice = self._of("duplicate")
        for state in twice:
            state.is_hit = True
        return 1 + len(twice)

    def delivered(self, page: Page, shorter: Callable[[int], Page]) -> Page:
        """What a listing gives in place of a page; `shorter` makes the page with so many objects."""
        for state in self._of("partial_page"):
            kept = max(int(len(page.objects) * state.fault.amount), 1)
            if kept < len(page.objects):
                state.is_hit = True
                page = shorter(kept)
        for state in self._of("duplicate"):
            if page.objects:
                state.is_hit = True
                page = _with_twin(page, state.random.randrange(len(page.objects)))
        for state in self._of("out_of_order"):
            if len(page.objects) > 1:
                state.is_hit = True
                page = _shuffled(page, state.random)
        return page

    def _of(self, kind: str) -> list[_State]:
        return [state for state in self._met if state.fault.kind == kind]


_UNTOUCHED = Call([])


def _script(faults: Any) -> Faults:
    if isinstance(faults, Faults):
        return faults
    several = isinstance(faults, Iterable) and not isinstance(faults, str | bytes)
    return Faults(*faults) if several else Faults(*(() if faults is None else (faults,)))


def rearranged(page: Page, places: Sequence[int]) -> Page:
    """The page with the objects at these places, in this order; one that comes again is a copy."""
    objects, seen = [], set()
    for place in places:
        found = page.objects[place]
        objects.append(copy.deepcopy(found) if place in seen else found)
        seen.add(place)
    added = tuple(page.added[place] for place in places) if page.added else ()
    return replace(page, objects=objects, added=added)


def _with_twin(page: Page, at: int) -> Page:
    return rearranged(page, [*range(at + 1), *range(at, len(page.objects))])


def _shuffled(page: Page, source: random.Random) -> Page:
    order = list(range(len(page.objects)))
    source.shuffle(order)
    if order == sorted(order):
        order.reverse()
    return rearranged(page, order)
