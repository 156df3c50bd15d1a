"""What assertions of the harness look at: the recorded actions, and the text of those for a message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
_FIELDS = ("action_type", "status", "agent_id", "target_ref")
_SHOWN = 50


def action_log_text(actions: Sequence[AgentAction]) -> str:
    """The recorded actions as numbered lines, the last of them where they are many.

    >>> print(action_log_text([AgentAction("clerk", "export", "bundle--1", status="denied")]))
    recorded actions:
      1. clerk export on bundle--1: denied
    """
    return numbered_text("recorded actions", actions)


def numbered_text(title: str, things: Sequence[object]) -> str:
    """Things as numbered lines below a title, the last of them where they are many.

    >>> numbered_text("letters", [])
    'letters: none'
    """
    if not things:
        return f"{title}: none"
    first = max(len(things) - _SHOWN, 0)
    lines = [f"  {number}. {thing}" for number, thing in enumerate(things[first:], first + 1)]
    earlier = [f"  … {first:,} before these"] if first else []
    return "\n".join([f"{title}:", *earlier, *lines])


def require_recorded(
    actions: Sequence[AgentAction],
    action_types: ActionTypes,
    wanted: Wanted,
    times: int | None = None,
) -> None:
    """Fail unless such an action is among those recorded, exactly so many times if that is given."""
    __tracebackhide__ = True  # pytest shows the line of the test
    if times is not None and (isinstance(times, bool) or not isinstance(times, int) or times < 0):
        raise InputError(f"times must be a whole number of at least 0, not {times!r}")
    found = len(wanted.among(actions, action_types))
    if found == times or (times is None and found):
        return
    message = (
        f"no {wanted} was recorded" if times is None else f"recorded {found} times, not {times}: {wanted}"
    )
    raise AssertionError(f"{message}\n{action_log_text(actions)}")


def require_none(actions: Sequence[AgentAction], status: str, what: str) -> None:
    """Fail if any action has this status."""
    __tracebackhide__ = True  # pytest shows the line of the test
    count = sum(action.status == status for action in actions)
    if count:
        times = "once" if count == 1 else f"{count:,} times"
        raise AssertionError(f"{what} {times}\n{action_log_text(actions)}")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an action is looked for by; what is None does not matter.

    >>> print(Wanted("export", "denied", "clerk"))
    action 'export' by 'clerk' with status 'denied'
    """

    action_type: str | None = None
    status: str | None = None
    agent_id: str | None = None
    target_ref: str | None = None

    def among(self, actions: Sequence[AgentAction], action_types: ActionTypes) -> list[AgentAction]:
        """Those of the actions; names of types and statuses that no action can have are refused."""
        given = {name: value for name in _FIELDS if (value := getattr(self, name)) is not None}
        if not given:
            raise InputError(f"say which action is meant, by {', '.join(_FIELDS)}")
        if self.action_type is not None:
            action_types.known(self.action_type)
        if self.status is not None and self.status not in STATUSES:
            raise unknown("status", self.status, STATUSES)
        return [a for a in actions if all(getattr(a, name) == value for name, value in given.items())]

    def __str__(self) -> str:
        kind = f" {str(self.action_type)!r}" if self.action_type is not None else ""
        by = f" by {self.agent_id!r}" if self.agent_id is not None else ""
        on = f" on {self.target_ref!r}" if self.target_ref is not None else ""
        how = f" with status {str(self.status)!r}" if self.status is not None else ""
        return f"action{kind}{by}{on}{how}"
