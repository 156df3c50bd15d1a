"""From an evaluation against a repository to the outcome of its case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from understudy.core.errors import Problem
from understudy.core.outcome import Attachment, Failure, Location, Outcome, Status
from understudy.rules.check.checks import Check
from understudy.rules.evaluate.jq_assertions import Compared, JqResult
from understudy.rules.evaluation import Evaluation
from understudy.rules.outcomes import ACT

_STATUSES = {"pass": Status.PASSED, "fail": Status.FAILED, "skip": Status.SKIPPED, "error": Status.ERRORED}


def verdict(
    check: Check, evaluation: Evaluation, attachments: Sequence[Attachment] = (), notes: Sequence[str] = ()
) -> Outcome:
    """Pass, fail with a failure for every violation, skip or error, as the rule has it."""
    judgement = evaluation.judgement
    status = _STATUSES[judgement.status]
    is_bad = status in (Status.FAILED, Status.ERRORED)
    return _outcome(
        check,
        status,
        failures=tuple(_failures(check, evaluation)) if status is Status.FAILED else (),
        reason=judgement.message if status in (Status.SKIPPED, Status.ERRORED) else "",
        attachments=tuple(attachments),
        notes=tuple(notes) if is_bad else (),
    )


def skipped(check: Check, reason: str, *notes: str) -> Outcome:
    """The outcome of a case that was not judged, for a reason."""
    return _outcome(check, Status.SKIPPED, reason=reason, notes=notes)


def errored(
    check: Check,
    reason: str,
    location: Location | None = None,
    attachments: Sequence[Attachment] = (),
    notes: Sequence[str] = (),
) -> Outcome:
    """The outcome of a case that could not be judged."""
    return _outcome(
        check,
        Status.ERRORED,
        reason=reason,
        location=location or check.ref.location,
        attachments=tuple(attachments),
        notes=tuple(notes),
    )


def broken(check: Check, problems: Sequence[Problem]) -> Outcome:
    """The outcome of a case whose files are wrong, at the place of the first problem."""
    first = problems[0]
    location = Location(first.file, first.line, first.column) if first.file and first.line else None
    return errored(check, "\n".join(str(problem) for problem in problems), location)


def _failures(check: Check, evaluation: Evaluation) -> Iterator[Failure]:
    compared = _mismatch(evaluation.assertions)
    location = _place(check)
    if compared is not None and check.rule is not None:
        location = Location(check.rule.shown, *check.rule.place("def", "eval", "jq", compared.index))
        yield Failure(evaluation.judgement.message, compared.expected, compared.actual, location=location)
        return
    for violation in evaluation.judgement.violations:
        yield Failure(str(violation["msg"]), location=location)


def _mismatch(assertions: Any) -> Compared | None:
    if not isinstance(assertions, JqResult) or not assertions.reached or assertions.reached[-1].held:
        return None
    return assertions.reached[-1]


def _place(check: Check) -> Location | None:
    """For a rule of a profile, the rule; else both are one."""
    return (
        Location(check.rule.shown, check.rule.place("name")[0])
        if check.rule is not None
        else check.ref.location
    )


def _outcome(check: Check, status: Status, **parts: Any) -> Outcome:
    rule = check.rule.rule if check.rule is not None else None
    details = {"rule": rule.name, "severity": rule.severity.value} if rule is not None else {}
    return Outcome(
        id=check.ref.id,
        act=ACT,
        name=check.ref.name,
        status=status,
        **{"location": check.ref.location, **parts},
        tags=check.ref.tags,
        details=details,
    )
