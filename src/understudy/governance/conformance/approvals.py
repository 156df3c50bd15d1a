"""How questions of a flow become reviews, and answers become decisions: only a clear approval in time is one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from understudy.core.clock import CountingIds
from understudy.governance.action_types import ImpactLevel
from understudy.governance.conformance.flow import Approve, Bench, Call, Refuse
from understudy.governance.gateway import HITLGateway
from understudy.governance.review_service import ReviewService
from understudy.governance.reviews import ReviewError

AGENT = "agent-under-test"
REVIEWER = "reviewer"
ACTION = "export"


class Approvals:
    """A gateway with a review service, for one bench: what stands in a database beside the flow.

    >>> from understudy.governance.conformance.bench import CountingBench
    >>> approvals = Approvals(CountingBench())
    >>> call = Call("call-1", "export_bundle", {"target": "a"})
    >>> review_id = approvals.ask(call.tool, call.arguments)
    >>> approvals.decide(review_id, "yes"), approvals.redeem(review_id, call)
    (False, False)
    >>> review_id = approvals.ask(call.tool, call.arguments)
    >>> approvals.decide(review_id, Approve()), approvals.redeem(review_id, call), approvals.redeem(review_id, call)
    (True, True, False)
    """

    def __init__(self, bench: Bench) -> None:
        self._reviews = ReviewService(clock=bench.clock, new_id=CountingIds("review"))
        self._gateway = HITLGateway(self._reviews, expiry_seconds=bench.expiry_seconds, clock=bench.clock)

    def ask(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """Put a question into the queue; the id of its review."""
        decision = self._gateway.submit(
            AGENT, ACTION, _target(tool, arguments), ImpactLevel.high, dict(arguments)
        )
        return decision.review_id

    def decide(self, review_id: str, answer: Any) -> bool:
        """Enter an answer; whether the call may go on. What is no clear approval of what was shown, is a refusal."""
        try:
            if isinstance(answer, Approve) and answer.arguments is None:
                self._reviews.approve(review_id, REVIEWER)
                return bool(self._gateway.decision(review_id))
            reason = answer.reason if isinstance(answer, Refuse) else "the answer was no clear approval"
            self._reviews.reject(review_id, reason, REVIEWER)
        except ReviewError:
            return False
        return False

    def is_open(self, review_id: str) -> bool:
        """Whether a question still waits."""
        return self._gateway.decision(review_id).status == "pending"

    def redeem(self, review_id: str, call: Call) -> bool:
        """Use an approval up for a call; False if it is not for this call, too old, or used."""
        target, arguments = _target(call.tool, call.arguments), dict(call.arguments)
        return bool(self._gateway.redeem(review_id, AGENT, ACTION, target, arguments))


def _target(tool: str, arguments: Mapping[str, Any]) -> str:
    return f"{tool}/{arguments.get('target', '')}"
