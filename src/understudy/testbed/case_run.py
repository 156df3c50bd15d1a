"""Runs one case to its result: values put in, tried until it holds or the tries are used up, judged, captured."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from understudy.core.brief import brief
from understudy.core.errors import UnderstudyError
from understudy.testbed.captures import capture_all
from understudy.testbed.case_values import with_values
from understudy.testbed.cases import Case
from understudy.testbed.findings import Finding, contrast
from understudy.testbed.items import Item
from understudy.testbed.protocols import Driver, driver
from understudy.testbed.protocols.attempt import Attempt
from understudy.testbed.session import Session


@dataclass(slots=True)
class CaseResult:
    """What came of a case. An `error` says why it could not be judged, or why it was skipped."""

    item: Item
    case: Case
    error: str = ""
    skipped: bool = False
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    attempt: Attempt = field(default_factory=Attempt)
    duration_ms: float = 0.0
    captured: dict[str, Any] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """True if every expectation holds."""
        return not (self.error or self.findings or self.skipped)


async def run_case(item: Item, session: Session, captured: Mapping[str, Any]) -> CaseResult:
    """Run a case with the values that other cases have captured. Never raises but for cancellation."""
    case = item.case
    try:
        if item.names:
            try:
                case = with_values(item, session, captured)
            except UnderstudyError as error:
                return CaseResult(item, case, error=str(error))
        protocol = driver(item.protocol)
        if case.retry is None and case.until is None and case.fail_if is None and not case.capture:
            return _judged(item, case, protocol, await protocol.attempt(item.owner, case, session))
        return await _tried(item, case, protocol, session)
    except RecursionError:
        return CaseResult(item, item.case, "the case or its response is nested too deeply to be judged")


async def _tried(item: Item, case: Case, protocol: Driver, session: Session) -> CaseResult:
    """Try until the case passes, as often as its `retry` allows."""
    tries = case.retry.attempts if case.retry is not None else 1
    result = await _poll(item, case, protocol, session)
    for number in range(2, tries + 1):
        if result.passed or result.skipped:
            break
        await asyncio.sleep((case.retry.delay_ms if case.retry is not None else 0) / 1000)
        result = await _poll(item, case, protocol, session)
        result.notes.append(
            f"{'passed' if result.passed else 'did not pass'} on try {number} of {tries} (retry)"
        )
    return result


def _judged(item: Item, case: Case, protocol: Driver, attempt: Attempt) -> CaseResult:
    if attempt.error or attempt.skipped:
        return CaseResult(
            item, case, attempt.error, attempt.skipped, attempt=attempt, duration_ms=attempt.duration_ms
        )
    try:
        findings = protocol.judge(case.expect, attempt, ("expect",), defaults=True)
    except UnderstudyError as error:
        return CaseResult(item, case, str(error), attempt=attempt, duration_ms=attempt.duration_ms)
    notes = protocol.notes(case, attempt)
    return CaseResult(item, case, "", False, findings, notes, attempt, attempt.duration_ms)


async def _poll(item: Item, case: Case, protocol: Driver, session: Session) -> CaseResult:
    """Try once, or until `until` holds; `failIf` ends it at once."""
    began = session.clock.monotonic()
    tries = case.until.attempts if case.until is not None else 1
    for number in range(1, tries + 1):
        attempt = await protocol.attempt(item.owner, case, session)
        if attempt.skipped:
            return _judged(item, case, protocol, attempt)
        try:
            refused = _refused(case, protocol, attempt)
            waiting = _waiting(case, protocol, attempt) if not refused else []
        except UnderstudyError as error:
            return CaseResult(item, case, str(error), attempt=attempt, duration_ms=attempt.duration_ms)
        if refused or (not waiting and (case.until is None or not attempt.error)):
            break
        if number < tries:
            await asyncio.sleep(case.until.delay_ms / 1000)
    result = _judged(item, case, protocol, attempt)
    if not result.error:
        result.captured, lacking = capture_all(case.capture, attempt)
        result.findings = [*refused, *_unmet(waiting, tries), *result.findings, *lacking]
    if case.until is not None:
        result.duration_ms = (session.clock.monotonic() - began) * 1000
        result.notes.append(f"asked {number} of at most {tries} times (until)")
    return result


def _refused(case: Case, protocol: Driver, attempt: Attempt) -> list[Finding]:
    if case.fail_if is None or attempt.error:
        return []
    if protocol.judge(case.fail_if, attempt, ("failIf",), defaults=False):
        return []
    condition = case.fail_if.model_dump(by_alias=True, exclude_defaults=True)
    diff = contrast(f"not to hold: {brief(condition)}", brief(attempt.text))
    return [Finding(("failIf",), f"failIf holds: {condition}", "not to hold", attempt.text[:2000], diff)]


def _waiting(case: Case, protocol: Driver, attempt: Attempt) -> list[Finding]:
    if case.until is None or attempt.error:
        return []
    return protocol.judge(case.until, attempt, ("until",), defaults=False)


def _unmet(waiting: list[Finding], tries: int) -> list[Finding]:
    return [
        Finding(
            finding.where,
            f"until did not hold within {tries} tries: {finding.message}",
            finding.expected,
            finding.actual,
            finding.diff,
        )
        for finding in waiting
    ]
