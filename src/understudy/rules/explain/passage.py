"""What the calls in a traced policy tell: how often each query was entered and held, and where it ended else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from understudy.rules.explain.instrument import Instrumented, Traced
from understudy.rules.explain.traces import Event


@dataclass(slots=True)
class Passage:
    """One query: how often it was entered; the events at each position behind which nothing came, and at the end."""

    entered: int = 0
    failed: dict[int, list[Event]] = field(default_factory=lambda: defaultdict(list))
    held: list[Event] = field(default_factory=list)

    @property
    def stopped(self) -> list[int]:
        """The positions at which it ended: the furthest, if it never held and has one that is furthest."""
        return sorted(self.failed)

    @property
    def furthest(self) -> int | None:
        """The furthest position that was reached and did not hold."""
        return max(self.failed, default=None)


def passages(policy: Instrumented, events: Iterable[Event]) -> Mapping[int, Passage]:
    """What became of each query that was entered, by the number of its first call."""
    found: dict[int, Passage] = {}
    last: dict[int, tuple[int, Event]] = {}
    for event in events:
        query, position = policy.at[int(event.number)]
        passage = found.setdefault(query.first, Passage())
        passage.entered += position == 0
        before = last.get(query.first)
        if before is not None:
            _note(passage, query, before, position)
        if position == query.length:
            passage.held.append(event)
        last[query.first] = position, event
    for first, before in last.items():
        _note(found[first], policy.at[first][0], before, -1)
    return found


def _note(passage: Passage, query: Traced, before: tuple[int, Event], position: int) -> None:
    """A query that went on anywhere but behind the call before ended there."""
    reached, event = before
    if reached < query.length and position != reached + 1:
        passage.failed[reached].append(event)


def different(events: Sequence[Event], most: int) -> list[Event]:
    """The first of the events that saw different values."""
    found: list[Event] = []
    for event in events:
        if all(event.values != other.values for other in found):
            found.append(event)
            if len(found) == most:
                break
    return found
