"""A single indicator: made of a name and a pattern, valid from the start, and fit for a connector."""

from __future__ import annotations

import copy
import pickle
from datetime import UTC, datetime
from typing import Any

import pytest
import stix2

from understudy.core.clock import FixedClock
from understudy.core.errors import InputError
from understudy.simulation import Indicator, SimulationConnector
from understudy.simulation.stix_schema import stix_problems

NAME = "evil.example.com"
PATTERN = "[domain-name:value = 'evil.example.com']"
ID = "indicator--00000000-0000-4000-8000-000000000001"


def test_it_is_valid_stix_that_stix2_reads() -> None:
    made = Indicator(name=NAME, pattern=PATTERN).to_dict()
    assert stix_problems(made) == []
    assert stix2.parse(made, version="2.1").pattern == PATTERN
    assert (made["type"], made["spec_version"], made["name"]) == ("indicator", "2.1", NAME)


def test_each_has_an_id_of_its_own_that_stays() -> None:
    first, second = Indicator(name=NAME, pattern=PATTERN), Indicator(name=NAME, pattern=PATTERN)
    assert first.id != second.id
    assert first.id == first.to_dict()["id"]
    assert first.to_dict() == first.to_dict()


def test_a_connector_keeps_it_as_its_dict_or_as_it_is() -> None:
    ioc = Indicator(name=NAME, pattern=PATTERN)
    connector = SimulationConnector(validate="strict")
    connector.add_fixture(ioc)
    assert connector.get_object(ioc.id) == ioc.to_dict()
    assert SimulationConnector([ioc.to_dict()]).list_objects() == [ioc.to_dict()]


def test_with_a_clock_and_ids_it_is_the_same_in_every_run() -> None:
    clock = FixedClock(datetime(2026, 2, 3, 4, 5, 6, 789_000, tzinfo=UTC))

    def made() -> Indicator:
        return Indicator(NAME, PATTERN, clock=clock, new_id=lambda: ID.removeprefix("indicator--"))

    assert made() == made()
    found = made().to_dict()
    assert found["id"] == ID
    assert {found[name] for name in ("created", "modified", "valid_from")} == {"2026-02-03T04:05:06.789Z"}


def test_other_properties_are_taken_as_stix_has_them() -> None:
    ioc = Indicator(NAME, PATTERN, id=ID, confidence=70, labels=["x"], created="2026-01-01T00:00:00.000Z")
    found = ioc.to_dict()
    assert (ioc.id, found["confidence"], found["labels"]) == (ID, 70, ["x"])
    assert found["modified"] == found["created"] == "2026-01-01T00:00:00.000Z"


def test_it_does_not_change_with_what_it_gave_out() -> None:
    ioc = Indicator(NAME, PATTERN, labels=["x"])
    given = ioc.to_dict()
    given["labels"].append("y")
    assert ioc.to_dict()["labels"] == ["x"]
    with pytest.raises(AttributeError):
        ioc.name = "another"  # type: ignore[misc]  # wrong on purpose


def test_it_can_be_compared_hashed_copied_and_pickled() -> None:
    ioc = Indicator(NAME, PATTERN)
    same = pickle.loads(pickle.dumps(ioc))
    assert {ioc, same, copy.deepcopy(ioc)} == {ioc}
    assert ioc != Indicator(NAME, PATTERN)
    assert ioc != ioc.to_dict()
    assert ioc.id in repr(ioc)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"pattern": "[domain-name:value = ]"},
            "$.pattern is no STIX pattern: Error found at line 1:21. mismatched input",
        ),
        ({"pattern": ""}, "$.pattern is empty"),
        ({"pattern": None}, "$.pattern is null, and has to be a text"),
        ({"name": 3}, "$.name is 3, and has to be a text"),
        ({"id": "malware--1"}, "$.id is wrong: must start with 'indicator--'"),
        ({"type": "tool"}, '$.type is "tool" (give other objects as dicts'),
        ({"confidence": "high"}, '$.confidence is "high", and has to be a whole number'),
        ({"colour": "red"}, "$.colour is no property of indicator"),
        ({"valid_until": "2020-01-01T00:00:00Z"}, "valid_until"),
        ({"created": "yesterday"}, "$.created"),
    ],
)
def test_what_is_no_indicator_is_refused_with_the_place(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as refused:
        Indicator(**{"name": NAME, "pattern": PATTERN, **given})
    assert said in str(refused.value)
    assert str(refused.value).startswith("the indicator ")


def test_everything_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(InputError) as refused:
        Indicator(NAME, "[", confidence="high", colour="red")
    assert len(refused.value.problems) >= 2
