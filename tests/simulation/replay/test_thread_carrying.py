"""What the threads of a run write is in its ledger, and the context of the run stays in the run."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from understudy.context import ExecutionContext, current_context
from understudy.simulation import SimulationConnector, explore
from understudy.simulation.replay.record import Run
from understudy.simulation.replay.runner import ReplayRunner

RunnerOf = Callable[..., ReplayRunner]
TOOL = {"type": "tool", "id": "tool--1"}


def first_run(runner: ReplayRunner) -> Run:
    runner.run_first()
    run = runner.first_run
    assert run is not None
    return run


def in_a_thread(work: Callable[[], object]) -> None:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


class Worker(threading.Thread):
    """A thread that is made as a class of its own."""

    def __init__(self, work: Callable[[], object]) -> None:
        super().__init__()
        self._work = work

    def run(self) -> None:
        """Do the work."""
        self._work()


def in_a_thread_of_its_own_class(work: Callable[[], object]) -> None:
    worker = Worker(work)
    worker.start()
    worker.join()


def in_a_thread_of_a_thread(work: Callable[[], object]) -> None:
    in_a_thread(lambda: in_a_thread(work))


def in_a_pool(work: Callable[[], object]) -> None:
    with ThreadPoolExecutor(2) as pool:
        pool.submit(work).result()


def in_the_pool_of_a_loop(work: Callable[[], object]) -> None:
    async def go() -> None:
        await asyncio.get_running_loop().run_in_executor(None, work)

    asyncio.run(go())


WAYS = [in_a_thread, in_a_thread_of_its_own_class, in_a_thread_of_a_thread, in_a_pool, in_the_pool_of_a_loop]


@pytest.mark.parametrize("watch", [True, False], ids=["heard", "not heard"])
@pytest.mark.parametrize("way", WAYS)
def test_what_a_thread_writes_is_in_the_ledger(runner_of: RunnerOf, way: Any, watch: bool) -> None:
    sink = SimulationConnector(name="sink")

    def pipeline(ctx: ExecutionContext) -> list[dict[str, Any]]:
        way(lambda: sink.upsert_object({"type": "note"}))
        return [TOOL]

    runner = runner_of(pipeline, find_causes=watch)
    (write,) = first_run(runner).writes
    assert write.name == "sink.upsert_object()"

    result = runner.replay(runner.last_execution_log, ["tool--1"], check=False)

    assert "the replay made write 1, sink.upsert_object()" in str(result)


def test_a_pool_that_outlives_a_run_serves_each_run_and_nobody_when_they_are_over(
    runner_of: RunnerOf,
) -> None:
    with ThreadPoolExecutor(1) as pool:

        def pipeline(ctx: ExecutionContext) -> list[dict[str, Any]]:
            assert pool.submit(current_context).result() is ctx
            return [TOOL]

        for _ in range(2):
            runner_of(pipeline).run_first()
        assert pool.submit(current_context).result() is None


def test_threads_of_others_get_no_context_while_a_run_goes_on(runner_of: RunnerOf) -> None:
    running, seen = threading.Event(), threading.Event()
    found: list[ExecutionContext | None] = []

    def elsewhere() -> None:
        assert running.wait(30)
        with ExecutionContext.create("somebody", "else").use():
            in_a_thread(lambda: found.append(current_context()))
        seen.set()

    other = threading.Thread(target=elsewhere)
    other.start()

    def pipeline(ctx: ExecutionContext) -> list[dict[str, Any]]:
        running.set()
        assert seen.wait(30)
        return [TOOL]

    runner_of(pipeline).run_first()
    other.join()
    assert found == [None]


def test_threads_start_as_before_when_the_run_is_over(runner_of: RunnerOf) -> None:
    before = (threading.Thread.start, ThreadPoolExecutor.submit)

    def pipeline(ctx: ExecutionContext) -> list[dict[str, Any]]:
        assert (threading.Thread.start, ThreadPoolExecutor.submit) != before
        raise ValueError("it ends badly")

    with pytest.raises(ValueError, match="it ends badly"):
        runner_of(pipeline).run_first()
    assert (threading.Thread.start, ThreadPoolExecutor.submit) == before


def test_a_crash_after_a_write_of_a_thread_is_explored() -> None:
    def notify_twice(ctx: ExecutionContext, sink: SimulationConnector) -> None:
        in_a_thread(lambda: sink.upsert_object({"type": "note"}))

    explored = explore(notify_twice, world=SimulationConnector)

    assert [str(step) for find in explored.finds for step in find.disturbance] == ["a crash after write 1"]
