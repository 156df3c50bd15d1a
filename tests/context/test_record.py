"""A context travels as JSON and comes back as it was; a record that somebody forged gains nothing."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.context import ExecutionContext, MemoryLog, QueryBudget, TrustLevel
from understudy.core.clock import SystemClock
from understudy.core.errors import InputError

GOOD = ExecutionContext.create("ann", "ingestion", max_budget_units=5).to_dict()

texts = st.text(max_size=40)
contexts = st.builds(
    ExecutionContext,
    context_id=st.text(min_size=1, max_size=40),
    initiated_by=texts,
    domain=texts,
    workspace_id=texts,
    trust_level=st.sampled_from(TrustLevel),
    policy_set=texts,
    created_at=st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 29)).map(
        lambda moment: moment.replace(tzinfo=timezone(timedelta(hours=5.5)))
    ),
    parent_context_id=st.none() | st.text(min_size=1, max_size=40),
    is_replay=st.booleans(),
    budget=st.builds(QueryBudget, st.none() | st.integers(0, 2**63 - 1), st.integers(0, 2**63 - 1)),
    _store=st.builds(MemoryLog),
    _clock=st.builds(SystemClock),
)


@given(contexts)
def test_every_context_survives_the_way_through_json(context: ExecutionContext) -> None:
    record = context.to_dict()
    again = ExecutionContext.from_dict(json.loads(json.dumps(record)))
    assert again.to_dict() == record
    assert again.created_at == context.created_at
    assert again.log.security_events() == []


def test_what_comes_back_goes_on_spending_and_logging() -> None:
    context = ExecutionContext.create("ann", "x", max_budget_units=5)
    context.charge(3, "search")
    log = MemoryLog()
    again = ExecutionContext.from_dict(context.to_dict(), log)
    assert (again.budget.used, again.budget.remaining) == (3, 2)
    again.record("list")
    assert len(log.query(context.context_id)) == 1
    assert context.budget is not again.budget


def test_a_claim_from_outside_is_lowered_and_written_down() -> None:
    record = {**GOOD, "trust_level": "trusted_internal", "initiated_by": "stranger"}
    context = ExecutionContext.from_dict(record, at_most="untrusted_external")
    assert context.trust_level == "untrusted_external"
    (event,) = context.log.security_events()
    assert (event["kind"], event["subject"]) == ("trust_claim", "stranger")
    assert (event["claimed"], event["actual"]) == ("trusted_internal", "untrusted_external")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"context_id": ""}, "'context_id' must not be empty"),
        ({"context_id": 7}, "'context_id' must be a text, not 7"),
        ({"domain": "x" * 1001}, "'domain' is too long: 1,001 characters, and 1,000 are enough"),
        ({"trust_level": "root"}, "'trust_level': "),
        ({"trust_level": ["semi_trusted"]}, "'trust_level': "),
        ({"created_at": "2026-01-31"}, "'created_at' must be a time with its zone"),
        ({"created_at": "yesterday"}, "'created_at' must be a time with its zone"),
        ({"created_at": "0001-01-01T00:00:00+14:00"}, "'created_at' must be a time with its zone"),
        ({"is_replay": 0}, "'is_replay' must be true or false, not 0"),
        ({"parent_context_id": ""}, "'parent_context_id' must not be empty"),
        ({"budget": 5}, "'budget' must be a mapping of max_units and used, not 5"),
        ({"budget": {"max_units": -1, "used": 0}}, "max_units must be a whole number"),
        ({"budget": {"max_units": 2**63, "used": 0}}, "max_units is 9223372036854775808, and"),
        ({"budget": {"max_units": None, "used": True}}, "used must be a whole number"),
        ({"budgets": {}}, "unknown key \"budgets\" (did you mean 'budget'?)"),
        ({7: 1}, "unknown key 7"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_record_that_is_wrong_is_refused(changes: dict[Any, Any], said: str) -> None:
    with pytest.raises(InputError) as caught:
        ExecutionContext.from_dict({**GOOD, **changes})
    assert said in str(caught.value)


def test_everything_that_is_wrong_is_told_at_once() -> None:
    record = {name: value for name, value in GOOD.items() if name != "domain"} | {"is_replay": 1, "extra": 2}
    with pytest.raises(InputError) as caught:
        ExecutionContext.from_dict(record)
    told = [problem.message for problem in caught.value.problems]
    assert len(told) == 3
    assert "'domain' is missing" in told


@pytest.mark.parametrize("record", [None, [], "text", 7, object()], ids=lambda record: type(record).__name__)
def test_what_is_no_mapping_is_refused(record: Any) -> None:
    with pytest.raises(InputError, match="must be a mapping, as to_dict"):
        ExecutionContext.from_dict(record)


json_data = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)


@given(st.sampled_from(sorted(GOOD)), json_data)
def test_any_value_in_any_place_is_either_read_or_refused_in_words(name: str, value: Any) -> None:
    try:
        context = ExecutionContext.from_dict({**GOOD, name: value})
    except InputError:
        return  # any other exception fails
    assert context.created_at.tzinfo == UTC
