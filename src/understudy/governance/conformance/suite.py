"""The suite: runs a flow through every case, each in a fresh session and bounded in time."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable
from typing import Any

from understudy.core.brief import brief
from understudy.core.clock import Clock, SystemClock
from understudy.core.errors import InputError, Problem
from understudy.core.ids import case_id
from understudy.core.outcome import Outcome, Status
from understudy.core.portal import run_blocking
from understudy.governance.conformance.cases import (
    answers,
    binding,
    expiry,
    parallel,
    resuming,
    single_use,
    streaming,
)
from understudy.governance.conformance.cases.case import ConformanceCase
from understudy.governance.conformance.flow import ApprovalFlow, NotOffered
from understudy.governance.conformance.report import ACT, ConformanceReport
from understudy.governance.conformance.trial import Trial

CASES: tuple[ConformanceCase, ...] = (
    *binding.CASES,
    *single_use.CASES,
    *expiry.CASES,
    *answers.CASES,
    *parallel.CASES,
    *streaming.CASES,
    *resuming.CASES,
)


async def run_conformance_async(
    flow: ApprovalFlow,
    cases: Iterable[ConformanceCase] = CASES,
    *,
    seconds: float = 30.0,
    clock: Clock | None = None,
) -> ConformanceReport:
    """Run a flow through the cases, one after the other; no case may take longer than `seconds`."""
    clock = clock or SystemClock()
    _check(flow, seconds)
    cases = tuple(cases)
    for case in cases:
        if not isinstance(case, ConformanceCase):
            hint = "choose from CASES, each of which has a property and a name"
            raise InputError([Problem(f"{brief(case)} is no case of the suite", hint=hint)])
    return ConformanceReport(flow.name, tuple([await _run(flow, case, seconds, clock) for case in cases]))


def run_conformance(
    flow: ApprovalFlow,
    cases: Iterable[ConformanceCase] = CASES,
    *,
    seconds: float = 30.0,
    clock: Clock | None = None,
) -> ConformanceReport:
    """The blocking twin of `run_conformance_async`.

    >>> from understudy.governance.conformance import FaultyFlow, run_conformance
    >>> run_conformance(FaultyFlow()).passed
    True
    >>> print(run_conformance(FaultyFlow({"never expires"})).text())
    faulty flow: 34 of 35 cases passed
      expiry: an approval that comes too late runs nothing
        the approval came a second after its time was over: export_bundle was to run never, and ran once, with bundle-1
    """
    return run_blocking(run_conformance_async, flow, cases, seconds=seconds, clock=clock)


def _check(flow: Any, seconds: Any) -> None:
    """Refuse what is no flow before 35 cases say so."""
    if isinstance(flow, type):
        raise InputError(
            [Problem(f"{flow.__name__} is a class, and no flow", hint=f"make one: {flow.__name__}()")]
        )
    hint = "an ApprovalFlow has a name, and two async methods: start and restore"
    if not isinstance(getattr(flow, "name", None), str):
        raise InputError([Problem(f"{brief(flow)} has no name, and so is no flow", hint=hint)])
    for method in ("start", "restore"):
        if not callable(getattr(flow, method, None)):
            raise InputError([Problem(f"the flow {brief(flow.name)} cannot {method}", hint=hint)])
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < math.inf:
        raise InputError(f"seconds must be a number above 0, not {brief(seconds)}")


async def _run(flow: ApprovalFlow, case: ConformanceCase, seconds: float, clock: Clock) -> Outcome:
    trial = Trial(flow)
    started = clock.monotonic()
    status, reason = Status.PASSED, ""
    try:
        async with asyncio.timeout(seconds) as limit:
            await case.attempt(trial)
    except NotOffered as nothing:
        status, reason = Status.SKIPPED, str(nothing) or "the flow does not offer it"
    except Exception as error:
        overdue = isinstance(error, TimeoutError) and limit.expired()
        status = Status.ERRORED
        reason = f"it took longer than {seconds:g} s" if overdue else f"{type(error).__name__}: {error}"
    if trial.check.failures:
        status = Status.FAILED
    return Outcome(
        id=case_id(ACT, flow.name, f"{case.property}/{case.name}"),
        act=ACT,
        name=f"{case.property}/{case.name}",
        status=status,
        failures=tuple(trial.check.failures),
        reason=reason,
        duration_ms=(clock.monotonic() - started) * 1000,
        notes=tuple(f"the flow raised {said}" for said in trial.raised),
        details={"property": case.property, "case": case.name},
    )
