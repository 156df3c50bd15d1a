"""The seams at which an exploration disturbs a run: what the pipeline is handed, and the moment before a write."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from understudy.context import ExecutionContext, current_context
from understudy.simulation.replay.ledger import RunLog

T = TypeVar("T")


def delivered(
    items: Iterable[T],
    *,
    source: str = "",
    is_ordered: bool = False,
    context: ExecutionContext | None = None,
) -> list[T]:
    """What a source hands to the pipeline: as it is, unless an exploration is running that disturbs it.

    Simulated connectors pass what they list through here. A source of your own (a queue, a folder) can as well; say
    that it `is_ordered` if it promises an order, so that its items are never exchanged.

    >>> delivered(["first", "second"])
    ['first', 'second']
    """
    batch = list(items)
    order = delivery_order(len(batch), source=source, is_ordered=is_ordered, context=context)
    return batch if order is None else [batch[place] for place in order]


def delivery_order(
    count: int, *, source: str = "", is_ordered: bool = False, context: ExecutionContext | None = None
) -> list[int] | None:
    """The places of the items of a batch in the order in which they are handed over; None if nothing is disturbed."""
    log = _run_log(context)
    if log is None or log.disturber is None:
        return None
    return log.disturber.deliver(list(range(count)), source, is_ordered)


def about_to_write(context: ExecutionContext | None = None) -> None:
    """Say that a side effect is about to be made: an exploration may have the pipeline die at this moment.

    Simulated connectors and `SideEffects` say so. Call it yourself before an effect that you write to the context's
    log with `record(..., kind="write")`.

    >>> about_to_write()
    """
    log = _run_log(context)
    if log is not None:
        log.about_to_write()


def run_around(context: ExecutionContext) -> ExecutionContext | None:
    """The context of the run that is going on, if this other one logs somewhere else: the run is to know all the same.

    A pipeline may make contexts of its own, or have a connector with one from before.
    """
    current = current_context()
    if current is None or current is context or not isinstance(current.log, RunLog):
        return None
    return current if getattr(context, "log", None) is not current.log else None


def _run_log(context: ExecutionContext | None) -> RunLog | None:
    """The log of the run that is going on; in a thread that knows of none, that of the given context."""
    for one in (current_context(), context):
        if isinstance(log := getattr(one, "log", None), RunLog):
            return log
    return None
