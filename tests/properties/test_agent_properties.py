"""Whatever agents try and reviewers answer: what ran is what was approved in the end, and nothing else."""

from __future__ import annotations

import asyncio
import inspect
from dataclasses import dataclass
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from understudy.core.clock import FixedClock
from understudy.governance import (
    AgentActionType,
    AgentPermissionDenied,
    ImpactLevel,
    RateLimitExceeded,
    ReviewItem,
)
from understudy.simulation import ActionRejected, AgentTestHarness, Answer, approve, no_answer, reject
from understudy.simulation.agents.expectations import settled

LEVELS = ("trusted_internal", "semi_trusted", "untrusted_external", "root")
answers = st.one_of(
    st.builds(approve, st.sampled_from(["ann", "bob", "clerk"]), after=st.floats(0, 1200)),
    st.builds(reject, st.just("no"), after=st.floats(0, 1200)),
    st.builds(no_answer),
    st.sampled_from([None, True, "approved", 1]),
)


@dataclass(frozen=True)
class Try:
    """One call of a guarded tool, what the reviewer would say, and what happens meanwhile."""

    action: AgentActionType
    impact: ImpactLevel
    arguments: dict[str, Any]
    answer: Any
    smuggles: bool
    is_async: bool
    pause: float


tries = st.builds(
    Try,
    st.sampled_from(AgentActionType),
    st.sampled_from(ImpactLevel),
    st.dictionaries(
        st.text(max_size=3).filter(lambda key: "\0" not in key), st.integers() | st.text(max_size=3)
    ),
    answers,
    st.booleans(),
    st.booleans(),
    st.floats(0, 90),
)


def tool_of(each: Try, harness: AgentTestHarness, ledger: list[Any]) -> Any:
    """A guarded tool that writes down what it is called with."""

    def note(arguments: dict[str, Any]) -> None:
        ledger.append((each.action.value, dict(arguments)))

    async def note_later(arguments: dict[str, Any]) -> None:
        note(arguments)

    tool: Any = note_later if each.is_async else note
    return harness.guard(tool, action_type=each.action, agent_id="clerk", impact_level=each.impact)


def reviewer_of(each: Try, arguments: dict[str, Any]) -> Any:
    """Somebody who answers as drawn, and meanwhile the arguments may grow."""

    def look(item: ReviewItem) -> Any:
        if each.smuggles:
            arguments["smuggled"] = True
        return each.answer

    return look


def is_clear_yes(each: Try) -> bool:
    """Whether somebody else approved in time just what then ran."""
    answer = each.answer
    return (
        isinstance(answer, Answer)
        and (answer.status, answer.reviewer != "clerk") == ("approved", True)
        and answer.after < 600
        and not each.smuggles
    )


def finished(called: Any) -> None:
    """Run what was called to its end, on a loop of its own: it waits for the word to be out to the notifier."""
    if inspect.iscoroutine(called):
        asyncio.run(called)


@given(st.lists(tries, max_size=12), st.sampled_from(LEVELS), st.integers(0, 8))
def test_what_ran_is_what_was_approved_and_nothing_else(plan: list[Try], level: str, limit: int) -> None:
    clock = FixedClock()
    harness = AgentTestHarness(level, max_calls_per_window=limit, expiry_seconds=600, clock=clock)
    ledger: list[tuple[str, dict[str, Any]]] = []
    approved: list[tuple[str, dict[str, Any]]] = []

    for each in plan:
        clock.advance(each.pause)
        arguments, before = dict(each.arguments), len(ledger)
        harness.set_reviewer(reviewer_of(each, arguments))
        try:
            finished(tool_of(each, harness, ledger)(arguments))
        except (AgentPermissionDenied, RateLimitExceeded, ActionRejected):
            assert len(ledger) == before, "what is refused does not run"
        else:
            approved.append((each.action.value, each.arguments))
            assert each.impact in ("low", "medium") or is_clear_yes(each)
        assert (harness.recorded_actions[-1].status == "approved") == (len(ledger) == before + 1)

    assert ledger == approved, "once each, with the arguments that people were asked about"
    final = settled(harness.recorded_actions)
    assert [a.action_type for a in final if a.status == "approved"] == [action for action, _ in ledger]
    assert len(final) == len(plan), "every attempt is on record"
    assert (sum(harness.tools.calls.values()), len(harness.tools.runs)) == (len(plan), len(ledger))
