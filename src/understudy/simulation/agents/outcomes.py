"""What came of a scenario, as an outcome: its failures, and what the agent did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from understudy.core.outcome import Attachment, Failure, Outcome, Status
from understudy.engine.act import CaseRef
from understudy.governance.actions import AgentAction
from understudy.simulation.agents.expectations import settled
from understudy.simulation.agents.findings import action_log_text
from understudy.simulation.agents.scenario import Played
from understudy.simulation.agents.tool_runs import tool_runs_text

MOST_ACTIONS = 1_000


def to_outcome(
    ref: CaseRef, act: str, played: Played, failures: Sequence[Failure], duration_ms: float
) -> Outcome:
    """The outcome of a scenario that was played, even if its agent did not come to its end."""
    status = Status.ERRORED if played.error else Status.FAILED if failures else Status.PASSED
    log = f"{action_log_text(played.actions)}\n{tool_runs_text(played.tool_runs)}"
    attachments = [Attachment("actions", log)] if status is not Status.PASSED else []
    if played.traceback:
        attachments.append(Attachment("traceback", played.traceback))
    return Outcome(
        id=ref.id,
        act=act,
        name=ref.name,
        status=status,
        failures=() if played.error else tuple(failures),
        reason=played.error,
        duration_ms=duration_ms,
        location=played.place or ref.location,
        tags=ref.tags,
        notes=(_summary(played),),
        attachments=tuple(attachments),
        details={
            "actions": [_data(action) for action in played.actions[:MOST_ACTIONS]],
            "toolCalls": dict(played.tool_calls),
            "toolRuns": dict(Counter(run.tool for run in played.tool_runs)),
        },
    )


def errored(ref: CaseRef, act: str, reason: str, duration_ms: float) -> Outcome:
    """The outcome of a scenario of which nothing is known."""
    return Outcome(
        id=ref.id,
        act=act,
        name=ref.name,
        status=Status.ERRORED,
        reason=reason,
        duration_ms=duration_ms,
        location=ref.location,
        tags=ref.tags,
    )


def _summary(played: Played) -> str:
    final = settled(played.actions)
    counts = ", ".join(f"{count} {status}" for status, count in Counter(a.status for a in final).items())
    ran = Counter(run.tool for run in played.tool_runs)
    tools = ", ".join(f"{name} {ran[name]} of {calls}" for name, calls in played.tool_calls.items())
    number = f"{len(final)} action{'' if len(final) == 1 else 's'}"
    return f"{number}{f': {counts}' if counts else ''}{f'; tools that ran: {tools}' if tools else ''}"


def _data(action: AgentAction) -> dict[str, str]:
    return {
        "agent": action.agent_id,
        "action": str(action.action_type),
        "target": action.target_ref,
        "impact": str(action.impact_level),
        "status": action.status,
        "reason": action.reason,
        "reviewedBy": action.reviewed_by,
    }
