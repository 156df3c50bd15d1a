"""Which signals cancel a run, and that all is as it was afterwards."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator

import pytest

from understudy.cli.interrupts import cancelling


@pytest.fixture(autouse=True)
def handlers_as_before() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


async def cancelled_by(number: signal.Signals) -> bool:
    task = asyncio.current_task()
    assert task is not None
    with cancelling(task):
        try:
            signal.raise_signal(number)
            await asyncio.sleep(0)  # where the loop hears of it
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            task.uncancel()
            return True
    return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_cancels_and_is_handed_back(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with asyncio.Runner() as runner:
        assert runner.run(cancelled_by(number))
    assert signal.getsignal(number) is before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_is_ignored_stays_so(number: signal.Signals) -> None:
    signal.signal(number, signal.SIG_IGN)
    assert not asyncio.run(cancelled_by(number))
    assert signal.getsignal(number) is signal.SIG_IGN
