"""Runners of several protocols put together: each is given the suite, and their reports become one."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Awaitable, Callable, Sequence
from contextvars import copy_context
from typing import Any, Protocol, Self, cast, runtime_checkable

from understudy.core.errors import InputError, UnderstudyError
from understudy.core.portal import run_blocking
from understudy.testbed.models import HTTPCase, HTTPRouteSuite, Suite
from understudy.testbed.results import HTTPRunResult, Report, merge_reports

RunnerFunction = Callable[[Suite], Report | Awaitable[Report]]


@runtime_checkable
class Runner(Protocol):
    """Runs the cases of a suite that it understands."""

    @property
    def name(self) -> str:
        """What the runner is called in errors; one without a name is ignored."""
        ...

    async def run_testbed(self, suite: Suite) -> Report:
        """Run the cases. An error may carry what was done before it as `.report`."""
        ...


@runtime_checkable
class WebSocketRunner(Protocol):
    """Holds the conversation of a case of a WebSocket route."""

    async def run_websocket(
        self, route: HTTPRouteSuite, item: HTTPCase, result: HTTPRunResult
    ) -> HTTPRunResult:
        """Run one case and return its result, for which `result` is a beginning."""
        ...


class SimulationError(ExceptionGroup[Exception], UnderstudyError):
    """Some runners failed: their errors, and in `report` what all runners did, the failed ones included."""

    report: Report

    def __new__(cls, message: str, errors: Sequence[Exception], report: Report) -> Self:
        self = super().__new__(cls, message, errors)
        self.report = report
        return self

    def derive(self, errors: Sequence[Exception], /) -> SimulationError:  # type: ignore[override]  # narrower
        """A group of some of the errors, as `split` and `except*` make it, with the same report."""
        return SimulationError(self.message, errors, self.report)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.exceptions, self.report)


def runner_func(name: str, fn: RunnerFunction) -> Runner:
    """The runner that calls a function, which returns a report or an awaitable of one.

    One that is not async runs in a thread of its own: it may block, and call blocking functions of ours.

    >>> Simulator(runner_func("mine", lambda suite: Report())).run(Suite()).summary.total
    0
    """
    if not isinstance(name, str) or not name.strip():
        raise InputError(f"a runner needs a name that is not empty, not {name!r}")
    if not callable(fn):
        raise InputError(f"runner {name!r} needs a function that takes a suite, not {fn!r}")
    return _FunctionRunner(name, fn)


class Simulator:
    """Runs several runners over one suite, one after the other in their order.

    None and runners without a name are ignored.
    """

    def __init__(self, *runners: Runner | None) -> None:
        self._runners = tuple(runner for runner in runners if runner is not None and _name_of(runner))

    def run(self, suite: Suite) -> Report:
        """The merged report of all runners; see `run_async`."""
        return run_blocking(self.run_async, suite)

    async def run_async(self, suite: Suite) -> Report:
        """The merged report of all runners; if some failed, SimulationError is raised and carries it."""
        if not self._runners:
            raise InputError("the simulator has no runners; give it at least one runner that has a name")
        reports: list[Report] = []
        errors: list[Exception] = []
        stories: list[str] = []
        for runner in self._runners:
            # Only Exception: a cancellation or Ctrl-C is no failure of a runner, and ends all of them.
            try:
                given: Any = runner.run_testbed(suite)
                reports.append(_checked(await given if inspect.isawaitable(given) else given))
            except Exception as error:
                errors.append(error)
                stories.append(f"{_name_of(runner)} ({type(error).__name__}: {error})")
                partial = getattr(error, "report", None)
                if isinstance(partial, Report) and not Report.schema_problem(partial.schema):
                    reports.append(partial)
        merged = merge_reports(*reports)
        if errors:
            counts = f"{len(errors)} of {len(self._runners)} runners failed"
            raise SimulationError(f"{counts}: {'; '.join(stories)}", errors, merged)
        return merged


class _FunctionRunner:
    def __init__(self, name: str, fn: RunnerFunction) -> None:
        self._name = name
        self._fn = fn

    @property
    def name(self) -> str:
        return self._name

    async def run_testbed(self, suite: Suite) -> Report:
        given = self._fn(suite) if _is_async(self._fn) else await _in_a_thread(self._fn, suite)
        return cast("Report", await given if inspect.isawaitable(given) else given)


def _name_of(runner: Runner) -> str:
    name = getattr(runner, "name", "")
    return name.strip() if isinstance(name, str) else ""


def _checked(report: Any) -> Report:
    if not isinstance(report, Report):
        raise InputError(f"a runner must return a Report, and this one returned {type(report).__name__}")
    problem = Report.schema_problem(report.schema)
    if problem:
        raise InputError(problem)
    return report


def _is_async(fn: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(fn) or inspect.iscoroutinefunction(type(fn).__call__)


async def _in_a_thread(fn: RunnerFunction, suite: Suite) -> Any:
    # A thread of its own and no pool: runners nest, and a full pool would wait for itself. And a daemon: what
    # blocks when it is cancelled cannot be stopped, and must not keep the interpreter alive.
    loop = asyncio.get_running_loop()
    finished: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()
    context = copy_context()

    def deliver(outcome: tuple[Any, BaseException | None]) -> None:
        if not finished.done():
            finished.set_result(outcome)

    def work() -> None:
        value: Any = None
        trouble: BaseException | None = None
        try:
            value = context.run(fn, suite)
        except BaseException as error:
            trouble = error
        if not loop.is_closed():
            loop.call_soon_threadsafe(deliver, (value, trouble))

    threading.Thread(target=work, name="understudy-runner", daemon=True).start()
    value, trouble = await finished
    if trouble is not None:
        raise trouble
    return value
