"""Outcomes together: a report, and its form on disk (`understudy.report.v1`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from understudy.core.outcome import Attachment, Failure, Known, Location, Outcome, Status

REPORT_SCHEMA = "understudy.report.v1"


@dataclass(slots=True)
class Summary:
    """How many cases came to what. A known failure counts as `known`, and as nothing else.

    >>> summary = Summary()
    >>> summary.add(Outcome(id="a", act="x", name="a", status=Status.PASSED))
    >>> summary.total, summary.passed, summary.is_green
    (1, 1, True)
    """

    total: int = 0
    passed: int = 0
    failed: int = 0
    errored: int = 0
    skipped: int = 0
    known: int = 0

    def add(self, outcome: Outcome) -> None:
        """Count one outcome."""
        self.total += 1
        kind = "known" if outcome.known is not None else outcome.status.value
        setattr(self, kind, getattr(self, kind) + 1)

    @property
    def is_green(self) -> bool:
        """True if nothing failed and nothing errored."""
        return not self.failed and not self.errored

    @property
    def has_checked(self) -> bool:
        """True if any case was judged at all: a run without one must not look like one that passed."""
        return self.total > self.skipped


@dataclass(frozen=True, slots=True)
class Plan:
    """What was to be run, so that shards of one plan can be told from shards of another.

    `fingerprint` is the same for every shard of one plan; `selection` is what the user asked for, in words.
    """

    fingerprint: str = ""
    cases: int = 0
    shard: int = 1
    shards: int = 1
    selection: str = ""
    seed: int = 0

    @property
    def is_whole(self) -> bool:
        """True if everything that the project declares was planned, so that `conclude` can judge the whole."""
        return self.shards == 1 and not self.selection


@dataclass(slots=True)
class Report:
    """One run: its plan, its outcomes in the order of the plan (iterable more than once), and its evidence.

    `stopped` says why the run ended before all that was planned was run (Ctrl-C, `-x`); empty if it did not.
    `positions` are the places of the outcomes in the order of the plan, in step with `outcomes`; they let the
    reports of shards be joined in that order, and may be left empty where nothing will be joined.
    """

    summary: Summary
    outcomes: Iterable[Outcome]
    plan: Plan = field(default_factory=Plan)
    evidence: Mapping[str, Any] = field(default_factory=dict)
    stopped: str = ""
    started_at: str = ""
    duration_ms: float = 0.0
    attachments: tuple[Attachment, ...] = ()
    positions: Iterable[int] = ()


def outcome_to_json(outcome: Outcome, position: int | None = None) -> dict[str, Any]:
    """The JSON form of an outcome; what is empty is left out, but for the fields that every reader needs."""
    record: dict[str, Any] = {
        "id": outcome.id,
        "act": outcome.act,
        "name": outcome.name,
        "status": outcome.status.value,
        "failures": [_failure_to_json(failure) for failure in outcome.failures],
        "durationMs": round(outcome.duration_ms, 3),
    }
    optional: dict[str, Any] = {
        "reason": outcome.reason,
        "location": outcome.location and _location_to_json(outcome.location),
        "tags": list(outcome.tags),
        "notes": list(outcome.notes),
        "attachments": [_attachment_to_json(attachment) for attachment in outcome.attachments],
        "known": outcome.known and {"reason": outcome.known.reason, "until": outcome.known.until},
        "parent": outcome.parent,
        "rerun": outcome.rerun,
        "details": dict(outcome.details),
    }
    record.update({key: value for key, value in optional.items() if value})
    if position is not None:
        record["position"] = position
    return record


def outcome_from_json(record: Mapping[str, Any]) -> Outcome:
    """Read back what `outcome_to_json` wrote."""
    known = record.get("known")
    return Outcome(
        id=record["id"],
        act=record["act"],
        name=record["name"],
        status=Status(record["status"]),
        failures=tuple(_failure_from_json(failure) for failure in record["failures"]),
        reason=record.get("reason", ""),
        duration_ms=record["durationMs"],
        location=_location_from_json(record.get("location")),
        tags=tuple(record.get("tags", ())),
        notes=tuple(record.get("notes", ())),
        attachments=tuple(attachment_from_json(entry) for entry in record.get("attachments", ())),
        known=Known(known["reason"], known.get("until", "")) if known else None,
        parent=record.get("parent", ""),
        rerun=record.get("rerun", ""),
        details=record.get("details", {}),
    )


def head_to_json(report: Report, version: str) -> dict[str, Any]:
    """Everything in the JSON form of a report but its outcomes, in the order in which it is written."""
    head: dict[str, Any] = {
        "schema": REPORT_SCHEMA,
        "tool": {"name": "understudy", "version": version},
        "startedAt": report.started_at,
        "durationMs": round(report.duration_ms, 3),
        "summary": {
            "total": report.summary.total,
            "passed": report.summary.passed,
            "failed": report.summary.failed,
            "errored": report.summary.errored,
            "skipped": report.summary.skipped,
            "known": report.summary.known,
        },
        "plan": {
            "fingerprint": report.plan.fingerprint,
            "cases": report.plan.cases,
            "shard": report.plan.shard,
            "shards": report.plan.shards,
            "selection": report.plan.selection,
            "seed": report.plan.seed,
        },
        "stopped": report.stopped,
        "evidence": dict(report.evidence),
    }
    if report.attachments:
        head["attachments"] = [_attachment_to_json(attachment) for attachment in report.attachments]
    return head


def report_from_json(record: Mapping[str, Any]) -> Report:
    """Read a report from its JSON form, which must have been validated against the published schema."""
    plan = record.get("plan", {})
    positions = [entry["position"] for entry in record["outcomes"] if "position" in entry]
    return Report(
        summary=Summary(**record["summary"]),
        outcomes=[outcome_from_json(entry) for entry in record["outcomes"]],
        plan=Plan(**plan),
        evidence=record.get("evidence", {}),
        stopped=record.get("stopped", ""),
        started_at=record.get("startedAt", ""),
        duration_ms=record.get("durationMs", 0.0),
        attachments=tuple(attachment_from_json(entry) for entry in record.get("attachments", ())),
        positions=positions if len(positions) == len(record["outcomes"]) else (),
    )


def attachment_from_json(record: Mapping[str, Any]) -> Attachment:
    """Read an attachment from its JSON form."""
    return Attachment(record["name"], record["text"], record.get("mediaType", "text/plain"))


def _attachment_to_json(attachment: Attachment) -> dict[str, str]:
    return {"name": attachment.name, "mediaType": attachment.media_type, "text": attachment.text}


def _failure_to_json(failure: Failure) -> dict[str, Any]:
    return {
        "message": failure.message,
        "expected": failure.expected,
        "actual": failure.actual,
        "diff": failure.diff,
        "location": failure.location and _location_to_json(failure.location),
    }


def _failure_from_json(record: Mapping[str, Any]) -> Failure:
    return Failure(
        record["message"],
        record.get("expected"),
        record.get("actual"),
        record.get("diff", ""),
        _location_from_json(record.get("location")),
    )


def _location_to_json(location: Location) -> dict[str, Any]:
    entries = {"file": location.file, "line": location.line, "column": location.column}
    return {key: value for key, value in entries.items() if value is not None}


def _location_from_json(record: Mapping[str, Any] | None) -> Location | None:
    return Location(record["file"], record.get("line"), record.get("column")) if record else None
