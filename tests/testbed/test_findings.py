"""Whatever does not hold is shown with a diff: what was wanted on one side, what came on the other."""

from __future__ import annotations

import json
from typing import Any

import pytest

from understudy.testbed.captures import capture_all
from understudy.testbed.cases import GraphQLExpectation, HTTPExpectation
from understudy.testbed.findings import Finding, contrast
from understudy.testbed.protocols.attempt import Attempt
from understudy.testbed.protocols.graphql.check import judge_graphql
from understudy.testbed.protocols.http.check import judge_http
from understudy.wire.messages import Response

DOCUMENT = {"name": "tea", "price": 2.5, "tags": ["a", "b"], "gone": None}


def answer(body: Any = None, status: int = 200) -> Attempt:
    text = body if isinstance(body, str) else json.dumps(DOCUMENT if body is None else body)
    return Attempt(response=Response(status, (("X-A", "1"), ("X-A", "2")), text.encode()), duration_ms=12.5)


def sides(finding: Finding) -> tuple[str, str]:
    """What a diff of one line on each side wants and has."""
    head, wanted, found = finding.diff.splitlines()[:2], *finding.diff.splitlines()[2:]
    assert head == ["--- expected", "+++ actual"]
    assert (wanted[0], found[0]) == ("-", "+")
    return wanted[1:], found[1:]


def judged(expect: dict[str, Any], attempt: Attempt) -> list[Finding]:
    return judge_http(HTTPExpectation.model_validate(expect), attempt, ("expect",), defaults=True)


@pytest.mark.parametrize(
    ("expect", "wanted", "found"),
    [
        ({"status": 304}, "304 Not Modified", "200 OK"),
        ({"latencyMs": 10}, "at most 10 ms", "12.5 ms"),
        ({"headers": {"X-B": "1"}}, '"1"', "(missing)"),
        ({"headers": {"X-A": None}}, "(missing)", '"1, 2"'),
        ({"json": {"$.currency": "EUR"}}, '"EUR"', "(missing)"),
        ({"json": {"$.currency": {"type": "string"}}}, "of type string", "(missing)"),
        ({"json": {"$.currency": {"exists": True}}}, "(anything)", "(missing)"),
        ({"json": {"$.gone": {"exists": False}}}, "(missing)", "null"),
        ({"json": {"$.name": {"notEquals": "tea"}}}, 'anything but "tea"', '"tea"'),
        ({"json": {"$.name": {"matches": "^c"}}}, 'matching "^c"', '"tea"'),
        ({"json": {"$.name": {"type": "integer"}}}, "of type integer", '"tea" (string)'),
        ({"json": {"$.tags": {"length": 1}}}, "length 1", "length 2"),
        ({"json": {"$.price": {"length": 1}}}, "length 1", "2.5"),
        ({"json": {"$.price": {"greaterThan": 3}}}, "more than 3", "2.5"),
        ({"json": {"$.price": {"lessThan": 2}}}, "less than 2", "2.5"),
        ({"json": {"$.price": {"contains": 2}}}, "containing 2", "2.5"),
        ({"json": {"$.tags": {"contains": "c"}}}, 'containing "c"', '["a", "b"]'),
        ({"schema": {"properties": {"name": {"type": "integer"}}}}, '{"type": "integer"}', '"tea"'),
    ],
)
def test_every_expectation_that_does_not_hold_has_a_diff(
    expect: dict[str, Any], wanted: str, found: str
) -> None:
    (finding,) = judged(expect, answer())
    assert sides(finding) == (wanted, found)


def test_a_status_that_the_case_does_not_name_has_a_diff_too() -> None:
    (finding,) = judged({}, answer(status=404))
    assert sides(finding) == ("below 400", "404 Not Found")


@pytest.mark.parametrize("key", ["bodyContains", "streamContains"])
def test_a_text_that_nothing_in_the_body_is_near_to_has_a_diff(key: str) -> None:
    (finding,) = judged({key: ["zebra"]}, answer("no such animal"))
    assert sides(finding) == ('containing "zebra"', '"no such animal"')


def test_a_body_that_is_no_json_has_a_diff() -> None:
    (finding,) = judged({"json": {"$.a": 1}}, answer("oh no"))
    assert sides(finding) == ("JSON", '"oh no"')


def test_what_cannot_be_captured_has_a_diff() -> None:
    _, (finding,) = capture_all({"id": "$.id"}, answer())
    assert sides(finding) == ("something at $.id", "(missing)")


@pytest.mark.parametrize(
    ("expect", "wanted", "found"),
    [
        ({"status": 400}, "400 Bad Request", "200 OK"),
        ({"errors": False}, "no errors", '["out of range"]'),
        ({"errors": ["denied"]}, 'containing "denied"', '["out of range"]'),
        ({"data": {"item.name": "tea"}}, '"tea"', "(missing)"),
    ],
)
def test_graphql_expectations_have_diffs_too(expect: dict[str, Any], wanted: str, found: str) -> None:
    attempt = answer({"data": {"item": {}}, "errors": [{"message": "out of range"}]})
    expectation = GraphQLExpectation.model_validate(expect)
    (finding,) = judge_graphql(expectation, attempt, ("expect",), defaults=True)
    assert sides(finding) == (wanted, found)


def test_a_violated_schema_shows_the_rule_that_was_broken_also_behind_a_reference() -> None:
    schema = {"$defs": {"name": {"minLength": 5}}, "properties": {"name": {"$ref": "#/$defs/name"}}}
    (finding,) = judged({"schema": schema}, answer())
    assert (finding.expected, finding.actual) == ({"minLength": 5}, "tea")


def test_a_schema_that_allows_nothing_is_shown_as_it_is() -> None:
    (finding,) = judged({"schema": False}, answer())
    assert finding.expected is False


def test_a_contrast_is_a_diff_of_one_line_each() -> None:
    assert contrast("a\nb", "c") == "--- expected\n+++ actual\n-a\\nb\n+c"
