"""One action of an agent through the whole of governance: governor, gateway, and one line on record."""

from __future__ import annotations

from typing import Any

from understudy.core.brief import brief
from understudy.core.errors import InputError, Problem
from understudy.governance.actions import REJECTED, Attempt
from understudy.governance.decision import Decision
from understudy.governance.gateway import HITLGateway
from understudy.governance.governor import AgentGovernor


def govern(
    governor: AgentGovernor,
    gateway: HITLGateway,
    agent_id: str,
    action_type: str,
    trust_level: str,
    target_ref: str = "",
    impact_level: str = "low",
    arguments: Any = None,
    *,
    context_id: str = "",
) -> Decision:
    """Decide on one action, and record it. A refusal of the governor's is raised once it is on record.

    >>> from understudy.governance import ReviewService
    >>> governor, gateway = AgentGovernor(), HITLGateway(ReviewService())
    >>> govern(governor, gateway, "triage-bot", "enrich", "semi_trusted", "indicator--1").status
    'approved'
    >>> govern(governor, gateway, "triage-bot", "ingest", "semi_trusted", "feed", "high").status
    'pending'
    >>> [str(action) for action in governor.get_action_log()]
    ['triage-bot enrich on indicator--1: approved', 'triage-bot ingest on feed: pending (waits for a reviewer)']
    """
    attempt = Attempt(agent_id, action_type, target_ref, impact_level, trust_level, context_id)
    governor.admit(attempt)
    try:
        decision = gateway.submit(agent_id, action_type, target_ref, impact_level, arguments)
    except Exception as error:
        governor.record(attempt, REJECTED, f"{type(error).__name__}: {brief(str(error), 300)}")
        if action_type not in set(gateway.action_types):  # the governor knows it
            hint = "let them share theirs: HITLGateway(..., action_types=governor.action_types)"
            what = f"the gateway does not know the action type {str(action_type)!r}, which the governor knows"
            raise InputError([Problem(what, hint=hint)]) from None
        raise
    governor.record(
        attempt,
        decision.status,
        decision.reason,
        arguments_hash=decision.arguments_hash,
        review_id=decision.review_id,
        reviewed_by=decision.approved_by,
    )
    return decision
