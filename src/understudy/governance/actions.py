"""What an agent did or was stopped from doing, as it is recorded, and the two ways in which a governor says no."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from understudy.context.trust import TrustLevel
from understudy.core.brief import visible
from understudy.core.errors import UnderstudyError

ALLOWED, DENIED, RATE_LIMITED = "allowed", "denied", "rate_limited"
APPROVED, PENDING, REJECTED = "approved", "pending", "rejected"
_LEVELS = frozenset(level.value for level in TrustLevel)


class Attempt(NamedTuple):
    """What an agent is about to do, before anything is decided. A tuple, as one is made for every call.

    >>> Attempt("triage-bot", "export", "bundle--1").target_ref
    'bundle--1'
    """

    agent_id: str
    action_type: str
    target_ref: str = ""
    impact_level: str = ""
    trust_level: str = ""
    context_id: str = ""


class AgentAction(NamedTuple):
    """One attempt of an agent, and what came of it. A tuple, as one is kept for every call.

    `status` is `allowed` or `denied` (what the policy said), `rate_limited`, or what the gateway decided: `approved`,
    `pending`, `rejected`.

    >>> AgentAction("triage-bot", "export", status="denied").status
    'denied'
    """

    agent_id: str
    action_type: str
    target_ref: str = ""
    impact_level: str = ""
    trust_level: str = ""
    status: str = ""
    reason: str = ""
    arguments_hash: str = ""
    review_id: str = ""
    reviewed_by: str = ""
    context_id: str = ""
    recorded_at: datetime | None = None
    action_id: str = ""

    def __str__(self) -> str:
        target = f" on {self.target_ref}" if self.target_ref else ""
        reason = f" ({self.reason})" if self.reason else ""
        return visible(f"{self.agent_id} {self.action_type}{target}: {self.status}{reason}")


class AgentPermissionDenied(UnderstudyError, PermissionError):
    """An agent may not do what it tried; `action` is the attempt as it was recorded."""

    def __init__(self, action: AgentAction) -> None:
        message = f"{visible(action.agent_id)!r} may not {action.action_type}: {visible(action.reason)}"
        if action.trust_level in _LEVELS:  # an unknown one may nothing, with or without an override
            message += f"; set_policy_override({action.agent_id!r}, {str(action.action_type)!r}, True) would permit it"
        super().__init__(message)
        self.action = action

    def __reduce__(self) -> tuple[type[AgentPermissionDenied], tuple[AgentAction]]:
        return type(self), (self.action,)


class RateLimitExceeded(UnderstudyError):
    """An agent acts more often than it may; `retry_after` is in how many seconds it may again."""

    def __init__(self, agent_id: str, limit: int, window_seconds: float, retry_after: float) -> None:
        when = f"it may again in {retry_after:.3g} seconds" if limit else "it may not act at all"
        super().__init__(
            f"{visible(agent_id)!r} has acted {_times(limit)} within {window_seconds:g} seconds, "
            f"which is its limit; {when}"
        )
        self.agent_id = agent_id
        self.limit = limit
        self.window_seconds = window_seconds
        self.retry_after = retry_after

    def __reduce__(self) -> tuple[type[RateLimitExceeded], tuple[str, int, float, float]]:
        return type(self), (self.agent_id, self.limit, self.window_seconds, self.retry_after)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
