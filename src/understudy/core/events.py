"""What happens during a run, as a stream of small typed events; every reporter is a handler of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from understudy.core.outcome import Attachment, Outcome
from understudy.core.pickling import travelling
from understudy.core.report import Plan, Report


@dataclass(frozen=True, slots=True)
class RunStarted:
    """The plan stands; `plan.cases` cases are about to be run."""

    plan: Plan
    started_at: str


@travelling
@dataclass(frozen=True, slots=True)
class CaseStarted:
    """A case is being run. `act` and acts may leave it out: the engine sends it before the outcome then."""

    case_id: str


@dataclass(frozen=True, slots=True)
class CaseFinished:
    """A case has its outcome, redacted; `position` is its place in the order of the plan."""

    outcome: Outcome
    position: int = 0


@travelling
@dataclass(frozen=True, slots=True)
class Evidence:
    """What a unit did, as plain mergeable data: which mocks were hit, which routes were called.

    Numbers add up, lists are united, mappings are merged key by key.
    """

    data: Mapping[str, Any] = field(default_factory=dict)
    act: str = ""


@dataclass(frozen=True, slots=True)
class RunNote:
    """Something about the run as a whole that a user should see, such as the output of the app under test."""

    attachment: Attachment


@dataclass(frozen=True, slots=True)
class RunFinished:
    """The run is over, whole or not; the report can be read from here on."""

    report: Report


Event = RunStarted | CaseStarted | CaseFinished | Evidence | RunNote | RunFinished
