"""Runs and their outcomes in the store: a run is kept whole or not at all, and read back as the report that it was."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Any

from understudy.core.clock import IdSource, random_ids
from understudy.core.outcome import Outcome
from understudy.core.plain import plain
from understudy.core.portable import portable_text
from understudy.core.report import Plan, Report, Summary, outcome_from_json, outcome_to_json
from understudy.store.reach import Reach, Sql
from understudy.store.retention import KEEP, Retention, prune_runs

# What one outcome may take in the store; beyond it, what is attached to it is left out.
_MOST_CHARACTERS = 256 << 10
_COLUMNS = {"id": "case_id", "act": "act", "name": "name", "status": "status", "durationMs": "duration_ms"}
_OPTIONAL = {"reason": "reason", "parent": "parent"}
_RUN = (
    "SELECT id, project, environment, started_at, finished_at, stopped, CAST(summary AS TEXT) AS summary, "
    "CAST(plan AS TEXT) AS plan FROM runs "
)
_OF_PROJECT = "(project = :project OR :project = '')"
_NEWEST = "ORDER BY started_at DESC, id DESC LIMIT :most"


@dataclass(frozen=True, slots=True)
class KeptRun:
    """A run in the store: all of it but its outcomes."""

    id: str
    project: str
    environment: str
    started_at: str
    duration_ms: float
    stopped: str = ""
    summary: Summary = field(default_factory=Summary)
    plan: Plan = field(default_factory=Plan)


def keep_run(
    store: Reach,
    report: Report,
    project: str = "",
    environment: str = "",
    *,
    retention: Retention = KEEP,
    new_id: IdSource = random_ids,
) -> str:
    """Keep a run, and delete those of the project that are to go now; the id of the run.

    >>> from understudy.core.outcome import Status
    >>> from understudy.store.reach import reached
    >>> outcome = Outcome("tiny::a", "tiny", "a", Status.PASSED)
    >>> report = Report(Summary(total=1, passed=1), [outcome], started_at="2026-01-31T12:00:00.000+00:00")
    >>> with reached("sqlite://") as store:
    ...     run = keep_run(store, report, "shop")
    ...     [kept.summary.passed for kept in kept_runs(store, "shop")], list(outcomes_of(store, run)) == [outcome]
    ([1], True)
    """
    run = new_id()
    with store.write() as sql:
        row = {
            "id": run,
            "project": project,
            "environment": environment,
            "started_at": report.started_at,
            "finished_at": _finished(report),
            "stopped": report.stopped,
            "summary": json.dumps(asdict(report.summary)),
            "plan": json.dumps(asdict(report.plan)),
        }
        sql.add("runs", [row])
        sql.add("outcomes", _rows(run, report.outcomes))
        prune_runs(sql, project, retention, now=report.started_at, but=run)
    return run


def kept_runs(store: Reach, project: str = "", most: int = 20) -> list[KeptRun]:
    """The newest runs, newest first; of all projects if none is named."""
    with store.read() as sql:
        return newest_runs(sql, project, most)


def newest_runs(sql: Sql, project: str, most: int) -> list[KeptRun]:
    """The same within a transaction."""
    return [
        _run(row)
        for row in sql.rows(f"{_RUN}WHERE {_OF_PROJECT} {_NEWEST}", {"project": project, "most": most})
    ]


def find_runs(store: Reach, beginning: str, project: str = "") -> list[KeptRun]:
    """The runs whose id begins like this, newest first, ten at most."""
    query = f"{_RUN}WHERE {_OF_PROJECT} AND substr(id, 1, :length) = :beginning {_NEWEST}"
    values = {"project": project, "beginning": beginning, "length": len(portable_text(beginning)), "most": 10}
    with store.read() as sql:
        return [_run(row) for row in sql.rows(query, values)]


def outcomes_of(store: Reach, run: str) -> Iterator[Outcome]:
    """The outcomes of a run, in the order of its report."""
    query = (
        "SELECT case_id, act, name, status, reason, parent, duration_ms, CAST(record AS TEXT) AS record "
        "FROM outcomes WHERE run_id = :run ORDER BY position"
    )
    with store.read() as sql:
        rows = sql.rows(query, {"run": run})
    return (outcome_in(row) for row in rows)


def report_of(store: Reach, run: KeptRun) -> Report:
    """The run as a report again; evidence and what was attached to the whole run is not kept."""
    return Report(
        summary=run.summary,
        outcomes=list(outcomes_of(store, run.id)),
        plan=run.plan,
        stopped=run.stopped,
        started_at=run.started_at,
        duration_ms=run.duration_ms,
    )


def outcome_in(row: Mapping[str, Any]) -> Outcome:
    """The outcome that a row holds."""
    record = {name: row[column] for name, column in {**_COLUMNS, **_OPTIONAL}.items()}
    return outcome_from_json({**record, "failures": [], **json.loads(row["record"])})


def _rows(run: str, outcomes: Iterable[Outcome]) -> Iterator[dict[str, Any]]:
    for position, outcome in enumerate(outcomes):
        yield {
            "run_id": run,
            "position": position,
            "case_id": outcome.id,
            "act": outcome.act,
            "name": outcome.name,
            "status": outcome.status.value,
            "reason": outcome.reason,
            "parent": outcome.parent,
            "duration_ms": outcome.duration_ms,
            "known": outcome.known is not None,
            "record": _record(outcome),
        }


def _record(outcome: Outcome) -> str:
    """What does not stand in columns, as JSON of bounded size."""
    whole = outcome_to_json(outcome)
    record = {name: value for name, value in whole.items() if name not in (*_COLUMNS, *_OPTIONAL) and value}
    text = _json(record)
    if len(text) <= _MOST_CHARACTERS:
        return text
    for name in ("attachments", "details", "failures"):
        if name in record:
            left_out = f"{name} of {len(_json(record.pop(name))):,} characters were not kept"
            record["notes"] = [*record.get("notes", ()), left_out]
            if len(text := _json(record)) <= _MOST_CHARACTERS:
                return text
    return _json({"notes": [f"its record of {len(text):,} characters was not kept"]})


def _json(value: Any) -> str:
    try:
        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError):  # an act may hand on more than JSON has forms for
        return json.dumps(plain(value), separators=(",", ":"))


def _finished(report: Report) -> str:
    try:
        end = datetime.fromisoformat(report.started_at) + timedelta(milliseconds=report.duration_ms)
    except (ValueError, OverflowError):
        return report.started_at
    return end.isoformat(timespec="microseconds")


def _run(row: Mapping[str, Any]) -> KeptRun:
    try:
        took = datetime.fromisoformat(row["finished_at"]) - datetime.fromisoformat(row["started_at"])
    except ValueError:
        took = timedelta()
    return KeptRun(
        id=row["id"],
        project=row["project"],
        environment=row["environment"],
        started_at=row["started_at"],
        duration_ms=took / timedelta(milliseconds=1),
        stopped=row["stopped"],
        summary=Summary(**json.loads(row["summary"])),
        plan=Plan(**json.loads(row["plan"])),
    )
