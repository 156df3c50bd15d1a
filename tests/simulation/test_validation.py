"""Strict connectors take only valid STIX 2.1, warning ones say what is not, and others take everything."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from understudy.core.errors import InputError
from understudy.simulation import SimulationConnector
from understudy.simulation.validation import StixWarning

VALID: dict[str, Any] = {
    "type": "indicator", "id": "indicator--00000000-0000-4000-8000-000000000001", "spec_version": "2.1",
    "created": "2026-01-01T00:00:00Z", "modified": "2026-01-01T00:00:00Z", "valid_from": "2026-01-01T00:00:00Z",
    "pattern": "[url:value = 'http://a.test']", "pattern_type": "stix",
}  # fmt: skip
INVALID = {**VALID, "pattern": "[url:value = ]", "confidence": "high"}


def test_a_strict_connector_refuses_what_is_invalid_and_names_each_property() -> None:
    connector = SimulationConnector(VALID, validate="strict")
    with pytest.raises(InputError) as caught:
        connector.upsert_object(INVALID)
    said = str(caught.value)
    assert f'the object ({VALID["id"]}): $.confidence is "high", and has to be a whole number' in said
    assert f"the object ({VALID['id']}): $.pattern is no STIX pattern: Error found at line 1:13." in said
    assert connector.list_objects() == [VALID]


def test_a_strict_connector_says_which_fixture_is_invalid() -> None:
    with pytest.raises(InputError) as caught:
        SimulationConnector([VALID, INVALID, {"type": "tool"}, {}], validate="strict")
    said = str(caught.value)
    assert "the fixture[0]" not in said
    assert f"the fixture[1] ({VALID['id']}): $.confidence" in said
    assert "the fixture[2] (tool): $.id is missing" in said
    assert "the fixture[3] (without id and type): $.type is missing" in said


def test_a_warning_connector_keeps_what_is_invalid_and_says_so_where_it_was_given() -> None:
    connector = SimulationConnector(validate="warn")
    with pytest.warns(StixWarning, match=r"\$\.confidence is \"high\"") as caught:
        connector.upsert_object(INVALID)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    with pytest.warns(StixWarning, match=r"the fixture\[1\] \(tool\): \$\.id is missing") as caught:
        connector.add_fixture([VALID, {"type": "tool"}])
    assert caught[0].filename == __file__
    assert connector.list_objects() == [VALID, {"type": "tool"}]  # the valid one replaced the invalid one


def test_valid_objects_give_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert SimulationConnector(VALID, validate="warn").list_objects() == [VALID]


def test_without_validation_everything_is_taken() -> None:
    assert SimulationConnector([INVALID, {}]).list_objects() == [INVALID, {}]


@pytest.mark.parametrize("mode", ["Strict", "", True, 5])
def test_there_is_no_other_way_to_validate(mode: Any) -> None:
    with pytest.raises(InputError, match=r"is no way to validate \(it is 'strict', 'warn' or None\)"):
        SimulationConnector(validate=mode)
