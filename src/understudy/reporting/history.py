"""Past runs as text and as data: all of them, the cases that are flaky, and one case over time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from understudy.core.report import Report
from understudy.reporting.escaping import visible
from understudy.reporting.wording import (
    duration_in_words,
    in_words,
    shard_in_words,
    shortened,
    stopped_in_words,
)
from understudy.store.case_history import FlakyCase, Moment
from understudy.store.runs import KeptRun

HISTORY_SCHEMA = "understudy.history.v1"
_MARKS = {"passed": ".", "failed": "F", "errored": "E", "skipped": "s", "known": "k"}
_LEGEND = "oldest first: " + ", ".join(f"{mark} {verdict}" for verdict, mark in _MARKS.items())
_ID = 8
_NAME_LIMIT = 300
_REASON_LIMIT = 200
_MARKS_LIMIT = 60


def history_lines(runs: Sequence[KeptRun], flaky: Sequence[FlakyCase], searched: int) -> Iterator[str]:
    """A line per run, newest first, and below them the flaky cases of the last `searched` runs."""
    yield f"{'run':<{_ID}}  {'started (UTC)':<19}  {'took':>10}  outcome"
    for run in runs:
        took = duration_in_words(run.duration_ms)
        notes = _notes(run)
        told = f"{in_words(run.summary)}{f' ({notes})' if notes else ''}"
        yield f"{_short(run.id)}  {_moment(run.started_at)}  {took:>10}  {told}"
    if not flaky:
        return
    yield ""
    yield f"{len(flaky)} flaky in the last {searched} runs ({_LEGEND}):"
    width = min(max(len(case.verdicts) for case in flaky), _MARKS_LIMIT)
    for case in flaky:
        where = f", {visible(case.environment)}" if case.environment else ""
        told = f"bad in {case.bad} of {len(case.verdicts)}{where}"
        yield f"  {_marks(case.verdicts):<{width}}  {_name(case.case)} ({told})"


def case_lines(case: str, moments: Sequence[Moment]) -> Iterator[str]:
    """One case over time, newest first: when, how it came out, and why."""
    yield _name(case)
    yield f"{_marks([moment.verdict for moment in reversed(moments)])}  ({_LEGEND})"
    yield ""
    for moment in moments:
        took = duration_in_words(moment.outcome.duration_ms)
        where = f"  {visible(moment.environment)}" if moment.environment else ""
        why = _why(moment)
        yield (
            f"{_short(moment.run)}  {_moment(moment.started_at)}  {took:>10}  {moment.verdict}{where}"
            f"{f': {why}' if why else ''}"
        )


def run_line(run: KeptRun) -> str:
    """Which run this is."""
    notes = _notes(run)
    return f"run {visible(run.id)}, {_moment(run.started_at)} UTC{f' ({notes})' if notes else ''}"


def history_data(runs: Sequence[KeptRun], flaky: Sequence[FlakyCase]) -> dict[str, Any]:
    """The same as JSON data."""
    return {
        "schema": HISTORY_SCHEMA,
        "runs": [_run_data(run) for run in runs],
        "flaky": [
            {
                "case": case.case,
                "environment": case.environment,
                "bad": case.bad,
                "turns": case.turns,
                "verdicts": list(case.verdicts),
            }
            for case in flaky
        ],
    }


def case_data(case: str, moments: Sequence[Moment]) -> dict[str, Any]:
    """One case over time as JSON data, newest first."""
    return {
        "schema": HISTORY_SCHEMA,
        "case": case,
        "outcomes": [
            {
                "run": moment.run,
                "startedAt": moment.started_at,
                "environment": moment.environment,
                "verdict": moment.verdict,
                "durationMs": round(moment.outcome.duration_ms, 3),
                "reason": moment.outcome.reason,
                "failures": [failure.message for failure in moment.outcome.failures],
            }
            for moment in moments
        ],
    }


def _run_data(run: KeptRun) -> dict[str, Any]:
    return {
        "id": run.id,
        "project": run.project,
        "environment": run.environment,
        "startedAt": run.started_at,
        "durationMs": round(run.duration_ms, 3),
        "stopped": run.stopped,
        "summary": asdict(run.summary),
        "plan": asdict(run.plan),
    }


def _notes(run: KeptRun) -> str:
    """What makes a run other than a whole one of this project."""
    report = Report(run.summary, (), run.plan, stopped=run.stopped)
    notes = (
        run.environment,
        run.plan.selection,
        shard_in_words(report),
        stopped_in_words(report, run.summary.total),
    )
    return visible(shortened("; ".join(filter(None, notes)), _REASON_LIMIT))


def _why(moment: Moment) -> str:
    outcome = moment.outcome
    told = outcome.reason or "; ".join(failure.message for failure in outcome.failures)
    if moment.verdict == "passed":
        return ""
    return visible(shortened(" ".join(told.split()), _REASON_LIMIT))


def _marks(verdicts: Sequence[str]) -> str:
    """A mark for each of the newest verdicts."""
    return "".join(_MARKS.get(verdict, "?") for verdict in verdicts[-_MARKS_LIMIT:])


def _short(run: str) -> str:
    return f"{visible(run[:_ID]):<{_ID}}"


def _moment(text: str) -> str:
    """A moment as it is kept, without what everybody knows: the zone is UTC."""
    return f"{visible(text[:19]).replace('T', ' '):<19}"


def _name(case: str) -> str:
    return visible(shortened(case, _NAME_LIMIT))
