"""A context says who does what on whose behalf, never changes, and gives nobody more trust than there is."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import FrozenInstanceError
from datetime import UTC, datetime
from typing import Any

import pytest

from understudy.context import (
    TRUST_CLAIM,
    BudgetExceeded,
    ExecutionContext,
    MemoryLog,
    QueryBudget,
    TrustLevel,
)
from understudy.core.clock import CountingIds, FixedClock
from understudy.core.errors import InputError

LEVELS = ["untrusted_external", "semi_trusted", "trusted_internal"]


class Connector:
    """Anything that says how far it is trusted."""

    name = "feed"

    def __init__(self, level: str | None = None) -> None:
        if level is not None:
            self.TRUST_LEVEL = level


def make(**options: Any) -> ExecutionContext:
    given = {"clock": FixedClock(), "new_id": CountingIds("ctx"), **options}
    return ExecutionContext.create("ann", "ingestion", **given)


def test_the_founding_documents_first_example_holds() -> None:
    context = ExecutionContext.create(
        initiated_by="test", domain="ingestion", workspace_id="test-ws", max_budget_units=5
    )
    assert (context.initiated_by, context.domain, context.workspace_id) == ("test", "ingestion", "test-ws")
    assert context._store.query(context.context_id) == []
    for _ in range(5):
        context.charge(1, "simulation")
    with pytest.raises(BudgetExceeded, match="simulation asks for 1 unit"):
        context.charge(1, "simulation")


def test_a_new_context_has_everything_that_it_is_asked_for() -> None:
    context = make(is_replay=True, policy_set="strict", trust_level="trusted_internal")
    assert context.to_dict() == {
        "context_id": "ctx-1",
        "initiated_by": "ann",
        "domain": "ingestion",
        "workspace_id": "default",
        "trust_level": "trusted_internal",
        "policy_set": "strict",
        "created_at": "2026-01-01T00:00:00.000000+00:00",
        "parent_context_id": None,
        "is_replay": True,
        "budget": {"max_units": None, "used": 0},
    }


def test_by_default_it_is_no_replay_and_half_trusted_and_has_an_id_of_its_own() -> None:
    first, second = (ExecutionContext.create("ann", "x") for _ in range(2))
    assert (first.is_replay, first.trust_level, first.parent_context_id) == (False, "semi_trusted", None)
    assert first.context_id != second.context_id
    assert first.created_at.tzinfo == UTC


@pytest.mark.parametrize("name", ["is_replay", "trust_level", "budget", "context_id", "_store", "new_name"])
def test_nothing_of_it_can_be_changed(name: str) -> None:
    context = make()
    with pytest.raises(FrozenInstanceError):
        setattr(context, name, "other")
    with pytest.raises(FrozenInstanceError):
        delattr(context, name)
    assert context.is_replay is False


def test_contexts_that_say_the_same_are_equal() -> None:
    context = make()
    again = ExecutionContext.from_dict(context.to_dict())
    context.charge(1, "search")
    assert again == context
    assert len({again, context}) == 1
    assert context.child() != context


def test_a_copy_of_it_has_no_budget_of_its_own() -> None:
    context = make()
    assert copy.copy(context) is context
    assert copy.deepcopy({"context": context})["context"] is context


def test_another_process_gets_what_it_says_and_not_itself() -> None:
    with pytest.raises(TypeError, match=r"stays in its process.*hand over context\.to_dict\(\)"):
        pickle.dumps(make())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"domain": 7}, "domain must be a text, not 7"),
        ({"workspace_id": None}, "workspace_id must be a text, not null"),
        ({"is_replay": "no"}, 'is_replay must be true or false, not "no"'),
        ({"trust_level": "semi-trusted"}, "did you mean 'semi_trusted'?"),
        ({"trust_level": 3}, "3 is no level of trust"),
        ({"max_budget_units": -1}, "max_units must be a whole number of units"),
    ],
    ids=str,
)
def test_what_makes_no_context_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=r"must be|level of trust") as caught:
        ExecutionContext.create(**{"initiated_by": "ann", "domain": "x", **options})
    assert said in str(caught.value)


def test_a_child_is_a_part_with_an_id_of_its_own_that_spends_and_logs_with_its_parent() -> None:
    parent = make(max_budget_units=3, trust_level="semi_trusted")
    child = parent.child(initiated_by="enricher", workspace_id="lab")
    assert (child.context_id, child.parent_context_id) == ("ctx-2", "ctx-1")
    assert (child.initiated_by, child.workspace_id, child.domain) == ("enricher", "lab", "ingestion")
    child.charge(2, "enricher")
    assert parent.budget.remaining == 1
    child.record("look_up")
    assert [entry["parent_context_id"] for entry in parent.log.query("ctx-2")] == ["ctx-1"]
    assert child.child().parent_context_id == "ctx-2"


def test_a_child_is_made_later_than_its_parent() -> None:
    clock = FixedClock()
    parent = make(clock=clock)
    clock.advance(60)
    assert parent.child().created_at == datetime(2026, 1, 1, 0, 1, tzinfo=UTC)


@pytest.mark.parametrize("claimed", LEVELS)
@pytest.mark.parametrize("actual", LEVELS)
def test_a_child_is_never_trusted_more_than_its_parent(actual: str, claimed: str) -> None:
    parent = make(trust_level=actual)
    child = parent.child(trust_level=claimed, initiated_by="enricher")
    assert child.trust_level == min(actual, claimed, key=LEVELS.index)
    events = parent.log.security_events()
    if LEVELS.index(claimed) <= LEVELS.index(actual):
        assert events == []
        return
    (event,) = events
    assert (event["kind"], event["subject"]) == (TRUST_CLAIM, "enricher")
    assert (event["claimed"], event["actual"], event["context_id"]) == (claimed, actual, child.context_id)


def test_a_child_of_a_replay_cannot_have_effects() -> None:
    parent = make(is_replay=True)
    assert parent.child().is_replay
    with pytest.raises(InputError, match="a child of a replay is a replay too"):
        parent.child(is_replay=False)
    assert make().child(is_replay=True).is_replay


@pytest.mark.parametrize("name", ["budget", "log", "context_id", "_store"])
def test_a_child_has_nothing_else_of_its_own(name: str) -> None:
    with pytest.raises(InputError, match=f"a child has no '{name}' of its own"):
        make().child(**{name: QueryBudget()})
    with pytest.raises(InputError, match="did you mean 'domain'"):
        make().child(domian="x")


@pytest.mark.parametrize("claimed", [None, *LEVELS])
@pytest.mark.parametrize("actual", [None, *LEVELS])
def test_a_context_is_trusted_as_far_as_its_connector(actual: str | None, claimed: str | None) -> None:
    log = MemoryLog()
    context = ExecutionContext.from_connector(
        Connector(actual), "ann", "ingestion", trust_level=claimed, log=log, max_budget_units=3
    )
    level = actual or "untrusted_external"
    assert context.trust_level == min(level, claimed or level, key=LEVELS.index)
    assert context.budget.max_units == 3
    expected = [] if LEVELS.index(claimed or level) <= LEVELS.index(level) else [("feed", claimed, level)]
    events = log.security_events(context.context_id)
    assert [(event["subject"], event["claimed"], event["actual"]) for event in events] == expected


def test_a_connector_without_a_name_goes_by_its_class() -> None:
    class Feed:
        TRUST_LEVEL = TrustLevel.SEMI_TRUSTED

    context = ExecutionContext.from_connector(Feed(), "ann", "x", trust_level="trusted_internal")
    assert [event["subject"] for event in context.log.security_events()] == ["Feed"]


def test_a_connector_with_a_level_that_is_none_is_refused() -> None:
    with pytest.raises(InputError, match='"root" is no level of trust'):
        ExecutionContext.from_connector(Connector("root"), "ann", "x")


def test_levels_compare_by_trust_and_not_by_the_alphabet() -> None:
    assert sorted(map(TrustLevel, ["trusted_internal", "untrusted_external", "semi_trusted"])) == LEVELS
    assert TrustLevel("semi_trusted") >= "untrusted_external"
    assert not TrustLevel("semi_trusted").allows("trusted_internal")
    assert TrustLevel("semi_trusted").at_most("untrusted_external") == "untrusted_external"
    with pytest.raises(InputError, match="is no level of trust"):
        assert TrustLevel("semi_trusted") < "zzz"


def test_a_step_is_written_down_with_a_hash_of_its_content() -> None:
    context = make()
    entry = context.record("upsert", content={"b": 1, "a": 2}, units=2, details={"at": datetime(2026, 1, 2)})
    assert entry["content_hash"] == context.record("upsert", content={"a": 2, "b": 1})["content_hash"]
    assert entry["content_hash"] != context.record("upsert", content={"a": 2, "b": 3})["content_hash"]
    assert context.record("list")["content_hash"] == ""
    assert json.loads(json.dumps(entry)) == entry
    assert [each["operation"] for each in context.log.query("ctx-1")] == ["upsert"] * 3 + ["list"]


@pytest.mark.parametrize("units", [-1, 1.5, "1"], ids=repr)
def test_a_step_costs_whole_units(units: Any) -> None:
    with pytest.raises(InputError, match="units must be a whole number"):
        make().record("list", units=units)


def test_content_that_holds_itself_or_is_strange_is_hashed_too() -> None:
    cyclic: dict[str, Any] = {"type": "indicator"}
    cyclic["self"] = cyclic
    strange = {"at": datetime(2026, 1, 2), "raw": b"\0", "set": {1, 2}, "nan": float("nan"), 1: "\ud800"}
    for content in (cyclic, strange):
        first, second = (make().record("upsert", content=content)["content_hash"] for _ in range(2))
        assert first == second != ""
