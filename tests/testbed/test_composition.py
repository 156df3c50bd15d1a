"""Runners put together: who is ignored, who is refused, how reports and errors become one."""

from __future__ import annotations

import asyncio
import copy
import functools
import pickle
import threading
import traceback
from collections.abc import Callable
from typing import Any, cast

import pytest

from understudy.core.errors import InputError, UnderstudyError
from understudy.core.portal import run_blocking
from understudy.testbed.composition import Runner, SimulationError, Simulator, runner_func
from understudy.testbed.models import Suite
from understudy.testbed.results import HTTPRunResult, QueueRunResult, Report


class Recording:
    """A runner that notes when it starts and ends, and then returns or raises what it was given."""

    def __init__(self, name: str, result: Any, log: list[str] | None = None) -> None:
        self.name = name
        self.result = result
        self.log = [] if log is None else log

    async def run_testbed(self, suite: Suite) -> Report:
        self.log.append(f"{self.name} starts")
        await asyncio.sleep(0)
        self.log.append(f"{self.name} ends")
        if isinstance(self.result, BaseException):
            raise self.result
        return self.result  # type: ignore[no-any-return]  # also what is no report, on purpose


def report(*names: str) -> Report:
    return Report.of(http=[HTTPRunResult(case=name, passed=True) for name in names])


def names_of(merged: Report) -> list[str]:
    return [result.case for result in merged.results()]


def test_every_runner_runs_once_in_order_and_one_after_the_other() -> None:
    log: list[str] = []
    merged = Simulator(Recording("b", report("1"), log), Recording("a", report("2"), log)).run(Suite())
    assert log == ["b starts", "b ends", "a starts", "a ends"]
    assert names_of(merged) == ["1", "2"]
    assert (merged.summary.total, merged.summary.passed) == (2, 2)


def test_every_runner_is_given_the_suite() -> None:
    given: list[Suite] = []

    async def look(suite: Suite) -> Report:
        given.append(suite)
        return Report()

    suite = Suite()
    Simulator(runner_func("a", look), runner_func("b", look)).run(suite)
    assert [entry is suite for entry in given] == [True, True]


def test_none_and_runners_without_a_name_are_ignored() -> None:
    merged = Simulator(None, Recording("", report("no")), Recording("a", report("yes")), None).run(Suite())
    assert names_of(merged) == ["yes"]


@pytest.mark.parametrize("runners", [(), (None,), (Recording("", Report()), None)])
def test_a_simulator_without_runners_is_an_error_when_it_runs(runners: tuple[Runner | None, ...]) -> None:
    simulator = Simulator(*runners)
    with pytest.raises(InputError, match="no runners"):
        simulator.run(Suite())


def test_failing_runners_make_one_error_with_the_merged_report_of_all() -> None:
    partial = ValueError("broke off")
    partial.report = report("half")  # type: ignore[attr-defined]  # what an error may carry
    trouble = OSError("refused")
    with pytest.raises(SimulationError) as caught:
        Simulator(
            Recording("one", report("a")),
            Recording("two", partial),
            Recording("three", trouble),
            Recording("four", report("b")),
        ).run(Suite())
    error = caught.value
    assert error.exceptions == (partial, trouble)
    assert names_of(error.report) == ["a", "half", "b"]
    assert error.report.summary.passed == 3
    assert str(error).startswith(
        "2 of 4 runners failed: two (ValueError: broke off); three (OSError: refused)"
    )


def test_the_error_is_a_group_and_one_of_ours() -> None:
    error = SimulationError("two failed", [ValueError("a"), OSError("b")], report("done"))
    assert isinstance(error, UnderstudyError)
    matching, rest = error.split(ValueError)
    for part in (matching, rest, pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert isinstance(part, SimulationError)
        assert names_of(part.report) == ["done"]
    with pytest.raises(SimulationError) as caught:
        raise error
    assert str(caught.value) == "two failed (2 sub-exceptions)"


def test_a_simulator_inside_a_simulator_keeps_its_partial_report() -> None:
    inner = Simulator(Recording("x", report("inner")), Recording("y", ValueError("z")))
    with pytest.raises(SimulationError) as caught:
        Simulator(runner_func("nested", inner.run), Recording("after", report("outer"))).run(Suite())
    assert names_of(caught.value.report) == ["inner", "outer"]
    assert isinstance(caught.value.exceptions[0], SimulationError)


def test_a_runner_whose_method_is_not_async_works_too() -> None:
    class Plain:
        name = "plain"

        def run_testbed(self, suite: Suite) -> Report:
            return report("a")

    assert names_of(Simulator(cast("Runner", Plain())).run(Suite())) == ["a"]


@pytest.mark.parametrize("returned", [None, {}, "report", Suite()])
def test_what_is_no_report_is_an_error_of_its_runner(returned: Any) -> None:
    with pytest.raises(SimulationError, match=f"must return a Report.*{type(returned).__name__}") as caught:
        Simulator(Recording("odd", returned), Recording("fine", report("a"))).run(Suite())
    assert names_of(caught.value.report) == ["a"]


def test_a_report_of_another_schema_is_an_error_of_its_runner() -> None:
    other = report("x")
    other.schema = "another.v9"
    error = ValueError("carries it")
    error.report = other  # type: ignore[attr-defined]  # what an error may carry
    with pytest.raises(SimulationError, match=r"another\.v9") as caught:
        Simulator(Recording("returns", other), Recording("raises", error)).run(Suite())
    assert len(caught.value.exceptions) == 2
    assert names_of(caught.value.report) == []


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, asyncio.CancelledError])
def test_what_ends_a_program_is_no_failure_of_a_runner(kind: type[BaseException]) -> None:
    log: list[str] = []
    with pytest.raises(kind):
        Simulator(Recording("a", kind(), log), Recording("b", Report(), log)).run(Suite())
    assert log == ["a starts", "a ends"]


def test_a_cancellation_ends_the_simulator() -> None:
    async def scenario() -> str:
        started = asyncio.Event()

        async def hang(suite: Suite) -> Report:
            started.set()
            await asyncio.Event().wait()
            return Report()

        task = asyncio.create_task(Simulator(runner_func("a", hang)).run_async(Suite()))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return "cancelled"

    assert asyncio.run(scenario()) == "cancelled"


@pytest.mark.parametrize("name", ["", "  ", None, 7])
def test_a_runner_needs_a_name(name: Any) -> None:
    with pytest.raises(InputError, match="needs a name that is not empty"):
        runner_func(name, lambda suite: Report())


@pytest.mark.parametrize("fn", [None, 7, "run"])
def test_a_runner_needs_a_function(fn: Any) -> None:
    with pytest.raises(InputError, match="runner 'a' needs a function"):
        runner_func("a", fn)


class AsyncCallable:
    async def __call__(self, suite: Suite) -> Report:
        return report(threading.current_thread().name)


async def async_function(suite: Suite, *, prefix: str = "") -> Report:
    return report(prefix + threading.current_thread().name)


@pytest.mark.parametrize(
    "fn", [async_function, AsyncCallable(), functools.partial(async_function, prefix="")]
)
def test_an_async_function_is_called_in_the_loop_itself(fn: Callable[[Suite], Any]) -> None:
    async def scenario() -> tuple[Runner, Report]:
        runner = runner_func("a", fn)
        return runner, await runner.run_testbed(Suite())

    runner, result = asyncio.run(scenario())
    assert runner.name == "a"
    assert names_of(result) == [threading.main_thread().name]


def test_a_plain_function_may_return_an_awaitable() -> None:
    assert names_of(Simulator(runner_func("a", lambda suite: async_function(suite))).run(Suite())) != []


def test_a_blocking_function_runs_beside_the_loop_and_may_call_blocking_functions() -> None:
    async def later() -> Report:
        return report("from the portal")

    def blocking(suite: Suite) -> Report:
        return run_blocking(later)

    assert names_of(Simulator(runner_func("a", blocking)).run(Suite())) == ["from the portal"]


def test_blocking_runners_may_nest_deeper_than_any_pool_of_threads() -> None:
    def nest(level: int) -> Callable[[Suite], Report]:
        if level == 0:
            return lambda suite: report("deepest")
        return lambda suite: Simulator(runner_func(f"level {level}", nest(level - 1))).run(suite)

    assert names_of(nest(40)(Suite())) == ["deepest"]


def test_an_error_of_a_blocking_function_is_the_runners_error() -> None:
    def blocking(suite: Suite) -> Report:
        raise LookupError("no such thing")

    with pytest.raises(SimulationError, match="no such thing") as caught:
        Simulator(runner_func("a", blocking)).run(Suite())
    last = traceback.extract_tb(caught.value.exceptions[0].__traceback__)[-1]
    assert last.name == "blocking"


def test_even_an_error_that_ends_iterations_is_an_error_of_its_runner() -> None:
    def blocking(suite: Suite) -> Report:
        raise StopIteration

    with pytest.raises(SimulationError, match="StopIteration"):
        Simulator(runner_func("a", blocking)).run(Suite())


def test_a_result_that_comes_after_a_cancellation_is_dropped_in_silence() -> None:
    entered, release = threading.Event(), threading.Event()
    said: list[dict[str, Any]] = []

    def blocking(suite: Suite) -> Report:
        entered.set()
        release.wait(30)
        return Report()

    async def scenario() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: said.append(context))
        task = asyncio.create_task(runner_func("a", blocking).run_testbed(Suite()))
        await asyncio.to_thread(entered.wait, 30)
        (worker,) = (thread for thread in threading.enumerate() if thread.name == "understudy-runner")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        release.set()
        await asyncio.to_thread(worker.join, 30)

    asyncio.run(scenario())
    assert said == []


def test_a_cancelled_run_does_not_wait_for_a_function_that_blocks() -> None:
    entered, release, left = threading.Event(), threading.Event(), threading.Event()

    def blocking(suite: Suite) -> Report:
        entered.set()
        release.wait(30)
        left.set()
        return Report.of(queue=[QueueRunResult()])

    async def scenario() -> None:
        task = asyncio.create_task(Simulator(runner_func("a", blocking)).run_async(Suite()))
        await asyncio.to_thread(entered.wait, 30)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not left.is_set()

    asyncio.run(scenario())
    # The loop is closed by now: the late result has nowhere to go, and says nothing.
    release.set()
    assert left.wait(30)
    for thread in threading.enumerate():
        if thread.name == "understudy-runner":
            thread.join(30)
