"""The harness takes actions through all of governance, and its assertions say what happened."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from understudy.context import ExecutionContext
from understudy.core.clock import FixedClock
from understudy.core.errors import InputError
from understudy.governance import AgentAction, AgentActionType, AgentPermissionDenied, RateLimitExceeded
from understudy.simulation import AgentTestHarness


def statuses(harness: AgentTestHarness) -> list[str]:
    return [action.status for action in harness.recorded_actions]


@pytest.mark.parametrize("impact", ["low", "medium"])
def test_what_does_little_harm_proceeds_by_policy(impact: str) -> None:
    harness = AgentTestHarness()

    result = harness.run_action("clerk", "enrich", "indicator--1", impact, {"depth": 1})

    assert (result["status"], result["approved_by"], result["review_id"]) == ("approved", "policy", "")
    assert statuses(harness) == ["approved"]


@pytest.mark.parametrize("impact", ["high", "critical"])
def test_what_can_do_harm_is_approved_by_the_mock_reviewer_and_used_up(impact: str) -> None:
    harness = AgentTestHarness()
    what = ("clerk", "ingest", "feed--1")

    result = harness.run_action(*what, impact, {"rows": 3})

    assert (result["status"], result["approved_by"]) == ("approved", "mock-reviewer")
    again = harness.gateway.redeem(result["review_id"], *what, {"rows": 3})
    assert (again.status, again.reason) == ("rejected", "was used already")


def test_a_result_says_what_was_asked() -> None:
    result = AgentTestHarness().run_action("clerk", AgentActionType.enrich, "indicator--1", "low")

    assert {
        key: result[key] for key in ("agent_id", "action_type", "target_ref", "impact_level", "reason")
    } == {
        "agent_id": "clerk",
        "action_type": "enrich",
        "target_ref": "indicator--1",
        "impact_level": "low",
        "reason": "",
    }


def test_a_denied_action_raises_once_the_attempt_is_on_record() -> None:
    harness = AgentTestHarness(trust_level="semi_trusted")

    with pytest.raises(AgentPermissionDenied, match="'clerk' may not export") as caught:
        harness.run_action("clerk", "export", "bundle--1", "low")

    assert harness.recorded_actions == [caught.value.action]
    assert caught.value.action.status == "denied"


def test_an_action_too_many_raises_once_the_attempt_is_on_record_and_passes_in_the_next_window() -> None:
    clock = FixedClock()
    harness = AgentTestHarness(max_calls_per_window=2, window_seconds=60, clock=clock)
    for _ in range(2):
        harness.run_action("clerk", "enrich")

    with pytest.raises(RateLimitExceeded):
        harness.run_action("clerk", "enrich")

    assert statuses(harness) == ["approved", "approved", "rate_limited"]
    clock.advance(60)
    assert harness.run_action("clerk", "enrich")["status"] == "approved"


@pytest.mark.parametrize("level", ["root", "", "TRUSTED_INTERNAL "])
def test_an_unknown_trust_level_may_nothing(level: str) -> None:
    harness = AgentTestHarness(trust_level=level)

    with pytest.raises(AgentPermissionDenied, match="unknown trust level"):
        harness.run_action("clerk", "read_stix")


def test_an_override_denies_what_the_trust_level_permits() -> None:
    harness = AgentTestHarness(trust_level="trusted_internal", policy_overrides={"clerk": {"export": False}})

    with pytest.raises(AgentPermissionDenied, match="an override forbids it"):
        harness.run_action("clerk", "export")

    assert harness.run_action("manager", "export")["status"] == "approved"


@pytest.mark.parametrize(
    ("action_type", "impact_level", "message"),
    [
        ("exprot", "low", "unknown action type \"exprot\" (did you mean 'export'?)"),
        (None, "low", "unknown action type null"),
        ("enrich", "hihg", "unknown impact level \"hihg\" (did you mean 'high'?)"),
        ("enrich", None, "unknown impact level null"),
    ],
)
def test_unknown_action_types_and_impact_levels_are_refused_by_name_and_on_record(
    action_type: Any, impact_level: Any, message: str
) -> None:
    harness = AgentTestHarness()

    with pytest.raises(InputError) as caught:
        harness.run_action("clerk", action_type, "", impact_level)

    assert message in str(caught.value)
    (recorded,) = harness.recorded_actions
    assert recorded.status in ("denied", "rejected")


@pytest.mark.parametrize("agent", ["", " clerk", "cl\u200berk", None, 7])
def test_an_agent_whose_name_could_be_anothers_is_refused(agent: Any) -> None:
    with pytest.raises(InputError, match="the agent's name"):
        AgentTestHarness().run_action(agent, "enrich")


def test_arguments_that_nothing_can_be_bound_to_are_refused_and_on_record() -> None:
    harness = AgentTestHarness()

    with pytest.raises(InputError, match="arguments cannot be bound"):
        harness.run_action("clerk", "ingest", "", "high", {"rows": object()})

    assert statuses(harness) == ["rejected"]


def test_a_registered_action_type_is_governed_as_any_other() -> None:
    harness = AgentTestHarness(trust_level="semi_trusted")
    harness.register_action_type("refund_order", allowed_to=["semi_trusted"])

    assert harness.run_action("clerk", "refund_order", "ord-1", "high")["status"] == "approved"
    harness.assert_action_recorded("refund_order", "approved")


def test_actions_name_the_execution_context_that_they_were_done_in() -> None:
    harness = AgentTestHarness()
    context = ExecutionContext.create("ann", "enrichment")

    with context.use():
        harness.run_action("clerk", "enrich")

    assert [action.context_id for action in harness.recorded_actions] == [context.context_id]


def test_the_same_test_records_the_same_bytes_every_time() -> None:
    def record() -> list[AgentAction]:
        harness = AgentTestHarness()
        harness.run_action("clerk", "ingest", "feed--1", "high", {"rows": 1})
        harness.run_action("clerk", "enrich")
        return harness.recorded_actions

    assert record() == record()


def test_what_a_recorder_cannot_keep_is_not_approved() -> None:
    class FullDisk:
        def record(self, action: AgentAction) -> None:
            raise OSError("no space left")

    harness = AgentTestHarness(recorder=FullDisk())

    with pytest.raises(OSError, match="no space left"):
        harness.run_action("clerk", "enrich")


class TestAssertions:
    @pytest.fixture(name="harness")
    def _harness(self) -> AgentTestHarness:
        harness = AgentTestHarness(max_calls_per_window=2)
        harness.run_action("clerk", "enrich", "indicator--1")
        harness.run_action("clerk", "ingest", "feed--1", "high")
        for action_type in ("export", "enrich"):
            with pytest.raises((AgentPermissionDenied, RateLimitExceeded)):
                harness.run_action("clerk", action_type)
        return harness

    @pytest.mark.parametrize(
        "wanted",
        [
            {"action_type": "enrich"},
            {"action_type": AgentActionType.ingest, "status": "approved"},
            {"status": "denied"},
            {"action_type": "enrich", "status": "rate_limited", "times": 1},
            {"action_type": "enrich", "times": 2},
            {"agent_id": "clerk", "target_ref": "feed--1"},
            {"agent_id": "nobody", "times": 0},
        ],
    )
    def test_what_was_recorded_is_found(self, wanted: dict[str, Any], harness: AgentTestHarness) -> None:
        harness.assert_action_recorded(**wanted)

    @pytest.mark.parametrize(
        ("wanted", "message"),
        [
            ({"action_type": "delete_stix"}, "no action 'delete_stix' was recorded"),
            ({"action_type": "export", "status": "approved"}, "no action 'export' with status 'approved'"),
            ({"agent_id": "bob"}, "no action by 'bob' was recorded"),
            ({"target_ref": "feed--2"}, "no action on 'feed--2' was recorded"),
            ({"action_type": "enrich", "times": 1}, "recorded 2 times, not 1: action 'enrich'"),
            ({"action_type": "enrich", "times": 0}, "recorded 2 times, not 0: action 'enrich'"),
        ],
    )
    def test_what_was_not_recorded_fails_with_the_action_log(
        self, wanted: dict[str, Any], message: str, harness: AgentTestHarness
    ) -> None:
        with pytest.raises(AssertionError) as caught:
            harness.assert_action_recorded(**wanted)

        said = str(caught.value)
        assert message in said
        assert "1. clerk enrich on indicator--1: approved" in said
        assert "3. clerk export: denied (the trust level 'semi_trusted' does not permit it)" in said

    def test_a_denial_and_an_exceeded_limit_fail_with_the_action_log(self, harness: AgentTestHarness) -> None:
        with pytest.raises(
            AssertionError, match=r"permission was denied once\nrecorded actions:\n  1\. clerk"
        ):
            harness.assert_no_permission_denied()
        with pytest.raises(
            AssertionError, match=r"the rate limit was exceeded once\nrecorded actions:\n  1\."
        ):
            harness.assert_rate_limit_not_exceeded()

    @pytest.mark.parametrize(
        ("wanted", "message"),
        [
            ({}, "say which action is meant"),
            ({"times": 0}, "say which action is meant"),
            ({"action_type": "enrich", "times": "2"}, "times must be a whole number"),
            ({"action_type": "enrich", "times": -1}, "times must be a whole number"),
            ({"action_type": "enrich", "times": True}, "times must be a whole number"),
            ({"action_type": "exprot"}, "unknown action type"),
            ({"status": "aproved"}, "did you mean 'approved'"),
        ],
    )
    def test_an_assertion_that_could_never_hold_or_fail_is_refused(
        self, wanted: dict[str, Any], message: str, harness: AgentTestHarness
    ) -> None:
        with pytest.raises(InputError, match=message):
            harness.assert_action_recorded(**wanted)

    def test_a_long_log_is_shown_by_its_end_and_hostile_text_visibly(self) -> None:
        harness = AgentTestHarness(max_calls_per_window=1000)
        for number in range(60):
            harness.run_action("clerk", "enrich", f"i{number}\x1b[2J\u202e\n")

        with pytest.raises(AssertionError) as caught:
            harness.assert_action_recorded("export")

        lines = str(caught.value).splitlines()
        assert lines[2] == "  … 10 before these"
        assert lines[-1] == "  60. clerk enrich on i59\\x1b[2J\\u202e\\n: approved"
        assert len(lines) == 53


@pytest.mark.parametrize("patience", [-1, float("nan"), float("inf"), True, "5"])
def test_patience_that_would_be_none_or_endless_is_refused(patience: Any) -> None:
    with pytest.raises(InputError, match="patience must be a number of seconds"):
        AgentTestHarness(patience=patience)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"review_service": object()}, "a review service has to submit, which <object object"),
        ({"notifier": "ann@example.com"}, "which the notifier has to be"),
        ({"expiry_seconds": 0}, "expiry_seconds must be a number above 0"),
        ({"max_calls_per_window": -1}, "max_calls_per_window must be a whole number"),
        ({"policy_overrides": {"clerk": {"export": "yes"}}}, "an override is True or False, not 'yes'"),
        ({"policy_overrides": {"clerk": {"exprot": True}}}, "did you mean 'export'"),
    ],
)
def test_a_harness_that_could_not_work_is_refused_when_it_is_made(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        AgentTestHarness(**options)


@pytest.mark.parametrize(
    "fails",
    [
        lambda harness: harness.assert_action_recorded("enrich"),
        lambda harness: harness.assert_no_permission_denied(),
        lambda harness: harness.assert_rate_limit_not_exceeded(),
        lambda harness: harness.assert_tool_ran("export"),
        lambda harness: harness.assert_tool_never_ran("append"),
    ],
)
def test_pytest_shows_the_line_of_the_test_and_not_of_the_harness(
    fails: Callable[[AgentTestHarness], None],
) -> None:
    harness = AgentTestHarness(max_calls_per_window=1)
    with pytest.raises(AgentPermissionDenied):
        harness.run_action("clerk", "export")
    harness.tools.guarded("export")
    rows: list[str] = []
    harness.guard(rows.append, action_type="ingest")("row")
    with pytest.raises(RateLimitExceeded):
        harness.run_action("test-agent", "ingest")
    with pytest.raises(AssertionError) as caught:
        fails(harness)

    assert caught.traceback.filter(caught)[-1].path == Path(__file__)
