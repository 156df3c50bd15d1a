"""Sends every event to every handler; one that fails is told no more, and neither the run nor the others suffer."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from understudy.core.errors import InputError
from understudy.core.events import Event

Handle = Callable[[Event], None]


class Broadcast:
    """The handlers that still work, and what the others could not do.

    >>> broadcast = Broadcast([print])
    >>> broadcast.send("an event")
    an event
    >>> broadcast.raise_failures()
    """

    def __init__(self, handlers: Iterable[Handle]) -> None:
        self._handlers = list(handlers)
        self._failures: list[Exception] = []

    def send(self, event: Event) -> None:
        """Tell every handler."""
        for handle in tuple(self._handlers):
            try:
                handle(event)
            except Exception as error:
                self._failures.append(error)
                self._handlers.remove(handle)

    def raise_failures(self) -> None:
        """Say what handlers could not do, once everything else is done; wrong input of all of them together."""
        wrong = [error for error in self._failures if isinstance(error, InputError)]
        for error in self._failures:
            if error not in wrong:
                raise error
        if wrong:
            raise InputError([problem for error in wrong for problem in error.problems])
