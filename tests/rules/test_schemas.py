"""Profiles and parameters: defaults are filled in, and what breaks the rule's schema is told."""

from __future__ import annotations

from typing import Any

import pytest

from understudy.core.errors import InputError
from understudy.rules.schemas import BreaksSchema, ValueSchema

SCHEMA = {
    "type": "object",
    "properties": {
        "branch": {"type": "string", "default": "main"},
        "count": {"type": "integer", "minimum": 1},
        "nested": {"type": "object", "properties": {"deep": {"default": [1]}}},
        "made": {"type": "object", "default": {"x": 1}, "properties": {"y": {"default": 2}}},
    },
    "required": ["branch"],
}


@pytest.mark.parametrize(
    ("given", "completed"),
    [
        ({}, {"branch": "main", "made": {"x": 1, "y": 2}}),
        (
            {"branch": "dev", "nested": {}},
            {"branch": "dev", "nested": {"deep": [1]}, "made": {"x": 1, "y": 2}},
        ),
        ({"made": {"x": 3}, "other": 1}, {"branch": "main", "made": {"x": 3, "y": 2}, "other": 1}),
        ({"branch": None}, None),
        ({"count": 0}, None),
        ({"count": "1"}, None),
    ],
)
def test_defaults_are_filled_in_and_values_are_checked(
    given: dict[str, Any], completed: dict[str, Any] | None
) -> None:
    schema = ValueSchema(SCHEMA, "profile")
    if completed is None:
        with pytest.raises(
            BreaksSchema, match=r"the profile does not fit the rule's schema: (branch|count): "
        ):
            schema.completed(given)
    else:
        assert schema.completed(given) == completed


def test_a_default_is_a_copy_and_need_not_fit() -> None:
    schema = ValueSchema(
        {"properties": {"list": {"type": "array", "default": []}, "n": {"enum": [1], "default": ""}}}, "p"
    )
    first = schema.completed({})
    assert first == {"list": [], "n": ""}
    first["list"].append(1)
    assert schema.completed({})["list"] == []


def test_every_fault_is_told() -> None:
    with pytest.raises(BreaksSchema) as caught:
        ValueSchema(SCHEMA, "params").completed({"branch": 1, "count": 0})
    assert "branch: " in str(caught.value)
    assert "count: " in str(caught.value)


@pytest.mark.parametrize("schema", [{"type": 7}, {"$ref": "https://example.com/schema.json"}])
def test_a_schema_that_is_none_or_is_elsewhere_is_an_error_at_its_place(schema: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"a\.yaml:4:2: the schema of the profile is no JSON Schema"):
        ValueSchema(schema, "profile", "a.yaml", (4, 2)).completed({})
