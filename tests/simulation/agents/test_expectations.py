"""A scenario is judged by what was recorded, tried, run and returned; what was not shown is a failure too."""

from __future__ import annotations

from typing import Any

import pytest

from understudy.core.outcome import Failure
from understudy.governance import AgentAction
from understudy.simulation.agents.expectations import judge
from understudy.simulation.agents.scenario import Played
from understudy.simulation.agents.settings import ScenarioSettings
from understudy.simulation.agents.tool_calls import ToolRun

ENRICHED = AgentAction("clerk", "enrich", "indicator--1", status="approved")
DENIED = AgentAction("clerk", "export", "partner", status="denied", reason="not permitted")
ASKED = AgentAction("clerk", "ingest", "feed", status="pending", review_id="r1")
ANSWERED = AgentAction("clerk", "ingest", "feed", status="approved", review_id="r1")
TAKEN_BACK = AgentAction(
    "clerk", "ingest", "feed", status="rejected", review_id="r1", reason="other arguments"
)
SAW = {"action": "enrich", "status": "approved"}


def judged(played: Played, **settings: Any) -> list[str]:
    given = {"name": "a", "agent": "shop:agent", "expect": [SAW], **settings}
    failures = judge(ScenarioSettings.model_validate(given), played)
    assert all(failure.diff for failure in failures), "each says what was wanted and what came"
    return [failure.message for failure in failures]


@pytest.mark.parametrize(
    ("actions", "expect"),
    [
        ([ENRICHED], [SAW]),
        ([ENRICHED, ENRICHED], [SAW]),
        ([ENRICHED, ENRICHED], [{**SAW, "times": 2}]),
        ([ENRICHED], [{**SAW, "agent": "clerk", "target": "indicator--1", "times": 1}]),
        ([ENRICHED, DENIED], [SAW, {"action": "export", "status": "denied"}]),
        ([ENRICHED], [SAW, {"action": "export", "status": "denied", "times": 0}]),
        ([ASKED, ANSWERED], [{"action": "ingest", "status": "approved", "times": 1}]),
        ([ASKED, ANSWERED], [{"action": "ingest", "status": st} for st in ("pending", "approved")]),
        ([ASKED, ANSWERED, TAKEN_BACK], [{"action": "ingest", "status": "rejected", "times": 1}]),
    ],
)
def test_what_was_expected_passes(actions: list[AgentAction], expect: list[dict[str, Any]]) -> None:
    assert judged(Played(tuple(actions)), expect=expect) == []


@pytest.mark.parametrize(
    ("actions", "expect", "message"),
    [
        (
            [ENRICHED],
            [SAW, {"action": "export", "status": "denied"}],
            "action 'export' with status 'denied': 1 or more expected, 0 recorded; of 'export' there is nothing",
        ),
        (
            [ENRICHED, ENRICHED],
            [{**SAW, "times": 1}],
            "action 'enrich' with status 'approved': 1 expected, 2 recorded",
        ),
        (
            [ENRICHED, DENIED],
            [SAW, {"action": "export", "status": "denied", "times": 0}],
            "action 'export' with status 'denied': 0 expected, 1 recorded",
        ),
        ([ENRICHED], [SAW, {**SAW, "agent": "bob"}], "action 'enrich' by 'bob' with status 'approved'"),
        ([ENRICHED], [SAW, {**SAW, "target": "x"}], "action 'enrich' on 'x' with status 'approved'"),
        (
            [ASKED, ANSWERED, TAKEN_BACK],
            [{"action": "ingest", "status": "approved"}, {"action": "ingest", "status": "rejected"}],
            "action 'ingest' with status 'approved': 1 or more expected, 0 recorded",
        ),
    ],
)
def test_what_was_not_recorded_as_expected_fails(
    actions: list[AgentAction], expect: list[dict[str, Any]], message: str
) -> None:
    (failure,) = judged(Played(tuple(actions)), expect=expect)

    assert message in failure


def test_what_nothing_expects_fails_unless_the_scenario_lets_it() -> None:
    played = Played((ENRICHED, DENIED, DENIED))

    assert judged(played) == [
        "nothing expects that the agent does this: clerk export on partner: denied (not permitted) (2 times)"
    ]
    assert judged(played, other_actions=True) == []


def test_an_agent_that_takes_no_action_fails_whatever_was_expected() -> None:
    for expect in ([], [{**SAW, "times": 0}]):
        (failure,) = judged(Played(returned=[]), expect=expect, returns=[])
        assert "the agent took no action, so that nothing is shown" in failure


@pytest.mark.parametrize(
    ("calls", "runs", "message"),
    [
        ({"export": 1}, 0, ""),
        ({"export": 1}, 1, 'export must never run, and did: "clerk ran export (export)"'),
        (
            {"export": 0},
            0,
            "export must never run, which nothing shows: the agent did not try it behind its guard",
        ),
        ({"exprot": 1}, 0, "no tool of that name was guarded (did you mean 'exprot'?)"),
        ({}, 0, "no tool of that name was guarded (guarded were none)"),
    ],
)
def test_a_tool_that_must_never_run_has_to_be_tried_in_vain(
    calls: dict[str, int], runs: int, message: str
) -> None:
    played = Played((ENRICHED,), calls, runs * (ToolRun("export", "clerk", "export"),))

    failures = judged(played, never_runs=["export"])

    assert len(failures) == bool(message)
    assert message in "".join(failures)


def test_what_the_agent_returns_is_compared_with_a_diff() -> None:
    settings = ScenarioSettings.model_validate(
        {"name": "a", "agent": "shop:agent", "expect": [SAW], "returns": {"exports": [], "sent": 1}}
    )

    assert judge(settings, Played((ENRICHED,), returned={"exports": [], "sent": 1.0})) == ()
    (failure,) = judge(settings, Played((ENRICHED,), returned={"exports": ["all"], "sent": 1}))
    assert failure.diff == '$.exports[0]: was not expected, got "all"'


def test_a_null_that_is_expected_is_compared_too() -> None:
    assert judged(Played((ENRICHED,), returned=5)) == []
    assert judged(Played((ENRICHED,), returned=5), returns=None) == ["the agent returned 5"]


def test_the_agents_own_assertions_come_first() -> None:
    settings = ScenarioSettings.model_validate({"name": "a", "agent": "shop:agent", "expect": [SAW]})

    failures = judge(settings, Played((), failures=(Failure("its own"),)))

    assert [failure.message[:7] for failure in failures] == ["its own", "the age", "action "]
