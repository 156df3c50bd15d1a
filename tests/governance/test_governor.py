"""The governor: what each agent may do and how often, and that every decision is on record."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from understudy.core.clock import CountingIds, FixedClock
from understudy.core.errors import InputError
from understudy.governance import (
    AgentAction,
    AgentActionType,
    AgentGovernor,
    AgentPermissionDenied,
    RateLimitExceeded,
    TrustLevel,
)

BOT = "triage-bot"


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def governor(clock: FixedClock) -> AgentGovernor:
    return AgentGovernor(clock=clock, new_id=CountingIds("action"))


def log(governor: AgentGovernor, agent_id: str | None = None) -> list[str]:
    return [str(action) for action in governor.get_action_log(agent_id)]


def test_who_may_act_is_said_and_recorded(governor: AgentGovernor, clock: FixedClock) -> None:
    assert governor.can_act(BOT, AgentActionType.write_stix, "semi_trusted") is True
    clock.advance(5)
    assert governor.can_act(BOT, AgentActionType.export, "semi_trusted") is False

    allowed, denied = governor.get_action_log()
    assert allowed == AgentAction(
        agent_id=BOT,
        action_type="write_stix",
        trust_level="semi_trusted",
        status="allowed",
        recorded_at=FixedClock().now(),
        action_id="action-1",
    )
    assert (denied.action_type, denied.status, denied.recorded_at) == ("export", "denied", clock.now())
    assert denied.reason == "the trust level 'semi_trusted' does not permit it"


def test_who_may_not_act_is_stopped_after_it_was_recorded(governor: AgentGovernor) -> None:
    governor.require_can_act(BOT, "enrich", "untrusted_external")
    with pytest.raises(AgentPermissionDenied) as stopped:
        governor.require_can_act(BOT, "ingest", "untrusted_external")

    assert [action.status for action in governor.get_action_log()] == ["allowed", "denied"]
    assert stopped.value.action == governor.get_action_log()[-1]
    assert str(stopped.value) == (
        "'triage-bot' may not ingest: the trust level 'untrusted_external' does not permit it; "
        "set_policy_override('triage-bot', 'ingest', True) would permit it"
    )
    assert isinstance(stopped.value, PermissionError)


def test_who_comes_with_an_unknown_level_is_told_of_the_levels_and_not_of_overrides(
    governor: AgentGovernor,
) -> None:
    with pytest.raises(AgentPermissionDenied) as stopped:
        governor.require_can_act(BOT, "enrich", "semi-trusted")

    assert str(stopped.value) == (
        "'triage-bot' may not enrich: unknown trust level \"semi-trusted\" (did you mean 'semi_trusted'?)"
    )


@pytest.mark.parametrize("level", ["", "admin", "Trusted_Internal", None, 3, True])
def test_an_unknown_level_may_nothing_not_even_by_an_override(governor: AgentGovernor, level: Any) -> None:
    governor.set_policy_override(BOT, "read_stix", True)

    assert not governor.can_act(BOT, "read_stix", level)
    assert not governor.can_act(BOT, "enrich", level)
    assert {action.status for action in governor.get_action_log()} == {"denied"}
    assert all("unknown trust level" in action.reason for action in governor.get_action_log())


def test_an_override_permits_and_forbids_one_agent_one_action(governor: AgentGovernor) -> None:
    governor.set_policy_override(BOT, "export", True)
    governor.set_policy_override(BOT, AgentActionType.enrich, False)

    assert governor.can_act(BOT, "export", "untrusted_external")
    assert not governor.can_act(BOT, "enrich", "trusted_internal")
    assert not governor.can_act("other-bot", "export", "untrusted_external")
    assert not governor.can_act(BOT, "ingest", "untrusted_external")
    assert log(governor)[1] == "triage-bot enrich: denied (an override forbids it)"


def test_the_last_override_counts(governor: AgentGovernor) -> None:
    governor.set_policy_override(BOT, "export", True)
    governor.set_policy_override(BOT, "export", False)

    assert not governor.can_act(BOT, "export", "trusted_internal")


def test_overrides_can_be_given_at_the_start() -> None:
    governor = AgentGovernor(policy_overrides={BOT: {"export": True, "enrich": False}, "ann": {}})

    assert governor.can_act(BOT, "export", "semi_trusted")
    assert not governor.can_act(BOT, "enrich", "semi_trusted")


@pytest.mark.parametrize(
    "overrides",
    [
        {BOT: {AgentActionType.export: True, AgentActionType.enrich: False}},
        {(BOT, "export"): True, (BOT, AgentActionType.enrich): False},
        {BOT: {"allow": ["export"], "deny": [AgentActionType.enrich]}},
        {BOT: {"allow": {AgentActionType.export}, "enrich": False}},
    ],
)
def test_overrides_are_the_same_in_each_shape_that_they_are_written_in(overrides: Any) -> None:
    governor = AgentGovernor(policy_overrides=overrides)

    assert governor.can_act(BOT, "export", "untrusted_external")
    assert not governor.can_act(BOT, "enrich", "trusted_internal")
    assert not governor.can_act("another", "export", "untrusted_external")


@pytest.mark.parametrize(
    ("overrides", "says"),
    [
        ({BOT: {"exprot": True}}, 'unknown action type "exprot"'),
        ({BOT: {"export": "yes"}}, "an override is True or False, not 'yes'"),
        ({BOT: {"export": 1}}, "an override is True or False, not 1"),
        ({BOT: {"export": None}}, "an override is True or False, not None"),
        (
            {BOT: ["export"]},
            r'policy_overrides: "triage-bot" has no overrides in \["export"\] \(write {"agent"',
        ),
        ({f"{BOT}:export": True}, r'"triage-bot:export" has no overrides in true \(write {"agent"'),
        ([BOT], r'policy_overrides: they are \["triage-bot"\] \(write {"agent"'),
        (False, "policy_overrides: they are false"),
        ({(BOT, "exprot"): True}, 'unknown action type "exprot"'),
        ({(BOT, "export"): "yes"}, "an override is True or False, not 'yes'"),
        ({BOT: {"allow": "export"}}, 'not \'export\' \\(it is that of "triage-bot" for "allow"\\)'),
        ({BOT: {"allow": ["exprot"]}}, 'unknown action type "exprot"'),
        (
            {BOT: {"allow": ["export"], "deny": ["export"]}},
            '"triage-bot" is both permitted and forbidden "export"',
        ),
        ({"": {"export": True}}, 'the agent\'s name "" is empty'),
    ],
)
def test_an_override_that_is_unclear_is_refused(overrides: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        AgentGovernor(policy_overrides=overrides)


@pytest.mark.parametrize("action_type", ["exprot", "", None, 7])
def test_an_unknown_action_type_is_refused_by_name_and_recorded(
    governor: AgentGovernor, action_type: Any
) -> None:
    for decide in (governor.can_act, governor.require_can_act):
        with pytest.raises(InputError, match="unknown action type"):
            decide(BOT, action_type, "trusted_internal")

    assert [action.status for action in governor.get_action_log(BOT)] == ["denied", "denied"]
    assert all("unknown action type" in action.reason for action in governor.get_action_log(BOT))


@pytest.mark.parametrize(
    "name", ["", "triage-bot ", "triage\u200b-bot", "\uff54riage-bot", "x" * 201, None, 7]
)
def test_a_name_that_could_be_taken_for_another_is_refused_and_recorded(
    governor: AgentGovernor, name: Any
) -> None:
    governor.set_policy_override(BOT, "export", True)
    with pytest.raises(InputError, match="the agent's name"):
        governor.can_act(name, "export", "semi_trusted")

    (action,) = governor.get_action_log()
    assert action.status == "denied"
    assert "the agent's name" in action.reason
    assert isinstance(action.agent_id, str)


def test_what_is_recorded_is_bounded(governor: AgentGovernor) -> None:
    with pytest.raises(InputError):
        governor.can_act(BOT, "x" * 1_000_000, "semi_trusted")
    assert not governor.can_act(BOT, "export", "y" * 1_000_000)

    assert all(len(action.action_type) < 2_100 for action in governor.get_action_log())
    assert all(len(action.trust_level) < 2_100 for action in governor.get_action_log())
    assert "1,000,000 characters" in governor.get_action_log()[1].trust_level


def test_a_hundred_calls_a_minute_are_the_limit(governor: AgentGovernor, clock: FixedClock) -> None:
    for _ in range(100):
        governor.rate_limit_check(BOT)
        clock.advance(0.25)
    with pytest.raises(RateLimitExceeded) as stopped:
        governor.rate_limit_check(BOT)
    governor.rate_limit_check("other-bot")

    assert (stopped.value.limit, stopped.value.window_seconds, stopped.value.retry_after) == (100, 60, 35)
    assert str(stopped.value) == (
        "'triage-bot' has acted 100 times within 60 seconds, which is its limit; it may again in 35 seconds"
    )
    (action,) = governor.get_action_log(BOT)
    assert (action.status, action.reason) == ("rate_limited", str(stopped.value))
    clock.advance(35)
    governor.rate_limit_check(BOT)


def test_limit_and_window_can_be_chosen(clock: FixedClock) -> None:
    governor = AgentGovernor(2, 10, clock=clock)
    governor.rate_limit_check(BOT)
    governor.rate_limit_check(BOT)
    with pytest.raises(RateLimitExceeded):
        governor.rate_limit_check(BOT)
    clock.advance(10)
    governor.rate_limit_check(BOT)


def test_a_limit_of_zero_says_that_nobody_may_act() -> None:
    with pytest.raises(RateLimitExceeded, match="it may not act at all"):
        AgentGovernor(max_calls_per_window=0).rate_limit_check(BOT)


def test_the_log_is_by_agent_and_in_order(governor: AgentGovernor) -> None:
    governor.can_act("ann", "enrich", "semi_trusted")
    governor.can_act("bob", "enrich", "semi_trusted")
    governor.can_act("ann", "ingest", "semi_trusted")

    assert log(governor) == ["ann enrich: allowed", "bob enrich: allowed", "ann ingest: allowed"]
    assert log(governor, "ann") == ["ann enrich: allowed", "ann ingest: allowed"]
    assert log(governor, "cid") == []


def test_nobody_changes_the_log_through_what_they_were_given(governor: AgentGovernor) -> None:
    governor.can_act(BOT, "export", "semi_trusted")
    governor.get_action_log().clear()
    governor.get_action_log(BOT).clear()
    with pytest.raises(AttributeError):
        governor.get_action_log()[0].status = "allowed"  # type: ignore[misc]  # that it cannot be is the point

    assert log(governor) == log(governor, BOT) != []


def test_an_action_can_be_recorded_by_hand(governor: AgentGovernor) -> None:
    action = AgentAction(BOT, "export", "bundle--1", status="approved", reviewed_by="ann")
    governor.record_action(action)

    assert governor.get_action_log(BOT) == [action]


def test_what_cannot_be_recorded_is_not_allowed() -> None:
    class Full:
        def record(self, action: AgentAction) -> None:
            raise OSError("disk full")

    governor = AgentGovernor(recorder=Full())
    with pytest.raises(OSError, match="disk full"):
        governor.can_act(BOT, "enrich", "semi_trusted")

    assert governor.get_action_log() == []


def test_many_threads_lose_no_decision(governor: AgentGovernor) -> None:
    with ThreadPoolExecutor(8) as pool:
        allowed = list(
            pool.map(lambda n: governor.can_act(f"bot-{n % 7}", "export", "semi_trusted"), range(700))
        )

    assert not any(allowed)
    assert len(governor.get_action_log()) == 700
    assert {len(governor.get_action_log(f"bot-{n}")) for n in range(7)} == {100}


def test_hostile_text_in_a_log_is_shown_and_does_nothing(governor: AgentGovernor) -> None:
    shown = str(AgentAction("bot\x1b[2K", "export", "gpj.\u202eexe", status="denied", reason="a\nb\r\0"))

    assert shown == "bot\\x1b[2K export on gpj.\\u202eexe: denied (a\\nb\\r\\x00)"


def test_refusals_travel_between_processes(governor: AgentGovernor) -> None:
    with pytest.raises(AgentPermissionDenied) as denied:
        governor.require_can_act(BOT, "export", "semi_trusted")
    limited = RateLimitExceeded(BOT, 1, 60.0, 2.5)

    there = pickle.loads(pickle.dumps(denied.value))
    assert (str(there), there.action) == (str(denied.value), denied.value.action)
    again = pickle.loads(pickle.dumps(limited))
    assert (str(again), again.retry_after) == (str(limited), 2.5)


@pytest.mark.parametrize("agent_id", [[], {}, 7, b"bot"])
def test_a_log_is_asked_for_by_the_name_of_an_agent(governor: AgentGovernor, agent_id: Any) -> None:
    with pytest.raises(InputError, match="agent_id is the name of an agent, or None for all of them, not"):
        governor.get_action_log(agent_id)


@pytest.mark.parametrize(
    ("action", "says"),
    [
        (None, "only an AgentAction can be recorded, not null"),
        ((BOT, "export"), "only an AgentAction can be recorded"),
        (AgentAction([], "export"), r"the agent_id of an action is a text, not \[\]"),  # type: ignore[arg-type]  # bad
        (AgentAction(BOT, None), "the action_type of an action is a text, not null"),  # type: ignore[arg-type]  # bad
    ],
)
def test_what_is_no_action_is_not_recorded_anywhere(action: Any, says: str) -> None:
    kept: list[AgentAction] = []

    class Recorder:
        def record(self, action: AgentAction) -> None:
            kept.append(action)

    governor = AgentGovernor(recorder=Recorder())
    with pytest.raises(InputError, match=says):
        governor.record_action(action)

    assert governor.get_action_log() == kept == []


def test_an_action_type_of_ones_own_is_registered_with_the_governor(governor: AgentGovernor) -> None:
    assert governor.register_action_type("refund_order", allowed_to=["semi_trusted"]) == "refund_order"

    assert governor.can_act(BOT, "refund_order", TrustLevel.SEMI_TRUSTED)
    assert not governor.can_act(BOT, "refund_order", TrustLevel.UNTRUSTED_EXTERNAL)


@pytest.mark.parametrize(("limit", "says"), [(1, "acted once within"), (2, "acted 2 times within")])
def test_the_limit_that_was_reached_is_said(clock: FixedClock, limit: int, says: str) -> None:
    governor = AgentGovernor(limit, clock=clock)
    for _ in range(limit):
        governor.rate_limit_check(BOT)
    with pytest.raises(RateLimitExceeded, match=says):
        governor.rate_limit_check(BOT)


def test_what_cannot_record_is_refused_at_once() -> None:
    with pytest.raises(InputError, match=r'"actions.sqlite3" is no recorder of actions \(give StoredActions'):
        AgentGovernor(recorder="actions.sqlite3")  # type: ignore[arg-type]  # bad on purpose
