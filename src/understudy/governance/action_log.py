"""The actions of this process in memory, found by agent at the same cost however many there are."""

from __future__ import annotations

import threading
from typing import Any, Protocol

from understudy.core.brief import brief
from understudy.core.errors import InputError, Problem
from understudy.governance.actions import AgentAction


class Recorder(Protocol):
    """Where actions are kept beyond this process."""

    def record(self, action: AgentAction) -> Any:
        """Take one action over. What this raises, stops the action."""
        ...


class ActionLog:
    """All actions in the order in which they were recorded, and those of each agent.

    >>> log = ActionLog()
    >>> log.append(AgentAction("ann", "export"))
    >>> [action.action_type for action in log.of("ann")], log.of("bob")
    (['export'], [])
    """

    def __init__(self) -> None:
        self._all: list[AgentAction] = []
        self._by_agent: dict[str, list[AgentAction]] = {}
        self._lock = threading.Lock()

    def append(self, action: AgentAction) -> None:
        """Add one action at the end."""
        with self._lock:
            self._all.append(action)
            self._by_agent.setdefault(action.agent_id, []).append(action)

    def of(self, agent_id: str | None = None) -> list[AgentAction]:
        """The actions of one agent, or all of them, as they are now."""
        with self._lock:
            return list(self._all if agent_id is None else self._by_agent.get(agent_id, ()))


def checked_action(action: Any) -> AgentAction:
    """The action itself, if it is one that a log can be asked for.

    >>> checked_action("export")
    Traceback (most recent call last):
    understudy.core.errors.InputError: only an AgentAction can be recorded, not "export" (make one: ...
    """
    if not isinstance(action, AgentAction):
        hint = "make one: AgentAction(agent_id, action_type, status=...)"
        raise InputError([Problem(f"only an AgentAction can be recorded, not {brief(action)}", hint=hint)])
    for name in ("agent_id", "action_type"):
        if not isinstance(getattr(action, name), str):
            raise InputError(f"the {name} of an action is a text, not {brief(getattr(action, name))}")
    return action


def wanted_agent(agent_id: Any) -> str | None:
    """Whose actions are asked for, if that can be anybody's name; None for all."""
    if agent_id is None or isinstance(agent_id, str):
        return agent_id
    raise InputError(f"agent_id is the name of an agent, or None for all of them, not {brief(agent_id)}")
