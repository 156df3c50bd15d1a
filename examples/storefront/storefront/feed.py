"""A list of events that can be followed: first what has happened already, then what happens next."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from typing import Generic, TypeVar

Event = TypeVar("Event")


class Feed(Generic[Event]):
    """Events in order, for any number of followers in the same event loop."""

    def __init__(self, past: Iterable[Event] = ()) -> None:
        self._events = list(past)
        self._waiting: set[asyncio.Event] = set()

    def append(self, event: Event) -> None:
        """Add an event and wake everyone who waits for one."""
        self._events.append(event)
        for signal in self._waiting:
            signal.set()

    async def follow(self) -> AsyncGenerator[Event, None]:
        """Every event from the beginning; waits for the next one when there is none, and never ends."""
        position = 0
        while True:
            while position < len(self._events):
                yield self._events[position]
                position += 1
            signal = asyncio.Event()
            self._waiting.add(signal)
            try:
                await signal.wait()
            finally:
                self._waiting.discard(signal)
