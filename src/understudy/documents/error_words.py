"""What pydantic found wrong with one value, in words for somebody who writes the file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

_SHOWN = 40

# What a value must be, by the type of the error that says it is not. A union's members are joined from these.
_NOUNS = {
    "string": "text",
    "bytes": "text",
    "int": "a whole number",
    "float": "a number",
    "decimal": "a number",
    "bool": "true or false",
    "list": "a list",
    "tuple": "a list",
    "set": "a list",
    "frozen_set": "a list",
    "iterable": "a list",
    "dict": "a mapping",
    "mapping": "a mapping",
    "model": "a mapping",
    "dataclass": "a mapping",
    "none_required": "nothing",
    "date": "a date such as 2026-12-31",
    "datetime": "a date and time such as 2026-12-31T12:00:00Z",
    "time": "a time such as 12:00:00",
    "url": "a URL such as http://127.0.0.1:8000",
    "path": "a path",
}
_NOUN_SUFFIX = re.compile(
    r"_(type|parsing|parsing_size|from_float|from_date_parsing|from_datetime_parsing|from_datetime_inexact"
    r"|attributes_type|unicode|sub_type|scheme|syntax_violation)$"
)
_RULES: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "greater_than": lambda limits: f"more than {limits['gt']}",
    "greater_than_equal": lambda limits: f"at least {limits['ge']}",
    "less_than": lambda limits: f"less than {limits['lt']}",
    "less_than_equal": lambda limits: f"at most {limits['le']}",
    "multiple_of": lambda limits: f"a multiple of {limits['multiple_of']}",
    "finite_number": lambda limits: "a finite number",
    "literal_error": lambda limits: str(limits["expected"]),
    "enum": lambda limits: str(limits["expected"]),
    "union_tag_invalid": lambda limits: str(limits["expected_tags"]).replace(", ", " or "),
}
_LENGTHS = {"string_too_short": "characters", "too_short": "entries"}
_MOST = {"string_too_long": "characters", "too_long": "entries"}


def describe(value: Any) -> str:
    """A value of a file, named so that its type is told as well.

    >>> describe("abc"), describe(7), describe(None), describe([1])
    ('text "abc"', 'the number 7', 'nothing (null)', 'a list')
    """
    if isinstance(value, str):
        shown = value if len(value) <= _SHOWN else value[: _SHOWN - 1] + "…"
        return f"text {json.dumps(shown, ensure_ascii=not shown.isprintable())}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        shown = str(value)
        return f"the number {shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1] + '…'}"
    if value is None:
        return "nothing (null)"
    return "a list" if isinstance(value, list) else "a mapping"


def noun_of(error: Mapping[str, Any]) -> str:
    """What the value must be, if that is all that is wrong with it; '' for any other error."""
    kind = error["type"]
    if kind in ("literal_error", "enum"):
        return _RULES[kind](error["ctx"])
    return _NOUNS.get(_NOUN_SUFFIX.sub("", kind), "")


def one_of(nouns: Iterable[str]) -> str:
    """Several nouns as one.

    >>> one_of(["text", "a whole number", "a number", "a list"])
    'text, a number or a list'
    """
    distinct = dict.fromkeys(nouns)
    if "a number" in distinct:
        distinct.pop("a whole number", None)
    *first, last = distinct
    return f"{', '.join(first)} or {last}" if first else last


def words_for(error: Mapping[str, Any], subject: str) -> str:
    """The sentence for one error about a value; `subject` is how the value is called."""
    kind, value, limits = error["type"], error["input"], error.get("ctx", {})
    noun = noun_of(error)
    if noun:
        return f"{subject} must be {noun}, not {describe(value)}"
    if kind in _RULES:
        return f"{subject} must be {_RULES[kind](limits)}, not {describe(limits.get('tag', value))}"
    if kind in _LENGTHS:
        least = limits["min_length"]
        return (
            f"{subject} must not be empty"
            if least == 1
            else f"{subject} must have at least {least} {_LENGTHS[kind]}"
        )
    if kind in _MOST:
        return f"{subject} must have at most {limits['max_length']} {_MOST[kind]}"
    if kind == "string_pattern_mismatch":
        return f"{subject} must match {limits['pattern']}, not be {describe(value)}"
    if kind in ("value_error", "assertion_error"):
        return f"{subject}: {limits['error']}"
    said = re.sub(r"^(Input|Value|String) should", "must", error["msg"])
    return f"{subject} {said[:1].lower() + said[1:]}"
