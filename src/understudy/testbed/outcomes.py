"""A case's result as an outcome: its status, every failure with diff and place, the exchange and a curl line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from understudy.core.outcome import Attachment, Failure, Location, Outcome, Status
from understudy.core.plain import plain
from understudy.engine.act import CaseRef
from understudy.testbed.case_run import CaseResult
from understudy.testbed.findings import Finding
from understudy.testbed.script_places import finding_location
from understudy.testbed.session import Session

VALUE_LIMIT = 20_000


def to_outcome(result: CaseResult, ref: CaseRef, act: str, session: Session, root: Path) -> Outcome:
    """The outcome of a case; what only failures need is made only for them."""
    details = _details(result)
    if result.passed:
        return Outcome(
            ref.id,
            act,
            ref.name,
            Status.PASSED,
            duration_ms=result.duration_ms,
            location=ref.location,
            tags=ref.tags,
            notes=tuple(result.notes),
            details=details,
        )
    status = Status.SKIPPED if result.skipped else Status.ERRORED if result.error else Status.FAILED
    updates = [] if result.error else _updates(result)
    return Outcome(
        ref.id,
        act,
        ref.name,
        status,
        failures=tuple(_failure(finding, result, ref, root) for finding in result.findings),
        reason=result.error,
        duration_ms=result.duration_ms,
        location=ref.location,
        tags=ref.tags,
        notes=tuple(result.notes),
        attachments=() if result.skipped else _attachments(result, session),
        details={**details, "updates": updates} if updates else details,
    )


def _details(result: CaseResult) -> dict[str, Any]:
    """What a v1 result says beside the outcome."""
    owner, protocol = result.item.owner, result.item.protocol
    details: dict[str, Any] = {"protocol": protocol, "case": result.case.name}
    if protocol == "grpc":
        return {**details, "service": owner.service, "method": owner.method}
    if protocol == "queue":
        return {**details, "queue": owner.queue, "job": owner.job}
    details["path"] = owner.path
    if protocol == "graphql":
        details["endpoint"] = owner.name
    else:
        details.update(operation=owner.operation, method=owner.method)
    return {**details, "status": result.attempt.status}


def _failure(finding: Finding, result: CaseResult, ref: CaseRef, root: Path) -> Failure:
    return Failure(
        finding.message,
        _bounded(finding.expected),
        _bounded(finding.actual),
        finding.diff,
        _place(finding, result, ref, root),
    )


def _place(finding: Finding, result: CaseResult, ref: CaseRef, root: Path) -> Location | None:
    source = result.case.source
    if source is None or ref.location is None:
        return ref.location
    return finding_location(root / ref.location.file, ref.location.file, source, finding.where)


def _updates(result: CaseResult) -> list[dict[str, Any]]:
    """What `--update` would write into the script, for the expectations that a value can settle."""
    source = result.case.source
    if source is None:
        return []
    place = {"file": result.case.script, "line": source.line, "column": source.column}
    return [
        {**place, "where": list(finding.where), "value": finding.actual}
        for finding in result.findings
        if finding.settled and finding.where[:1] == ("expect",) and plain(finding.actual) == finding.actual
    ]


def _attachments(result: CaseResult, session: Session) -> tuple[Attachment, ...]:
    from understudy.wire.curl import curl_command
    from understudy.wire.exchange import render_exchange

    attempt, target = result.attempt, session.target
    if attempt.request is None:
        return ()
    follow = result.case.follow_redirects is not False
    return (
        Attachment(
            "exchange", render_exchange(attempt.request, attempt.response, attempt.error), "message/http"
        ),
        Attachment(
            "curl",
            curl_command(attempt.request, follow_redirects=follow, tls=target.tls, proxy=target.proxy),
            "text/x-shellscript",
        ),
    )


def _bounded(value: Any) -> Any:
    """Values of a failure are for reading: a large one is shown by its beginning, a deep one by its top."""
    value = plain(value)
    if isinstance(value, int | float | bool | None):
        return value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return value if len(text) <= VALUE_LIMIT else f"{text[:VALUE_LIMIT]}... ({len(text)} characters)"
