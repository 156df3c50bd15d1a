"""The governor: what each agent may do and how often, with every decision on record."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from understudy.context.trust import TrustLevel
from understudy.core.brief import brief
from understudy.core.clock import Clock, IdSource, SystemClock, random_ids
from understudy.core.errors import InputError, Problem
from understudy.governance.action_log import ActionLog, Recorder, checked_action, wanted_agent
from understudy.governance.action_types import ActionTypes, unknown
from understudy.governance.actions import (
    ALLOWED,
    DENIED,
    RATE_LIMITED,
    AgentAction,
    AgentPermissionDenied,
    Attempt,
    RateLimitExceeded,
)
from understudy.governance.identity import checked_name
from understudy.governance.policy_overrides import Overrides, each_override
from understudy.governance.rate_limit import SlidingWindow

_LONGEST = 2_000
_LEVELS = [level.value for level in TrustLevel]


class AgentGovernor:
    """Permissions by trust level, overrides per agent, rate limits, and the log of all decisions. Thread-safe.

    >>> governor = AgentGovernor(policy_overrides={"reporter": {"export": True}})
    >>> governor.can_act("triage-bot", "export", "semi_trusted")
    False
    >>> governor.can_act("reporter", "export", "semi_trusted")
    True
    >>> [str(action) for action in governor.get_action_log("triage-bot")]
    ["triage-bot export: denied (the trust level 'semi_trusted' does not permit it)"]
    """

    def __init__(
        self,
        max_calls_per_window: int = 100,
        window_seconds: float = 60,
        policy_overrides: Overrides | None = None,
        *,
        clock: Clock | None = None,
        new_id: IdSource = random_ids,
        recorder: Recorder | None = None,
        action_types: ActionTypes | None = None,
    ) -> None:
        if recorder is not None and not callable(getattr(recorder, "record", None)):
            hint = "give StoredActions(store), or an object with a record of its own"
            raise InputError([Problem(f"{brief(recorder)} is no recorder of actions", hint=hint)])
        self._clock = clock or SystemClock()
        self._window = SlidingWindow(max_calls_per_window, window_seconds, self._clock.monotonic)
        self._new_id = new_id
        self._recorder = recorder
        self.action_types = action_types or ActionTypes()
        self._overrides: dict[tuple[str, str], bool] = {}
        self._log = ActionLog()
        for agent_id, action_type, allowed in each_override(
            {} if policy_overrides is None else policy_overrides
        ):
            self.set_policy_override(agent_id, action_type, allowed)

    def set_policy_override(self, agent_id: str, action_type: str, allowed: bool) -> None:
        """Permit one agent an action that its trust level does not, or forbid it one that its trust level permits."""
        if not isinstance(allowed, bool):
            hint = f"it is that of {brief(agent_id)} for {brief(action_type)}"
            raise InputError([Problem(f"an override is True or False, not {allowed!r}", hint=hint)])
        self._overrides[checked_name(agent_id), self.action_types.known(action_type)] = allowed

    def register_action_type(self, name: str, allowed_to: Iterable[str] = ("trusted_internal",)) -> str:
        """Make one more action type known, and say which trust levels may do it without an override."""
        return self.action_types.register(name, allowed_to)

    def can_act(self, agent_id: str, action_type: str, trust_level: str) -> bool:
        """Whether an agent may do an action; what was decided is recorded."""
        attempt = Attempt(agent_id, action_type, trust_level=trust_level)
        return self._decide(attempt).status == ALLOWED

    def require_can_act(self, agent_id: str, action_type: str, trust_level: str) -> None:
        """As `can_act`, but raise AgentPermissionDenied if it may not."""
        action = self._decide(Attempt(agent_id, action_type, trust_level=trust_level))
        if action.status != ALLOWED:
            raise AgentPermissionDenied(action)

    def rate_limit_check(self, agent_id: str) -> None:
        """Count one call of an agent. RateLimitExceeded, recorded and not counted, if it has reached its limit."""
        checked_name(agent_id)
        self._limit(Attempt(agent_id, ""))

    def admit(self, attempt: Attempt) -> None:
        """Permission and rate limit of one attempt, in one step. Only a refusal is recorded, and raised: what came of
        the attempt in the end is for the caller to `record`, once.
        """
        reason = self._refusal(attempt)
        if reason:
            raise AgentPermissionDenied(self.record(attempt, DENIED, reason))
        self._limit(attempt)

    def record(
        self,
        attempt: Attempt,
        status: str,
        reason: str = "",
        *,
        arguments_hash: str = "",
        review_id: str = "",
        reviewed_by: str = "",
    ) -> AgentAction:
        """Record what came of an attempt, with an id and the time of this governor."""
        kept = _recordable(attempt)
        action = AgentAction(
            kept.agent_id,
            kept.action_type,
            kept.target_ref,
            kept.impact_level,
            kept.trust_level,
            status,
            reason,
            arguments_hash,
            review_id,
            reviewed_by,
            kept.context_id,
            self._clock.now(),
            self._new_id(),
        )
        self._keep(action)
        return action

    def record_action(self, action: AgentAction) -> None:
        """Put an action on record that was decided elsewhere."""
        self._keep(checked_action(action))

    def _keep(self, action: AgentAction) -> None:
        """With the recorder first, if there is one, so that nothing is only believed kept."""
        if self._recorder is not None:
            self._recorder.record(action)
        self._log.append(action)

    def get_action_log(self, agent_id: str | None = None) -> list[AgentAction]:
        """The actions of one agent, or of all, in the order in which they were recorded."""
        return self._log.of(wanted_agent(agent_id))

    def _decide(self, attempt: Attempt) -> AgentAction:
        reason = self._refusal(attempt)
        return self.record(attempt, DENIED if reason else ALLOWED, reason)

    def _refusal(self, attempt: Attempt) -> str:
        """Why an agent may not do an action; '' if it may. An unknown trust level is beyond overrides too."""
        trust_level = attempt.trust_level
        try:
            agent_id = checked_name(attempt.agent_id)
            action_type = self.action_types.known(attempt.action_type)
        except InputError as error:
            self.record(attempt, DENIED, str(error))
            raise
        if not self.action_types.is_level(trust_level):
            return str(unknown("trust level", trust_level, _LEVELS))
        override = self._overrides.get((agent_id, action_type))
        if override is not None:
            return "" if override else "an override forbids it"
        if self.action_types.permits(trust_level, action_type):
            return ""
        return f"the trust level {str(trust_level)!r} does not permit it"

    def _limit(self, attempt: Attempt) -> None:
        wait = self._window.enter(attempt.agent_id)
        if wait:
            error = RateLimitExceeded(attempt.agent_id, self._window.limit, self._window.seconds, wait)
            self.record(attempt, RATE_LIMITED, str(error))
            raise error


def _recordable(attempt: Attempt) -> Attempt:
    """An attempt as it can be kept. Nearly all are as they should be, which is seen at once."""
    try:
        if len("".join(attempt)) <= _LONGEST:
            return attempt
    except TypeError:  # something in it is no text
        pass
    return Attempt(*map(_text, attempt))


def _text(value: Any) -> str:
    """What an attempt said, short and as text, also where it said something else: it is on record in any case."""
    if isinstance(value, str):
        return value if len(value) <= _LONGEST else f"{value[:_LONGEST]}… ({len(value):,} characters)"
    return brief(value)
