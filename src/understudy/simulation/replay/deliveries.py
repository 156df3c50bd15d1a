"""The seam at which an exploration disturbs what is delivered to a pipeline: some of it twice, or in another order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")
Disturb = Callable[[list[Any]], list[Any]]
_disturb: ContextVar[Disturb | None] = ContextVar("understudy_deliveries", default=None)


def delivered(items: Iterable[T]) -> list[T]:
    """What a source hands to the pipeline: as it is, unless an exploration is running that disturbs it.

    Simulated connectors pass what they list through here. A source of your own (a queue, a folder) can as well:

    >>> delivered(["first", "second"])
    ['first', 'second']
    """
    disturb = _disturb.get()
    batch = list(items)
    return batch if disturb is None else disturb(batch)


@contextmanager
def disturbed_deliveries(disturb: Disturb) -> Iterator[None]:
    """Have everything that is delivered in this block go through a function."""
    token = _disturb.set(disturb)
    try:
        yield
    finally:
        _disturb.reset(token)
