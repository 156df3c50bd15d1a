"""What may be expected of one value: literals, operators, and the mistakes that are named."""

from __future__ import annotations

from typing import Any

import pytest

from understudy.testbed.path_expectation import check_expectation, is_operators


@pytest.mark.parametrize("literal", [None, 0, "a", [1], {}, {"sku": "a"}, {"type ": "string"}])
def test_what_names_no_operator_is_a_literal(literal: Any) -> None:
    assert check_expectation(literal) is literal
    assert not is_operators(literal)


@pytest.mark.parametrize(
    "operators",
    [
        {"equals": {"sku": "a"}},
        {"notEquals": None},
        {"contains": "a", "matches": "^a+$"},
        {"matches": "^${name}("},
        {"type": "integer", "exists": True},
        {"schema": {"type": "object"}},
        {"schema": False},
        {"length": 0},
        {"length": "${count}"},
        {"greaterThan": 1, "lessThan": 2.5},
    ],
)
def test_operators_are_accepted(operators: dict[str, Any]) -> None:
    assert check_expectation(operators) is operators
    assert is_operators(operators)


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"equals": 1, "contian": 2}, r"'contian' is no operator; did you mean 'contains'\?"),
        ({"type": "string", "zzz": 2}, "the operators are equals, notEquals"),
        ({"type": "string", 7: 2}, "7 is no operator"),
        ({"matches": "("}, "valid regular expression"),
        ({"matches": 7}, "must be a regular expression"),
        ({"type": "text"}, "one of string, number, integer, boolean, array, object, null, not 'text'"),
        ({"type": ["string"]}, "one of string"),
        ({"schema": "item"}, "must be a JSON Schema"),
        ({"exists": "yes"}, "true or false"),
        ({"length": -1}, "whole number"),
        ({"length": True}, "whole number"),
        ({"lessThan": "many"}, "must be a number"),
    ],
)
def test_a_mistake_is_named_and_the_way_out_shown(wrong: dict[Any, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint) as caught:
        check_expectation(wrong)
    assert "for the object itself, write equals: {...}" in str(caught.value)
