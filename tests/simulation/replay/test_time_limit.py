"""Work within a limit of time is done in a thread that is nobody's concern, and is left when it does not end."""

from __future__ import annotations

import threading

import pytest

from understudy.context import ExecutionContext, current_context
from understudy.simulation.replay.execute import Conditions, Execution
from understudy.simulation.replay.time_limit import PipelineTimeout, within


def test_the_thread_is_none_of_the_pipelines() -> None:
    def works(ctx: ExecutionContext) -> list[dict[str, str]]:
        return [{"id": "a"}]

    run = Execution(works, Conditions(timeout=30)).execute()
    assert (run.ids, run.reads, run.notes) == (("a",), (), ())


def test_what_is_raised_is_raised_here() -> None:
    def fails() -> None:
        raise KeyError("a")

    with pytest.raises(KeyError):
        within(30, fails, "fails")


def test_the_current_context_is_seen_within() -> None:
    seen: list[ExecutionContext | None] = []
    with ExecutionContext.create("test", "ingestion").use() as context:
        within(30, lambda: seen.append(current_context()), "looks")
    assert seen == [context]


def test_without_a_limit_there_is_no_thread() -> None:
    threads: list[threading.Thread] = []
    within(None, lambda: threads.append(threading.current_thread()), "looks")
    assert threads == [threading.current_thread()]


def test_what_does_not_end_is_left() -> None:
    release = threading.Event()
    with pytest.raises(
        PipelineTimeout, match=r"waits ran longer than the 0\.01 s allowed, and goes on in a thread"
    ):
        within(0.01, release.wait, "waits")
    release.set()
