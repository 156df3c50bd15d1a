"""Known failures: tolerated with a reason and a date, reported apart, and a failure again once they are stale."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from understudy.core.outcome import Failure, Known, Outcome, Status


def judge_known(outcome: Outcome, known: Known, today: date) -> Outcome:
    """The outcome of a case that is listed as a known failure, or of one of its rows: one that passes is no news."""
    if outcome.status is Status.SKIPPED or (outcome.parent and outcome.status is Status.PASSED):
        return outcome
    if outcome.status is Status.PASSED:
        message = f"listed as a known failure ({known.reason}) but it passes: remove the entry"
        failure = Failure(message, "failed", "passed", location=outcome.location)
        return replace(outcome, status=Status.FAILED, failures=(failure,))
    if known.until and date.fromisoformat(known.until) < today:
        note = f"was tolerated as a known failure until {known.until}: {known.reason}"
        return replace(outcome, notes=(*outcome.notes, note))
    return replace(outcome, known=known)
