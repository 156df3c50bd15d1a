"""Queue cases over a broker: what is compared, what times out, and what a broken broker costs."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from understudy.core.clock import FixedClock
from understudy.core.errors import InputError
from understudy.testbed.models import QueueCase, QueueJobSuite, Suite
from understudy.testbed.queue import (
    QueueBrokerOptions,
    QueueBrokerResult,
    run_queue_broker,
    run_queue_broker_async,
)
from understudy.testbed.results import QueueRunResult, ReportSummary


class Broker:
    """A broker whose steps can be replaced for single cases; the handler's error is empty otherwise."""

    def __init__(self, **steps: Callable[[QueueCase], Any]) -> None:
        self.steps = steps
        self.log: list[str] = []

    async def publish(self, job: QueueJobSuite, item: QueueCase) -> None:
        self.log.append(f"publish {job.queue}/{job.job} {item.name} {item.input.body}")
        await self._step(f"publish_{item.name}", item)

    async def await_(self, job: QueueJobSuite, item: QueueCase) -> QueueBrokerResult:
        self.log.append(f"await {item.name}")
        given = await self._step(f"await_{item.name}", item)
        return QueueBrokerResult() if given is None else given

    async def _step(self, name: str, item: QueueCase) -> Any:
        given = self.steps[name](item) if name in self.steps else None
        return await given if asyncio.iscoroutine(given) else given


def suite(*cases: dict[str, Any]) -> Suite:
    return Suite.model_validate(
        {"queue": {"jobs": [{"queue": "orders", "job": "ship", "cases": list(cases)}]}}
    )


def run(given: Suite, broker: Any, **options: Any) -> list[QueueRunResult]:
    return run_queue_broker(given, broker, QueueBrokerOptions(**options)).queue


async def hang(item: QueueCase) -> None:
    await asyncio.Event().wait()


def throw(error: BaseException) -> Callable[[QueueCase], Any]:
    def step(item: QueueCase) -> Any:
        raise error

    return step


def test_each_case_is_published_then_awaited_in_the_order_of_the_suite() -> None:
    given = suite({"name": "a", "input": {"body": "1"}}, {"name": "b", "input": {"body": "2"}})
    given.queue.jobs.append(QueueJobSuite(queue="mail", job="send", cases=[QueueCase(name="c")]))
    broker = Broker()
    report = run_queue_broker(given, broker)
    assert broker.log == [
        "publish orders/ship a 1",
        "await a",
        "publish orders/ship b 2",
        "await b",
        "publish mail/send c ",
        "await c",
    ]
    assert [(entry.queue, entry.job, entry.case, entry.passed) for entry in report.queue] == [
        ("orders", "ship", "a", True),
        ("orders", "ship", "b", True),
        ("mail", "send", "c", True),
    ]
    assert report.summary == ReportSummary(total=3, passed=3)


@pytest.mark.parametrize(
    ("expected", "actual", "failures"),
    [
        ("", "", []),
        ("boom", "boom", []),
        ("", "boom", ["the handler's error: expected '' (no error), got 'boom'"]),
        ("boom", "", ["the handler's error: expected 'boom', got '' (no error)"]),
        ("boom", "boom!", ["the handler's error: expected 'boom', got 'boom!'"]),
        ("boom", "Boom", ["the handler's error: expected 'boom', got 'Boom'"]),
        ("boom", "boom ", ["the handler's error: expected 'boom', got 'boom '"]),
    ],
)
def test_the_handlers_error_is_compared_exactly(expected: str, actual: str, failures: list[str]) -> None:
    broker = Broker(await_a=lambda item: QueueBrokerResult(error=actual))
    (result,) = run(suite({"name": "a", "expect": {"error": expected}}), broker)
    assert (result.failures, result.passed, result.error) == (failures, not failures, "")


@pytest.mark.parametrize(
    ("step", "words"),
    [
        ("publish_a", "publish: the message was never accepted"),
        ("await_a", "await_: the message was published"),
    ],
)
def test_a_timeout_says_which_of_the_two_hung_and_the_others_still_run(step: str, words: str) -> None:
    first, second = run(suite({"name": "a"}, {"name": "b"}), Broker(**{step: hang}), timeout=0.02)
    assert first.error.startswith(f"timed out after 0.02 s, in the broker's {words}")
    assert (first.passed, second.passed) == (False, True)


def test_each_case_has_the_whole_timeout_for_publishing_and_awaiting_together() -> None:
    budgets: list[float | None] = []

    async def note_deadline(item: QueueCase) -> None:
        task = asyncio.current_task()
        assert task is not None
        budgets.append(asyncio.get_running_loop().time())

    async def hang_in_await(item: QueueCase) -> None:
        await note_deadline(item)
        await hang(item)

    broker = Broker(
        publish_a=note_deadline, await_a=hang_in_await, publish_b=note_deadline, await_b=hang_in_await
    )
    results = run(suite({"name": "a"}, {"name": "b"}), broker, timeout=0.02)
    assert ["timed out" in result.error for result in results] == [True, True]
    assert all(20 <= result.duration_ms < 5000 for result in results)


def test_a_case_may_have_its_own_timeout() -> None:
    (result,) = run(suite({"name": "a", "timeoutMs": 15}), Broker(await_a=hang))
    assert result.error.startswith("timed out after 0.015 s")


@pytest.mark.parametrize("timeout", [0, 0.0, -1, float("inf")])
def test_without_a_positive_timeout_there_is_no_deadline_but_the_run_can_be_cancelled(timeout: float) -> None:
    async def scenario() -> None:
        waiting = asyncio.Event()

        async def wait_for_ever(item: QueueCase) -> None:
            waiting.set()
            await asyncio.Event().wait()

        options = QueueBrokerOptions(timeout=timeout)
        broker = Broker(await_a=wait_for_ever)
        task = asyncio.create_task(run_queue_broker_async(suite({"name": "a"}), broker, options))
        await waiting.wait()
        assert not task.done()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(scenario())


@pytest.mark.parametrize("timeout", [0, -1, float("inf")])
def test_without_a_positive_timeout_a_case_may_take_as_long_as_it_takes(timeout: float) -> None:
    async def take_many_turns(item: QueueCase) -> None:
        for _ in range(100):
            await asyncio.sleep(0)

    (result,) = run(suite({"name": "a"}), Broker(await_a=take_many_turns), timeout=timeout)
    assert (result.passed, result.error) == (True, "")


def test_ctrl_c_in_a_broker_ends_the_run() -> None:
    broker = Broker(publish_a=throw(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        run_queue_broker(suite({"name": "a"}, {"name": "b"}), broker)
    assert len(broker.log) == 1


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ConnectionError("refused"), "raised ConnectionError: refused"),
        (TimeoutError("the broker's own"), "raised TimeoutError: the broker's own"),
        (asyncio.CancelledError(), "was cancelled from within the broker"),
    ],
)
@pytest.mark.parametrize("step", ["publish", "await_"])
def test_a_broker_that_raises_costs_only_that_case(step: str, error: BaseException, words: str) -> None:
    name = "publish_a" if step == "publish" else "await_a"
    first, second = run(suite({"name": "a"}, {"name": "b"}), Broker(**{name: throw(error)}), timeout=30)
    assert first.error == f"the broker's {step} {words}"
    assert (first.passed, first.failures, second.passed) == (False, [], True)


def test_a_clean_up_that_fails_after_a_timeout_is_still_a_timeout() -> None:
    async def messy(item: QueueCase) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            raise OSError("cannot clean up")

    (result,) = run(suite({"name": "a"}), Broker(await_a=messy), timeout=0.01)
    assert result.error.startswith("timed out after 0.01 s")


def test_a_broker_that_swallows_its_timeout_has_timed_out_all_the_same() -> None:
    async def stubborn(item: QueueCase) -> QueueBrokerResult:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        return QueueBrokerResult()

    (result,) = run(suite({"name": "a"}), Broker(await_a=stubborn), timeout=0.01)
    assert result.error.startswith("timed out after 0.01 s")


@pytest.mark.parametrize("returned", ["done", {"error": ""}, 0])
def test_another_return_value_is_an_error_of_that_case(returned: Any) -> None:
    first, second = run(suite({"name": "a"}, {"name": "b"}), Broker(await_a=lambda item: returned))
    kind = type(returned).__name__
    assert first.error == f"the broker's await_ must return a QueueBrokerResult, and it returned {kind}"
    assert second.passed


def test_a_broker_whose_methods_are_not_async_is_told_so() -> None:
    class Blocking:
        def publish(self, job: QueueJobSuite, item: QueueCase) -> None: ...

        def await_(self, job: QueueJobSuite, item: QueueCase) -> QueueBrokerResult:
            return QueueBrokerResult()

    (result,) = run(suite({"name": "a"}), Blocking())
    assert result.error == "the broker's publish must be async, and it returned NoneType"


def test_a_missing_or_incomplete_broker_is_rejected_before_anything_runs() -> None:
    with pytest.raises(InputError, match="need a broker, and None was given"):
        run_queue_broker(Suite(), None)  # type: ignore[arg-type]  # the mistake under test
    with pytest.raises(InputError, match="needs the async method publish; object has none"):
        run(Suite(), object())


def test_a_timeout_may_be_a_timedelta_as_the_document_has_a_duration() -> None:
    (result,) = run(suite({"name": "a"}), Broker(publish_a=hang), timeout=timedelta(milliseconds=50))
    assert result.error.startswith("timed out after 0.05 s")


@pytest.mark.parametrize("timeout", [float("nan"), "5", None, True])
def test_a_timeout_that_is_no_number_is_rejected(timeout: Any) -> None:
    with pytest.raises(InputError, match="number of seconds"):
        run(Suite(), Broker(), timeout=timeout)


def test_the_time_until_the_handler_was_done_can_be_bounded() -> None:
    clock = FixedClock()
    broker = Broker(await_slow=lambda item: clock.advance(0.5), await_fast=lambda item: clock.advance(0.1))
    expect = {"latencyMs": 200}
    slow, fast = run(
        suite({"name": "slow", "expect": expect}, {"name": "fast", "expect": expect}), broker, clock=clock
    )
    assert slow.failures == ["the time until the handler was done: expected at most 200 ms, got 500.0 ms"]
    assert (slow.duration_ms, fast.duration_ms, fast.failures) == (500.0, 100.0, [])


def test_all_expectations_that_do_not_hold_are_told_together() -> None:
    clock = FixedClock()

    def slow_and_wrong(item: QueueCase) -> QueueBrokerResult:
        clock.advance(1)
        return QueueBrokerResult(error="boom")

    (result,) = run(
        suite({"name": "a", "expect": {"latencyMs": 1}}), Broker(await_a=slow_and_wrong), clock=clock
    )
    assert len(result.failures) == 2


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ({"until": {"error": ""}}, "until"),
        ({"failIf": {"error": "x"}}, "failIf"),
        ({"retry": {"attempts": 3}}, "retry"),
        ({"needs": ["b"]}, "needs"),
        ({"capture": {"a": "b"}}, "capture"),
    ],
)
def test_what_a_broker_run_cannot_do_is_an_error_and_never_silently_left_out(asked: Any, name: str) -> None:
    broker = Broker()
    (result,) = run(suite({"name": "a", **asked}), broker)
    assert result.error == f"a queue case over a broker cannot use {name}: remove it from the case"
    assert broker.log == []


def test_it_works_inside_a_running_event_loop_as_itself_and_as_its_twin() -> None:
    async def scenario() -> tuple[bool, bool]:
        given = suite({"name": "a"})
        return run_queue_broker(given, Broker()) is not None, (
            await run_queue_broker_async(given, Broker())
        ).queue[0].passed

    assert asyncio.run(scenario()) == (True, True)


def test_a_suite_without_queue_cases_makes_an_empty_report() -> None:
    assert run_queue_broker(Suite(), Broker()).summary.total == 0
