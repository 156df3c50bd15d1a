"""Queue cases over a broker: publish, await the handler, compare its error."""

from __future__ import annotations

import asyncio
import inspect
import math
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Protocol, runtime_checkable

from understudy.core.clock import Clock, SystemClock
from understudy.core.errors import InputError, UnderstudyError
from understudy.core.portal import run_blocking
from understudy.testbed.models import QueueCase, QueueJobSuite, Suite
from understudy.testbed.results import QueueRunResult, Report
from understudy.testbed.shape import Shape, json_name

# What a queue case could ask for, but publishing once and awaiting once cannot give.
_BEYOND = ("capture", "needs", "until", "fail_if", "retry")

_HUNG = {
    "publish": "the message was never accepted",
    "await_": "the message was published, and the handler's end was never seen",
}


class QueueBrokerResult(Shape):
    """What was seen of the handler: the text of its error, empty for none."""

    error: str = ""


@runtime_checkable
class QueueBroker(Protocol):
    """An adapter to a broker. An error that it raises means that the case could not be judged."""

    async def publish(self, job: QueueJobSuite, item: QueueCase) -> None:
        """Publish the message of a case for a job."""
        ...

    async def await_(self, job: QueueJobSuite, item: QueueCase) -> QueueBrokerResult:
        """Wait until the handler has dealt with the message, and tell what came of it."""
        ...


@dataclass(frozen=True, slots=True)
class QueueBrokerOptions:
    """`timeout` is for each case, publishing included: seconds or a timedelta; zero or less is no deadline."""

    timeout: float | timedelta = 0.0
    clock: Clock = field(default_factory=SystemClock)


NO_DEADLINE = QueueBrokerOptions()


class _NotJudged(UnderstudyError):
    """Why a case could not be judged."""


def run_queue_broker(suite: Suite, broker: QueueBroker, options: QueueBrokerOptions = NO_DEADLINE) -> Report:
    """Run the queue cases of a suite over a broker; the blocking twin of `run_queue_broker_async`.

    >>> class Deaf:
    ...     async def publish(self, job: QueueJobSuite, item: QueueCase) -> None: ...
    ...     async def await_(self, job: QueueJobSuite, item: QueueCase) -> QueueBrokerResult:
    ...         return QueueBrokerResult(error="nothing came")
    >>> jobs = [{"queue": "orders", "job": "ship", "cases": [{"name": "ships"}]}]
    >>> run_queue_broker(Suite.model_validate({"queue": {"jobs": jobs}}), Deaf()).queue[0].failures
    ["the handler's error: expected '' (no error), got 'nothing came'"]
    """
    return run_blocking(run_queue_broker_async, suite, broker, options)


async def run_queue_broker_async(
    suite: Suite, broker: QueueBroker, options: QueueBrokerOptions = NO_DEADLINE
) -> Report:
    """Run every queue case, one after the other and in order: publish, await, compare the handler's error.

    Raises InputError for a broker that is None or lacks a method; all else is told in the results.
    """
    _check(broker, options)
    results = [await _run_case(job, item, broker, options) for job in suite.queue.jobs for item in job.cases]
    return Report.of(queue=results)


def _check(broker: QueueBroker | None, options: QueueBrokerOptions) -> None:
    if broker is None:
        raise InputError("queue cases need a broker, and None was given; pass one with publish and await_")
    for name in ("publish", "await_"):
        if not callable(getattr(broker, name, None)):
            raise InputError(
                f"a queue broker needs the async method {name}; {type(broker).__name__} has none"
            )
    timeout: Any = options.timeout
    if isinstance(timeout, timedelta):
        return
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or math.isnan(timeout):
        raise InputError(f"the timeout of a queue broker is a number of seconds, not {timeout!r}")


async def _run_case(
    job: QueueJobSuite, item: QueueCase, broker: QueueBroker, options: QueueBrokerOptions
) -> QueueRunResult:
    started = options.clock.monotonic()
    trouble = ""
    observed = QueueBrokerResult()
    try:
        observed = await _observe(job, item, broker, options)
    except _NotJudged as error:
        trouble = str(error)
    elapsed_ms = (options.clock.monotonic() - started) * 1000
    failures = [] if trouble else _compare(item, observed, elapsed_ms)
    return QueueRunResult(
        queue=job.queue,
        job=job.job,
        case=item.name,
        passed=not trouble and not failures,
        error=trouble,
        failures=failures,
        duration_ms=round(elapsed_ms, 3),
    )


async def _observe(
    job: QueueJobSuite, item: QueueCase, broker: QueueBroker, options: QueueBrokerOptions
) -> QueueBrokerResult:
    asked = [json_name(name) for name in _BEYOND if getattr(item, name)]
    if asked:
        raise _NotJudged(f"a queue case over a broker cannot use {', '.join(asked)}: remove it from the case")
    seconds = _deadline(item, options)
    stage = "publish"
    observed: Any = None
    try:
        async with asyncio.timeout(seconds) as limit:
            await _ask(stage, broker.publish, job, item)
            stage = "await_"
            observed = await _ask(stage, broker.await_, job, item)
    except (TimeoutError, _NotJudged):
        if not limit.expired():
            raise
    if limit.expired():
        raise _NotJudged(f"timed out after {seconds:g} s, in the broker's {stage}: {_HUNG[stage]}")
    if not isinstance(observed, QueueBrokerResult):
        kind = type(observed).__name__
        raise _NotJudged(f"the broker's await_ must return a QueueBrokerResult, and it returned {kind}")
    return observed


def _deadline(item: QueueCase, options: QueueBrokerOptions) -> float | None:
    given = options.timeout
    seconds = given.total_seconds() if isinstance(given, timedelta) else given
    if item.timeout_ms:
        seconds = item.timeout_ms / 1000
    return seconds if 0 < seconds < math.inf else None


async def _ask(stage: str, method: Any, job: QueueJobSuite, item: QueueCase) -> Any:
    try:
        given = method(job, item)
        if not inspect.isawaitable(given):
            raise _NotJudged(f"the broker's {stage} must be async, and it returned {type(given).__name__}")
        return await given
    except _NotJudged:
        raise
    except asyncio.CancelledError:
        # Somebody cancelled this task; or the broker a task of its own, and that is the broker's failure.
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise _NotJudged(f"the broker's {stage} was cancelled from within the broker") from None
    except Exception as error:
        raise _NotJudged(f"the broker's {stage} raised {type(error).__name__}: {error}") from error


def _compare(item: QueueCase, observed: QueueBrokerResult, elapsed_ms: float) -> list[str]:
    failures: list[str] = []
    if observed.error != item.expect.error:
        expected, actual = _shown(item.expect.error), _shown(observed.error)
        failures.append(f"the handler's error: expected {expected}, got {actual}")
    bound = item.expect.latency_ms
    if bound is not None and elapsed_ms > bound:
        failures.append(
            f"the time until the handler was done: expected at most {bound:g} ms, got {elapsed_ms:.1f} ms"
        )
    return failures


def _shown(error: str) -> str:
    return repr(error) if error else "'' (no error)"
