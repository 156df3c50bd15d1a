"""The harness: a governor, a gateway and reviewers who answer by themselves, wired together for one test."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, ParamSpec, TypeVar, Unpack, overload

from understudy.core.clock import Clock, FixedClock, IdSource, SystemClock
from understudy.core.errors import InputError, Problem
from understudy.governance.action_log import Recorder
from understudy.governance.action_types import ActionTypes
from understudy.governance.actions import DENIED, RATE_LIMITED, AgentAction, Attempt
from understudy.governance.decision import Decision
from understudy.governance.gateway import HITLGateway
from understudy.governance.governor import AgentGovernor
from understudy.governance.notification import Notifier
from understudy.governance.policy_overrides import Overrides
from understudy.governance.reviews import Reviews
from understudy.simulation.agents.answers import Answer, Reviewer, no_answer, reject
from understudy.simulation.agents.findings import Wanted, action_log_text, require_none, require_recorded
from understudy.simulation.agents.gate import ToolGate
from understudy.simulation.agents.guard import guarded
from understudy.simulation.agents.mock_reviews import MockReviewService, counted
from understudy.simulation.agents.passage import Passage, current_context_id
from understudy.simulation.agents.tool_calls import (
    Bind,
    GuardOptions,
    OnRefusal,
    Target,
    governed_tool,
)
from understudy.simulation.agents.tool_runs import ToolLedger, tool_runs_text

P = ParamSpec("P")
T = TypeVar("T")


class AgentTestHarness:
    """All of governance around what an agent does, deterministic and offline.

    >>> harness = AgentTestHarness(trust_level="semi_trusted")
    >>> result = harness.run_action("test-agent", "write_stix", "indicator--abc123", "high")
    >>> result["status"], result["approved_by"]
    ('approved', 'mock-reviewer')
    >>> harness.assert_action_recorded(action_type="write_stix", status="approved")
    >>> harness.assert_action_recorded(action_type="export")
    Traceback (most recent call last):
    AssertionError: no action 'export' was recorded
    recorded actions:
      1. test-agent write_stix on indicator--abc123: approved
    """

    __test__ = False

    def __init__(
        self,
        trust_level: str = "semi_trusted",
        *,
        reviewer: Reviewer | Answer | None = None,
        review_service: Reviews | None = None,
        max_calls_per_window: int = 100,
        window_seconds: float = 60,
        policy_overrides: Overrides | None = None,
        expiry_seconds: float = 3600,
        notifier: Notifier | None = None,
        recorder: Recorder | None = None,
        action_types: ActionTypes | None = None,
        clock: Clock | None = None,
        new_id: IdSource | None = None,
        patience: float = 0.0,
    ) -> None:
        """The clock stands unless another is given, and ids are counted, so that everything is the same in every run.
        A `review_service` of your own has to go by the same clock; without one given, both go by real time.
        `patience` is how many real seconds to wait for people whom the harness does not know: those who answer in
        a review service of your own.
        """
        if (
            isinstance(patience, bool)
            or not isinstance(patience, int | float)
            or not 0 <= patience < math.inf
        ):
            raise InputError(f"patience must be a number of seconds of at least 0, not {patience!r}")
        if reviewer is not None and review_service is not None:
            hint = "the reviewers of a review service of your own answer there"
            raise InputError([Problem("both a reviewer and a review_service were given", hint=hint)])
        self.trust_level = trust_level
        # A review service of one's own goes by real time, as long as nobody says otherwise.
        self.clock: Clock = clock or (FixedClock() if review_service is None else SystemClock())
        self._reviewer = reviewer
        self.action_types = action_types or ActionTypes()
        self.governor = AgentGovernor(
            max_calls_per_window,
            window_seconds,
            policy_overrides,
            clock=self.clock,
            new_id=new_id or counted("action"),
            recorder=recorder,
            action_types=self.action_types,
        )
        self.gateway = HITLGateway(
            review_service if review_service is not None else self.make_review_service(),
            notifier,
            expiry_seconds=expiry_seconds,
            clock=self.clock,
            action_types=self.action_types,
        )
        self.tools = ToolLedger()
        self._passage = Passage(self.governor, self.gateway, self.clock, expiry_seconds, patience)
        self._gate = ToolGate(self._passage, self._attempt, self.tools)

    def make_review_service(self) -> Reviews:
        """The review service of this harness, for subclasses to replace: one that goes by `self.clock`."""
        return MockReviewService(self._reviewer, clock=self.clock)

    @property
    def review_service(self) -> Reviews:
        """Who answers: a `MockReviewService`, or a review service of your own that takes its place."""
        return self.gateway.review_service

    @review_service.setter
    def review_service(self, reviews: Reviews) -> None:
        self.gateway.review_service = reviews

    @property
    def recorded_actions(self) -> list[AgentAction]:
        """Everything that was tried, in the order in which it was decided; what waited for a person stands there
        twice, first as `pending`.
        """
        return self.governor.get_action_log()

    def run_action(
        self,
        agent_id: str,
        action_type: str,
        target_ref: str = "",
        impact_level: str = "low",
        arguments: Any = None,
    ) -> dict[str, Any]:
        """Take one action through governor, reviewer and gateway, up to where it would be done.

        Raises AgentPermissionDenied or RateLimitExceeded once the attempt is on record. Otherwise `status` is
        `approved`, or `rejected` if a reviewer refuses it or lets its time run out.
        """
        attempt = self._attempt(agent_id, action_type, target_ref, impact_level)
        return _result(attempt, self._passage.perform(attempt, lambda: arguments))

    async def run_action_async(
        self,
        agent_id: str,
        action_type: str,
        target_ref: str = "",
        impact_level: str = "low",
        arguments: Any = None,
    ) -> dict[str, Any]:
        """As `run_action`, without blocking the event loop."""
        attempt = self._attempt(agent_id, action_type, target_ref, impact_level)
        return _result(attempt, await self._passage.perform_async(attempt, lambda: arguments))

    @overload
    def guard(self, tool: Callable[P, T], **options: Unpack[GuardOptions]) -> Callable[P, T]: ...

    @overload
    def guard(
        self, tool: None = None, **options: Unpack[GuardOptions]
    ) -> Callable[[Callable[P, T]], Callable[P, T]]: ...

    def guard(
        self,
        tool: Callable[..., Any] | None = None,
        *,
        action_type: str | None = None,
        agent_id: str = "test-agent",
        impact_level: str = "low",
        target_ref: Target = "",
        bind: Bind | None = None,
        on_refusal: OnRefusal | None = None,
    ) -> Callable[..., Any]:
        """The tool behind governance, to be given to the agent in its place; also a decorator.

        An approval is bound to the arguments of the call, or to what `bind` makes of them by their names. Without
        an `action_type` the tool is one by its own name, which only `trusted_internal` may do without an override.
        What is refused does not run and raises AgentPermissionDenied, RateLimitExceeded or ActionRejected; with
        `on_refusal`, which is given that error, its value is returned instead.

        >>> harness = AgentTestHarness()
        >>> sent = []
        >>> export = harness.guard(sent.append, action_type="export", target_ref="partner")
        >>> export("all customers")
        Traceback (most recent call last):
        understudy.governance.actions.AgentPermissionDenied: 'test-agent' may not export: the trust level ...
        >>> sent
        []
        """
        options = GuardOptions(
            action_type=action_type,
            agent_id=agent_id,
            impact_level=impact_level,
            target_ref=target_ref,
            bind=bind,
            on_refusal=on_refusal,
        )
        if tool is None:
            return lambda later: self.guard(later, **options)
        governed = governed_tool(tool, self.action_types, **options)
        self.tools.guarded(governed.name)
        return guarded(governed, self._gate)

    def set_policy_override(self, agent_id: str, action_type: str, allowed: bool) -> None:
        """Permit one agent an action that its trust level does not, or forbid it one that its trust level permits."""
        self.governor.set_policy_override(agent_id, action_type, allowed)

    def register_action_type(self, name: str, allowed_to: Iterable[str] = ("trusted_internal",)) -> str:
        """Make one more action type known, and say which trust levels may do it without an override."""
        return self.action_types.register(name, allowed_to)

    def set_reviewer(self, reviewer: Reviewer | Answer | None, action_type: str | None = None) -> None:
        """Who answers from now on, to everything or about one action type: an answer, or a function that takes the
        ReviewItem and returns one.
        """
        kind = None if action_type is None else self.action_types.known(action_type)
        self._mock("set_reviewer").set_reviewer(reviewer, kind)

    def set_auto_reject(self, action_type: str, reason: str = "the test rejects it") -> None:
        """Let the reviewer refuse every action of a type."""
        self._mock("set_auto_reject").set_reviewer(reject(reason), self.action_types.known(action_type))

    def set_auto_expire(self, action_type: str) -> None:
        """Let nobody answer questions about a type of action, until their time is over."""
        self._mock("set_auto_expire").set_reviewer(no_answer(), self.action_types.known(action_type))

    def assert_action_recorded(
        self,
        action_type: str | None = None,
        status: str | None = None,
        agent_id: str | None = None,
        target_ref: str | None = None,
        *,
        times: int | None = None,
    ) -> None:
        """Fail unless such an action is on record, exactly so many times if that is given."""
        __tracebackhide__ = True
        wanted = Wanted(action_type, status, agent_id, target_ref)
        require_recorded(self.recorded_actions, self.action_types, wanted, times)

    def assert_no_permission_denied(self) -> None:
        """Fail if anything that was tried was not permitted."""
        __tracebackhide__ = True
        require_none(self.recorded_actions, DENIED, "permission was denied")

    def assert_rate_limit_not_exceeded(self) -> None:
        """Fail if anybody reached the rate limit."""
        __tracebackhide__ = True
        require_none(self.recorded_actions, RATE_LIMITED, "the rate limit was exceeded")

    def assert_tool_ran(self, name: str) -> None:
        """Fail unless the guarded tool of that name did run."""
        __tracebackhide__ = True
        if not self.tools.runs_of(name):
            raise AssertionError(f"{name} never ran\n{action_log_text(self.recorded_actions)}")

    def assert_tool_never_ran(self, name: str) -> None:
        """Fail if the guarded tool of that name did run."""
        __tracebackhide__ = True
        if self.tools.runs_of(name):
            log = f"{tool_runs_text(self.tools.runs)}\n{action_log_text(self.recorded_actions)}"
            raise AssertionError(f"{name} ran\n{log}")

    def _attempt(self, agent_id: str, action_type: str, target_ref: str, impact_level: str) -> Attempt:
        return Attempt(
            agent_id, action_type, target_ref, impact_level, self.trust_level, current_context_id()
        )

    def _mock(self, what: str) -> MockReviewService:
        if not isinstance(self.review_service, MockReviewService):
            name = type(self.review_service).__name__
            hint = f"let {name} answer by itself, or make the harness without a review_service"
            raise InputError(
                [Problem(f"{what} tells the harness's own reviewers, and here {name} answers", hint=hint)]
            )
        return self.review_service


def _result(attempt: Attempt, decision: Decision) -> dict[str, Any]:
    return {
        "status": decision.status,
        "approved_by": decision.approved_by,
        "reason": decision.reason,
        "review_id": decision.review_id,
        "agent_id": attempt.agent_id,
        "action_type": str(attempt.action_type),
        "target_ref": attempt.target_ref,
        "impact_level": str(attempt.impact_level),
        "arguments_hash": decision.arguments_hash,
    }
