"""What stands before guarded tools: takes each call through governance, and keeps account of what ran."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from understudy.core.errors import InputError, Problem
from understudy.governance.actions import Attempt
from understudy.governance.binding import Unbindable
from understudy.governance.decision import Decision
from understudy.simulation.agents.passage import Passage, rejected
from understudy.simulation.agents.tool_calls import ToolCall
from understudy.simulation.agents.tool_runs import ToolLedger

NewAttempt = Callable[[str, str, str, str], Attempt]


class ToolGate:
    """Lets a call pass once it is approved, and raises what it was refused with."""

    def __init__(self, passage: Passage, new_attempt: NewAttempt, tools: ToolLedger) -> None:
        self._passage = passage
        self._new_attempt = new_attempt
        self._tools = tools

    def pass_call(self, call: ToolCall) -> None:
        """Return when the call may run, right then."""
        attempt = self._attempt(call)
        with _named(call):
            decision = self._passage.perform(attempt, call.bound_to)
        self._let_through(call, attempt, decision)

    async def pass_call_async(self, call: ToolCall) -> None:
        """As `pass_call`, without blocking the event loop."""
        attempt = self._attempt(call)
        with _named(call):
            decision = await self._passage.perform_async(attempt, call.bound_to)
        self._let_through(call, attempt, decision)

    def _attempt(self, call: ToolCall) -> Attempt:
        governed = call.governed
        self._tools.called(governed.name)
        return self._new_attempt(
            governed.agent_id, governed.action_type, call.target_ref, governed.impact_level
        )

    def _let_through(self, call: ToolCall, attempt: Attempt, decision: Decision) -> None:
        if not decision:
            raise rejected(attempt, decision)
        self._tools.began(call)


@contextmanager
def _named(call: ToolCall) -> Iterator[None]:
    """Say of arguments that nothing can be bound to which tool was called with them, and what else can be done."""
    try:
        yield
    except Unbindable as error:
        name = call.governed.name
        hint = f"{error.hint}; or say with bind= what an approval of it is bound to"
        if next(iter(call.arguments), "") in ("self", "cls"):
            hint += f"; of a method, guard the one that belongs to its object, as in guard(it.{name})"
        raise InputError([Problem(f"{name}: {error.problems[0].message}", hint=hint)]) from None
