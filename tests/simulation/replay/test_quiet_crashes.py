"""Threads that a simulated crash ends say nothing, all others what they always say, however trials overlap."""

from __future__ import annotations

import threading

import pytest

from understudy.simulation.replay.ledger import SimulatedCrash
from understudy.simulation.replay.quiet_crashes import quiet_crashes


@pytest.fixture(name="said")
def _said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the hook that was there before is told."""
    said: list[str] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: said.append(args.exc_type.__name__))
    return said


def end_by(error: type[BaseException]) -> None:
    def work() -> None:
        raise error

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def test_a_crash_says_nothing_and_anything_else_does(said: list[str]) -> None:
    with quiet_crashes():
        end_by(SimulatedCrash)
        end_by(ValueError)
    assert said == ["ValueError"]


def test_afterwards_everything_is_as_it_was(said: list[str]) -> None:
    before = threading.excepthook
    first, second = quiet_crashes(), quiet_crashes()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    end_by(SimulatedCrash)
    assert said == []
    second.__exit__(None, None, None)
    assert threading.excepthook is before


def test_a_hook_that_somebody_else_has_set_meanwhile_stays(said: list[str]) -> None:
    def other(args: threading.ExceptHookArgs) -> None:
        said.append("other")

    with quiet_crashes():
        threading.excepthook = other
    assert threading.excepthook is other
