"""What assertions of the harness look at: the recorded actions, and the text of those for a message."""

from __future__ import annotations

from collections.abc import Sequence

from understudy.core.errors import InputError
from understudy.governance.action_types import ActionTypes, unknown
from understudy.governance.actions import (
    ALLOWED,
    APPROVED,
    DENIED,
    PENDING,
    RATE_LIMITED,
    REJECTED,
    AgentAction,
)

STATUSES = (APPROVED, REJECTED, PENDING, DENIED, RATE_LIMITED, ALLOWED)
_SHOWN = 50


def action_log_text(actions: Sequence[AgentAction]) -> str:
    """The recorded actions as numbered lines, the last of them where they are many.

    >>> print(action_log_text([AgentAction("clerk", "export", "bundle--1", status="denied")]))
    recorded actions:
      1. clerk export on bundle--1: denied
    """
    if not actions:
        return "recorded actions: none"
    first = max(len(actions) - _SHOWN, 0)
    lines = [f"  {number}. {action}" for number, action in enumerate(actions[first:], first + 1)]
    earlier = [f"  … {first:,} before these"] if first else []
    return "\n".join(["recorded actions:", *earlier, *lines])


def known_status(status: str) -> str:
    """The status of that name; an unknown one is refused, as no action could ever have it."""
    if status not in STATUSES:
        raise unknown("status", status, STATUSES)
    return status


def matching_actions(
    actions: Sequence[AgentAction],
    action_types: ActionTypes,
    action_type: str | None = None,
    status: str | None = None,
    agent_id: str | None = None,
    target_ref: str | None = None,
) -> list[AgentAction]:
    """The actions with all that is given; names of types and statuses have to be known."""
    if action_type is None and status is None and agent_id is None and target_ref is None:
        raise InputError("say which action is meant: by action_type, status, agent_id or target_ref")
    wanted = {
        "action_type": None if action_type is None else action_types.known(action_type),
        "status": None if status is None else known_status(status),
        "agent_id": agent_id,
        "target_ref": target_ref,
    }
    given = {name: value for name, value in wanted.items() if value is not None}
    return [a for a in actions if all(getattr(a, name) == value for name, value in given.items())]


def described(
    action_type: str | None, status: str | None, agent_id: str | None, target_ref: str | None
) -> str:
    """What was looked for, as words."""
    by = f" by {agent_id!r}" if agent_id is not None else ""
    on = f" on {target_ref!r}" if target_ref is not None else ""
    how = f" with status {status!r}" if status is not None else ""
    return f"action{f' {str(action_type)!r}' if action_type is not None else ''}{by}{on}{how}"
