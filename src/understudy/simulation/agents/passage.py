"""The way of one action through governance: asked, answered in time, and used up right before it is done."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any, Protocol, runtime_checkable

from understudy.context.carrying import current_context
from understudy.core.brief import brief
from understudy.core.clock import Clock
from understudy.core.errors import UnderstudyError
from understudy.governance.action_types import ImpactLevel
from understudy.governance.actions import PENDING, REJECTED, AgentAction, Attempt
from understudy.governance.decision import Decision
from understudy.governance.gateway import HITLGateway
from understudy.governance.governed_call import govern
from understudy.governance.governor import AgentGovernor
from understudy.governance.reviews import ReviewError

HARNESS = "agent-harness"
_LONGEST_REASON = 300
_MARGIN = 1.0  # seconds that a real clock may be behind the one that waiting goes by
# Seconds for a notifier, so that a test finds told what it told; one that hangs holds nobody up for longer.
_NOTICE = 1.0
Look = Callable[[], Any]  # at the arguments as they are at that moment


class ActionRejected(UnderstudyError, PermissionError):
    """A reviewer refused an action, or let its time run out; `action` is what was attempted, and why it was refused."""

    def __init__(self, action: AgentAction) -> None:
        super().__init__(f"the action was not approved: {action}")
        self.action = action

    def __reduce__(self) -> tuple[type[ActionRejected], tuple[AgentAction]]:
        return type(self), (self.action,)


@runtime_checkable
class AnsweringReviews(Protocol):
    """A review service that knows when each of its questions will have been answered."""

    def answer_due(self, review_id: str) -> datetime | None:
        """When that is; None if nobody is going to answer."""
        ...


@runtime_checkable
class RevocableReviews(Protocol):
    """A review service in which an approval can be taken back."""

    def revoke(self, review_id: str, reason: str, reviewer: str) -> Any:
        """Take it back; ReviewError if there is none."""
        ...


@runtime_checkable
class MovableClock(Clock, Protocol):
    """A clock that stands until it is moved, such as `FixedClock`."""

    def advance(self, seconds: float) -> None:
        """Move the clock forward."""
        ...


class Passage:
    """Takes attempts through one governor and one gateway, on one clock."""

    def __init__(
        self,
        governor: AgentGovernor,
        gateway: HITLGateway,
        clock: Clock,
        expiry_seconds: float,
        patience: float,
    ) -> None:
        self.governor = governor
        self.gateway = gateway
        self._clock = clock
        self._expiry_seconds = expiry_seconds
        self._patience = patience
        self._moving = threading.Lock()

    def perform(self, attempt: Attempt, arguments: Look) -> Decision:
        """The whole way of one attempt, waiting for people if need be."""
        decision = self.ask(attempt, arguments())
        if decision.status == PENDING:
            with self._closing(attempt, decision):
                seconds = self.let_time_pass(decision.review_id)
                answer = (
                    self._look(decision) if not seconds else self.gateway.wait(decision.review_id, seconds)
                )
            decision = self.settle(attempt, decision, answer)
        if attempt.impact_level == ImpactLevel.critical:
            self.gateway.settle(_NOTICE)
        return self.use(attempt, decision, arguments)

    async def perform_async(self, attempt: Attempt, arguments: Look) -> Decision:
        """As `perform`, without blocking the event loop."""
        decision = self.ask(attempt, arguments())
        if decision.status == PENDING:
            with self._closing(attempt, decision):
                seconds = self.let_time_pass(decision.review_id)
                if seconds:
                    answer = await self.gateway.wait_async(decision.review_id, seconds)
                else:
                    answer = self._look(decision)
            decision = self.settle(attempt, decision, answer)
        if attempt.impact_level == ImpactLevel.critical:
            await asyncio.to_thread(self.gateway.settle, _NOTICE)
        return self.use(attempt, decision, arguments)

    def ask(self, attempt: Attempt, arguments: Any) -> Decision:
        """What governor and gateway say at once, on record. A refusal of the governor's is raised."""
        return govern(
            self.governor,
            self.gateway,
            attempt.agent_id,
            attempt.action_type,
            attempt.trust_level,
            attempt.target_ref,
            attempt.impact_level,
            arguments,
            context_id=attempt.context_id,
        )

    def let_time_pass(self, review_id: str) -> float:
        """Go to the moment of the answer on a clock that stands; how many seconds to wait for it in real time."""
        reviews = self.gateway.review_service
        if not isinstance(reviews, AnsweringReviews):
            return self._patience
        due = reviews.answer_due(review_id)
        if due is None:
            return self._patience
        with self._moving:  # others may move the clock too, and no step of theirs must be lost
            # An answer that comes too late is not waited for: the question is closed before.
            left = max(min((due - self._clock.now()).total_seconds(), self._expiry_seconds), 0.0)
            if not isinstance(self._clock, MovableClock):
                return left + _MARGIN
            self._clock.advance(left)
        return 0.0

    def settle(self, attempt: Attempt, asked: Decision, answer: Decision) -> Decision:
        """What came of waiting, on record; a question that is still open is closed, so that nobody answers it later."""
        review_id = asked.review_id
        if answer.status == PENDING and isinstance(self._clock, MovableClock):
            with self._moving:
                self._clock.advance(self._expiry_seconds)
            answer = self.gateway.decision(review_id)
        if answer.status == PENDING:
            return self._close(attempt, asked, f"nobody answered within {self._patience:g} seconds")
        self._record(attempt, answer, asked.arguments_hash)
        return replace(answer, arguments_hash=asked.arguments_hash)

    def use(self, attempt: Attempt, decision: Decision, arguments: Look) -> Decision:
        """Use the approval of a reviewer up, for the arguments as they are now. Without it, nothing may be done."""
        if not decision or not decision.review_id:
            return decision
        try:
            used = self.gateway.redeem(
                decision.review_id, attempt.agent_id, attempt.action_type, attempt.target_ref, arguments()
            )
        except Exception as error:
            why = f"{type(error).__name__}: {brief(str(error), _LONGEST_REASON)}"
            self._record(attempt, Decision(REJECTED, decision.review_id, reason=why), decision.arguments_hash)
            raise
        if not used:
            self._record(attempt, used, used.arguments_hash)
        return used

    @contextmanager
    def _closing(self, attempt: Attempt, asked: Decision) -> Iterator[None]:
        """A wait that is given up (a task that is cancelled, Ctrl-C) closes its question."""
        try:
            yield
        except BaseException as error:
            self._close(attempt, asked, f"nobody waits for the answer any more ({type(error).__name__})")
            raise

    def _close(self, attempt: Attempt, asked: Decision, why: str) -> Decision:
        closed = replace(asked, status=REJECTED, reason=why)
        reviews = self.gateway.review_service
        try:
            try:
                reviews.reject(asked.review_id, why, HARNESS)
            except ReviewError:  # somebody answered at the last moment
                if isinstance(reviews, RevocableReviews):
                    reviews.revoke(asked.review_id, why, HARNESS)
        except ReviewError:
            pass  # with a refusal, which is as good
        finally:
            self._record(attempt, closed, asked.arguments_hash)
        return closed

    def _look(self, asked: Decision) -> Decision:
        return self.gateway.decision(asked.review_id)

    def _record(self, attempt: Attempt, decision: Decision, arguments_hash: str) -> None:
        self.governor.record(
            attempt,
            decision.status,
            decision.reason,
            arguments_hash=arguments_hash,
            review_id=decision.review_id,
            reviewed_by=decision.approved_by,
        )


def rejected(attempt: Attempt, decision: Decision) -> ActionRejected:
    """The error for an attempt that was not approved."""
    return ActionRejected(
        AgentAction(
            attempt.agent_id,
            attempt.action_type,
            attempt.target_ref,
            attempt.impact_level,
            attempt.trust_level,
            decision.status,
            decision.reason,
            decision.arguments_hash,
            decision.review_id,
            context_id=attempt.context_id,
        )
    )


def current_context_id() -> str:
    """The id of the execution context in use; '' if there is none."""
    context = current_context()
    return context.context_id if context is not None else ""
