"""What may be expected of one value (found by a path, or a header): a literal, or operators."""

from __future__ import annotations

import difflib
import re
from typing import Annotated, Any

from pydantic import AfterValidator, StringConstraints

from understudy.testbed.json_path import compile_path

OPERATORS = (
    "equals",
    "notEquals",
    "contains",
    "matches",
    "type",
    "schema",
    "exists",
    "length",
    "greaterThan",
    "lessThan",
)
JSON_TYPES = ("string", "number", "integer", "boolean", "array", "object", "null")


def is_operators(expectation: Any) -> bool:
    """True if an expectation is a mapping of operators, false if it is a literal that must be equalled.

    >>> is_operators({"contains": "a"}), is_operators({"sku": "a"}), is_operators({}), is_operators(3)
    (True, False, False, False)
    """
    return (
        isinstance(expectation, dict) and bool(expectation) and all(key in OPERATORS for key in expectation)
    )


def check_expectation(expectation: Any) -> Any:
    """The expectation itself if it makes sense; raises ValueError otherwise.

    >>> check_expectation({"matchs": "a", "type": "string"})
    Traceback (most recent call last):
    ...
    ValueError: 'matchs' is no operator; did you mean 'matches'? (for the object itself, write equals: {...})
    """
    if not isinstance(expectation, dict) or not any(key in OPERATORS for key in expectation):
        return expectation
    for key, operand in expectation.items():
        problem = _problem_with(key, operand)
        if problem:
            raise ValueError(f"{problem} (for the object itself, write equals: {{...}})")
    return expectation


def _problem_with(operator: Any, operand: Any) -> str:
    if operator not in OPERATORS:
        nearest = difflib.get_close_matches(str(operator)[:80], OPERATORS, n=1)
        known = f"did you mean {nearest[0]!r}?" if nearest else f"the operators are {', '.join(OPERATORS)}"
        return f"{operator!r:.80} is no operator; {known}"
    if operator == "matches":
        return _problem_with_pattern(operand)
    if operator == "type" and operand not in JSON_TYPES:
        return f"type must be one of {', '.join(JSON_TYPES)}, not {operand!r:.80}"
    if operator == "schema" and not isinstance(operand, dict | bool):
        return f"schema must be a JSON Schema (an object or a boolean), not {operand!r:.80}"
    if operator == "exists" and not isinstance(operand, bool):
        return f"exists must be true or false, not {operand!r:.80}"
    if operator == "length" and not (_is_captured(operand) or (_is_number(operand, int) and operand >= 0)):
        return f"length must be a whole number from 0 on, not {operand!r:.80}"
    if operator in ("greaterThan", "lessThan") and not (
        _is_captured(operand) or _is_number(operand, int | float)
    ):
        return f"{operator} must be a number, not {operand!r:.80}"
    return ""


def _problem_with_pattern(pattern: Any) -> str:
    if not isinstance(pattern, str):
        return f"matches must be a regular expression (a string), not {pattern!r:.80}"
    if _is_captured(pattern):
        return ""
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        return f"matches must be a valid regular expression, and {pattern!r:.80} is none: {error}"
    return ""


def _is_captured(operand: Any) -> bool:
    # `${name}` becomes a value only when the case runs, so nothing can be said about it before.
    return isinstance(operand, str) and "${" in operand


def _is_number(operand: Any, kind: Any) -> bool:
    return isinstance(operand, kind) and not isinstance(operand, bool)


def check_path(path: str) -> str:
    """The path itself if it can be read; raises ValueError otherwise.

    >>> check_path("$.items[0].${name}[")
    '$.items[0].${name}['
    >>> check_path("$.items[")
    Traceback (most recent call last):
    ...
    understudy.testbed.json_path.PathSyntaxError: '$.items[' is no JSONPath: ...
    """
    if not _is_captured(path):
        compile_path(path)
    return path


PathExpectation = Annotated[Any, AfterValidator(check_expectation)]
PathExpectations = dict[
    Annotated[str, StringConstraints(min_length=1), AfterValidator(check_path)], PathExpectation
]
