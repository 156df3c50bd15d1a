"""Judges one value against what is expected of it: a literal, or operators such as `contains` and `type`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from understudy.core.brief import brief, json_type
from understudy.core.diff import differences, nearest, structural_diff, text_diff
from understudy.core.errors import InputError, missing_extra
from understudy.testbed.findings import Finding, Where, contrast, typed
from understudy.testbed.json_path import compile_path, missing_hint
from understudy.testbed.path_expectation import is_operators

MISSING = object()
NOT_THERE = "(missing)"
SHOWN = 200
VIOLATIONS_SHOWN = 50


def judge_paths(data: Any, expectations: Mapping[str, Any], where: Where, what: str) -> list[Finding]:
    """Every expectation of a path in `data`; `what` names the data in messages (`body`, `data`)."""
    findings: list[Finding] = []
    for path, expectation in expectations.items():
        find, single = compile_path(path)
        found = find(data)
        value: Any = (found[0] if found else MISSING) if single else found
        missing = missing_hint(path, data) if value is MISSING else ""
        findings.extend(judge(value, expectation, (*where, path), f"{what} at {path}", missing))
    return findings


def judge(value: Any, expectation: Any, where: Where, what: str, missing: str = "") -> list[Finding]:
    """What of the expectation does not hold of the value; `missing` says why there is none."""
    if not is_operators(expectation):
        return _equals(value, expectation, where, what, missing, ())
    findings: list[Finding] = []
    for operator, operand in expectation.items():
        if operator == "exists":
            if (value is not MISSING) != bool(operand):
                message = f"{what} must {'be there' if operand else 'not be there'}"
                message += f": {missing}" if missing else ""
                actual = None if value is MISSING else value
                diff = contrast("(anything)", NOT_THERE) if operand else contrast(NOT_THERE, brief(value))
                findings.append(Finding((*where, operator), message, operand, actual, diff))
            continue
        if value is MISSING:
            wanted = _in_words(operator, operand)
            findings.append(_nothing(operand, wanted, (*where, operator), what, missing))
            continue
        for finding in _OPERATORS[operator](value, operand, where, what):
            diff = finding.diff or contrast(_in_words(operator, operand), _found(operator, value))
            findings.append(replace(finding, diff=diff))
    return findings


def _nothing(operand: Any, wanted: str, where: Where, what: str, missing: str) -> Finding:
    message = f"{what} is missing" + (f": {missing}" if missing else "")
    return Finding(where, message, operand, None, contrast(wanted, NOT_THERE))


def _in_words(operator: str, operand: Any) -> str:
    """What an operator wants, for one side of a diff."""
    return _WORDS[operator].format(operand if operator == "type" else brief(operand))


def _found(operator: str, value: Any) -> str:
    """What came instead, for the other side."""
    if operator == "length" and isinstance(value, str | list | dict):
        return f"length {len(value)}"
    return typed(value) if operator == "type" else brief(value)


def _equals(
    value: Any, expected: Any, where: Where, what: str, missing: str = "", suffix: Where = ("equals",)
) -> list[Finding]:
    if value is MISSING:
        return [_nothing(expected, brief(expected), (*where, *suffix), what, missing)]
    if _is_equal(expected, value):
        return []
    message = f"{what} is {shown(value)}, expected {shown(expected)}"
    return [Finding((*where, *suffix), message, expected, value, _diff(expected, value), settled=True)]


def _diff(expected: Any, value: Any) -> str:
    """By line for texts, by path for two objects or two lists; what has no parts is only shown on both sides."""
    if isinstance(expected, str) and isinstance(value, str):
        return text_diff(expected, value)
    if json_type(expected) != json_type(value):
        return contrast(typed(expected), typed(value))
    if isinstance(expected, dict | list | tuple):
        return structural_diff(expected, value)
    return contrast(brief(expected), brief(value))


def _not_equals(value: Any, expected: Any, where: Where, what: str) -> list[Finding]:
    if not _is_equal(expected, value):
        return []
    return [
        Finding((*where, "notEquals"), f"{what} is {shown(value)}, which it must not be", expected, value)
    ]


def _contains(value: Any, expected: Any, where: Where, what: str) -> list[Finding]:
    where = (*where, "contains")
    if isinstance(value, str):
        wanted = expected if isinstance(expected, str) else _json_text(expected)
        if wanted in value:
            return []
        near = nearest(wanted, value)
        message = f"{what} does not contain {shown(wanted)}" + (f"; nearest: {shown(near)}" if near else "")
        return [Finding(where, message, wanted, near or _cut(value), text_diff(wanted, near) if near else "")]
    if isinstance(value, list):
        if any(_is_equal(expected, item) or _is_part(expected, item) for item in value):
            return []
        return [
            Finding(where, f"{what} has no item {shown(expected)} among its {len(value)}", expected, value)
        ]
    if isinstance(value, dict):
        lacking = _lacking(expected, value)
        if not lacking:
            return []
        message = f"{what} does not contain {', '.join(str(key) for key in lacking)} as expected"
        actual = {key: value[key] for key in lacking if isinstance(key, str) and key in value}
        return [Finding(where, message, expected, actual, structural_diff(expected, actual))]
    return [Finding(where, f"{what} is {shown(value)}, which can contain nothing", expected, value)]


def _lacking(expected: Any, value: Mapping[str, Any]) -> list[Any]:
    """The keys that an object lacks, or has another value at; without values, only the keys are asked for."""
    keys = expected if isinstance(expected, list) else [expected]
    wanted: Iterable[tuple[Any, Any]] = (
        expected.items() if isinstance(expected, dict) else ((key, MISSING) for key in keys)
    )
    return [
        key
        for key, item in wanted
        if not isinstance(key, str)
        or key not in value
        or (item is not MISSING and not _is_equal(item, value[key]))
    ]


def _is_part(expected: Any, item: Any) -> bool:
    """True if an item of a list is an object that has at least what is expected, which must be something."""
    return (
        isinstance(expected, dict)
        and bool(expected)
        and isinstance(item, dict)
        and not _lacking(expected, item)
    )


def _is_equal(expected: Any, value: Any) -> bool:
    return not differences(expected, value, limit=1)


def _matches(value: Any, pattern: str, where: Where, what: str) -> list[Finding]:
    text = value if isinstance(value, str) else _json_text(value)
    if re.search(pattern, text):
        return []
    return [
        Finding(
            (*where, "matches"),
            f"{what} is {shown(text)}, which does not match {pattern!r}",
            pattern,
            _cut(text),
        )
    ]


def _type(value: Any, expected: str, where: Where, what: str) -> list[Finding]:
    actual = "integer" if _is_number(value) and value % 1 == 0 else json_type(value)
    if actual == expected or (expected == "number" and actual == "integer"):
        return []
    message = f"{what} is of type {actual}, expected {expected}: {shown(value)}"
    return [Finding((*where, "type"), message, expected, actual, settled=True)]


def _length(value: Any, expected: int, where: Where, what: str) -> list[Finding]:
    where = (*where, "length")
    if not isinstance(value, str | list | dict):
        return [Finding(where, f"{what} is {shown(value)}, which has no length", expected, None)]
    if len(value) == expected:
        return []
    return [
        Finding(
            where, f"{what} has length {len(value)}, expected {expected}", expected, len(value), settled=True
        )
    ]


def _greater(value: Any, bound: float, where: Where, what: str) -> list[Finding]:
    if _is_number(value) and value > bound:
        return []
    return [
        Finding(
            (*where, "greaterThan"), f"{what} is {shown(value)}, expected more than {bound}", bound, value
        )
    ]


def _less(value: Any, bound: float, where: Where, what: str) -> list[Finding]:
    if _is_number(value) and value < bound:
        return []
    return [
        Finding((*where, "lessThan"), f"{what} is {shown(value)}, expected less than {bound}", bound, value)
    ]


def judge_schema(value: Any, schema: Any, where: Where, what: str) -> list[Finding]:
    """Every violation of a JSON Schema. References never reach the network or a file."""
    try:
        import jsonschema_rs
    except ImportError:
        raise missing_extra("testbed", "jsonschema-rs") from None
    try:
        validator = jsonschema_rs.validator_for(schema, offline=True)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise InputError(f"the JSON Schema for {what} cannot be used: {reason}") from None
    try:
        return _violations(validator.iter_errors(value), value, schema, where, what)
    except ValueError as error:
        raise InputError(f"{what} cannot be judged by its schema: {error}") from None


def _violations(errors: Iterator[Any], value: Any, schema: Any, where: Where, what: str) -> list[Finding]:
    findings = [_violation(error, value, schema, where, what) for error in islice(errors, VIOLATIONS_SHOWN)]
    if next(errors, None) is not None:
        findings.append(Finding(where, f"{what} violates its schema at more than {VIOLATIONS_SHOWN} places"))
    return findings


def _violation(error: Any, value: Any, schema: Any, where: Where, what: str) -> Finding:
    rule, found = _rule(schema, error.schema_path), _at(value, error.instance_path)
    message = f"{what} violates its schema at {_instance_path(error.instance_path)}: {error.message}"
    return Finding(where, message, rule, found, contrast(brief(rule), brief(found)))


def _rule(schema: Any, path: list[Any]) -> Any:
    """The keyword that was violated with its value; its path where it stands in another document."""
    try:
        return {path[-1]: _at(schema, path)} if path else schema
    except (KeyError, IndexError, TypeError):
        return "/" + "/".join(map(str, path))


def _schema(value: Any, schema: Any, where: Where, what: str) -> list[Finding]:
    return judge_schema(value, schema, (*where, "schema"), what)


def _at(value: Any, path: list[Any]) -> Any:
    for part in path:
        value = value[part]
    return value


def _instance_path(path: list[Any]) -> str:
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)


def shown(value: Any) -> str:
    """A value in a message: as JSON, shortened."""
    return brief(value, SHOWN)


def _json_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}... ({len(text)} characters)"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_WORDS: Mapping[str, str] = {
    "equals": "{}",
    "notEquals": "anything but {}",
    "contains": "containing {}",
    "matches": "matching {}",
    "type": "of type {}",
    "schema": "{}",
    "length": "length {}",
    "greaterThan": "more than {}",
    "lessThan": "less than {}",
}
_Judge = Callable[[Any, Any, Where, str], list[Finding]]
_OPERATORS: Mapping[str, _Judge] = {
    "equals": _equals,
    "notEquals": _not_equals,
    "contains": _contains,
    "matches": _matches,
    "type": _type,
    "schema": _schema,
    "length": _length,
    "greaterThan": _greater,
    "lessThan": _less,
}
