"""The `[agents]` table of the project file."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from understudy.core.errors import InputError
from understudy.governance.action_types import ActionTypes
from understudy.governance.gateway import LONGEST_WAIT
from understudy.simulation.agents.answers import MOCK_REVIEWER, Answer, Reviewer, ScriptedReviewer
from understudy.simulation.agents.answers import approve as approving
from understudy.simulation.agents.answers import no_answer as silent
from understudy.simulation.agents.answers import reject as rejecting
from understudy.simulation.agents.findings import Wanted
from understudy.simulation.named_functions import FunctionName

EVERYTHING = "*"
Verdict = Literal["approve", "reject", "expire"]
Status = Literal["approved", "rejected", "pending", "denied", "rate_limited", "allowed"]
Level = Literal["trusted_internal", "semi_trusted", "untrusted_external"]


class AgentsTable(BaseModel):
    """A table of the agents act; unknown keys are refused."""

    # Strict: a text such as "yes" permits nothing.
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class AnswerSettings(AgentsTable):
    """What a reviewer answers."""

    answer: Verdict = Field(description='"approve", "reject", or "expire": nobody answers in time.')
    reviewer: str = Field(default=MOCK_REVIEWER, description="Who answers.")
    reason: str = Field(default="", description="Why, as it is put on record.")
    after: Annotated[float, Field(ge=0, le=1e9)] = Field(
        default=0.0, description="Seconds that the reviewer thinks, on the clock of the harness."
    )

    def to_answer(self) -> Answer:
        """The same for a harness."""
        if self.answer == "expire":
            return silent()
        if self.answer == "reject":
            return rejecting(self.reason or "the scenario says no", self.reviewer, after=self.after)
        return approving(self.reviewer, self.reason, after=self.after)


Reviews = Verdict | AnswerSettings | list[Verdict | AnswerSettings]


class ExpectSettings(AgentsTable):
    """An action that must be on record in the end."""

    action: str = Field(min_length=1, description="The action type.")
    status: Status = Field(description="What came of it.")
    agent: str | None = Field(default=None, description="Which agent did it; default: any.")
    target: str | None = Field(default=None, description="What it was done to; default: anything.")
    times: Annotated[int, Field(ge=0)] | None = Field(
        default=None, description="How often exactly; default: at least once."
    )

    @property
    def wanted(self) -> Wanted:
        """What is looked for on record."""
        return Wanted(self.action, self.status, self.agent, self.target)


class ScenarioSettings(AgentsTable):
    """One agent at work, and what must come of it."""

    name: str = Field(min_length=1, max_length=200, description="What the scenario shows.")
    agent: FunctionName = Field(description="module:function of the agent; it is given the harness.")
    trust_level: Level = Field(default="semi_trusted", description="How far the agent is trusted.")
    action_types: dict[str, list[Level]] = Field(
        default_factory=dict, description="Further action types, and the trust levels that may do them."
    )
    overrides: dict[str, dict[str, bool]] = Field(
        default_factory=dict, description="By agent and action type: true permits, false forbids."
    )
    reviews: dict[str, Reviews] = Field(
        default_factory=dict,
        description='Answers of reviewers by action type, "*" for all others; a list is given in turn. '
        "Default: everything is approved.",
    )
    max_calls_per_window: Annotated[int, Field(ge=0)] = Field(
        default=100, description="Actions that an agent may take within a window."
    )
    window_seconds: Annotated[float, Field(gt=0, le=1e9)] = Field(
        default=60.0, description="Length of that window."
    )
    expiry_seconds: Annotated[float, Field(gt=0, le=LONGEST_WAIT)] = Field(
        default=3600.0, description="Seconds after which a question that nobody answered is refused."
    )
    expect: list[ExpectSettings] = Field(
        default_factory=list, description="Actions that must be on record; any other one fails."
    )
    other_actions: bool = Field(default=False, description="Let the agent also do what is not expected.")
    never_runs: list[str] = Field(
        default_factory=list, description="Guarded tools that the agent must try in vain: none of them runs."
    )
    returns: Any = Field(
        default=None,
        description="What the agent's function must return, such as a ledger of what was really done.",
    )
    timeout: Annotated[float, Field(gt=0, le=86_400)] = Field(
        default=30.0, description="Seconds after which the agent's process is killed."
    )
    allow_network: bool = Field(default=False, description="Let the agent reach beyond this machine.")
    tags: list[str] = Field(default_factory=list, description="Tags to select it by, with -m.")

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        if not (self.expect or self.never_runs or "returns" in self.model_fields_set):
            raise ValueError(
                "expects nothing, so that it could not fail: write expect, never_runs or returns"
            )
        try:
            known = self.known_actions()
            for name in self._named():
                known.known(name)
            for answers in self.reviews.values():
                reviewer_of(answers)
        except InputError as error:
            raise ValueError(str(error)) from None
        return self

    def known_actions(self) -> ActionTypes:
        """The action types of the scenario."""
        known = ActionTypes()
        for name, levels in self.action_types.items():
            known.register(name, levels)
        return known

    def reviewers(self) -> dict[str, Reviewer | Answer]:
        """Who answers, by action type."""
        return {name: reviewer_of(answers) for name, answers in self.reviews.items()}

    def _named(self) -> list[str]:
        overridden = [name for actions in self.overrides.values() for name in actions]
        reviewed = [name for name in self.reviews if name != EVERYTHING]
        return [*overridden, *reviewed, *(expected.action for expected in self.expect)]


class AgentsSettings(AgentsTable):
    """Agents at work, and what they must be stopped from."""

    path: list[str] = Field(
        default_factory=lambda: ["."], min_length=1, description="Folders that modules are imported from."
    )
    scenarios: list[ScenarioSettings] = Field(min_length=1, description="The scenarios to run.")
    uncalled_tools: list[str] = Field(
        default_factory=list, description="Guarded tools that no scenario needs to call."
    )


def reviewer_of(answers: Reviews) -> Reviewer | Answer:
    """The reviewer whom a table describes."""
    if isinstance(answers, list):
        return ScriptedReviewer(*(_answer(each) for each in answers))
    return _answer(answers)


def _answer(given: Verdict | AnswerSettings) -> Answer:
    return (given if isinstance(given, AnswerSettings) else AnswerSettings(answer=given)).to_answer()
