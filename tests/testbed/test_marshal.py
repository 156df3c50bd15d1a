"""Suites and reports as JSON and back: nothing lost, nothing added, the wrong ones refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from understudy.core.errors import InputError
from understudy.testbed.marshal import (
    marshal_report_json,
    marshal_suite_json,
    parse_report_json,
    parse_suite_json,
)
from understudy.testbed.models import (
    HTTPCase,
    HTTPInput,
    HTTPRouteSuite,
    QueueCase,
    QueueInput,
    QueueJobSuite,
    Suite,
)
from understudy.testbed.results import HTTPRunResult, QueueRunResult, Report, trusted

SUITE: dict[str, Any] = {
    "schema": "anvil.testbed.v1",
    "http": {
        "routes": [
            {
                "operation": "getItem",
                "method": "GET",
                "path": "/items/{id}",
                "params": ["id"],
                "websocket": False,
                "cases": [
                    {
                        "name": "first item",
                        "input": {
                            "params": {"id": 1},
                            "query": {"q": "x"},
                            "headers": {"X-Trace": 7},
                            "locals": {},
                            "body": {"any": "json"},
                            "messages": [{"type": "text", "data": "hi"}],
                        },
                        "expect": {
                            "status": 200,
                            "headers": {"Content-Type": "application/json"},
                            "bodyContains": ['"id":1'],
                            "streamContains": [],
                            "messages": [{"type": "text", "data": "hi"}],
                            "closeCode": 1000,
                        },
                        "script": "items.yaml",
                        "source": {"file": "items.yaml", "line": 4, "column": 5},
                    }
                ],
            }
        ]
    },
    "graphql": {
        "endpoints": [
            {
                "name": "shop",
                "path": "/graphql",
                "cases": [
                    {
                        "name": "all",
                        "input": {
                            "query": "{items{id}}",
                            "operationName": "",
                            "variables": {},
                            "subscription": False,
                        },
                        "expect": {"status": 200, "bodyContains": ["items"], "errors": []},
                    }
                ],
            }
        ]
    },
    "grpc": {
        "services": [
            {
                "name": "shop.Inventory",
                "methods": [
                    {
                        "name": "Get",
                        "clientStreaming": False,
                        "serverStreaming": False,
                        "cases": [
                            {
                                "name": "known",
                                "input": {"message": {"sku": "a"}, "messages": []},
                                "expect": {"code": "OK", "message": {"stock": 3}, "messages": []},
                            }
                        ],
                    }
                ],
            }
        ]
    },
    "queue": {
        "jobs": [
            {
                "queue": "orders",
                "job": "ship",
                "cases": [
                    {
                        "name": "ships",
                        "input": {"body": '{"id":1}', "headers": {"trace": "7"}},
                        "expect": {"error": ""},
                    }
                ],
            }
        ]
    },
}

REPORT: dict[str, Any] = {
    "schema": "anvil.testbed.report.v1",
    "summary": {"total": 4, "passed": 3, "failed": 1, "skipped": 0},
    "http": [
        {
            "operation": "getItem",
            "method": "GET",
            "path": "/items/{id}",
            "case": "first item",
            "passed": True,
            "skipped": False,
            "status": 200,
            "error": "",
            "failures": [],
            "durationMs": 1.9,
        }
    ],
    "grpc": [
        {
            "service": "shop.Inventory",
            "method": "Get",
            "case": "known",
            "passed": True,
            "skipped": False,
            "code": "OK",
            "error": "",
            "failures": [],
            "durationMs": 0.8,
        }
    ],
    "graphql": [
        {
            "endpoint": "shop",
            "path": "/graphql",
            "case": "all",
            "passed": True,
            "skipped": False,
            "status": 200,
            "error": "",
            "failures": [],
            "durationMs": 2.2,
        }
    ],
    "queue": [
        {
            "queue": "orders",
            "job": "ship",
            "case": "ships",
            "passed": False,
            "skipped": False,
            "error": "",
            "failures": ["..."],
            "durationMs": 5,
        }
    ],
}


def indented(data: Any) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def suite_with(case: dict[str, Any]) -> dict[str, Any]:
    return {"schema": "anvil.testbed.v1", "http": {"routes": [{"cases": [case]}]}}


def test_the_suite_of_the_shapes_page_comes_back_byte_for_byte() -> None:
    assert marshal_suite_json(parse_suite_json(indented(SUITE))) == indented(SUITE)


def test_the_report_of_the_shapes_page_comes_back_byte_for_byte() -> None:
    assert marshal_report_json(parse_report_json(indented(REPORT))) == indented(REPORT)


@pytest.mark.parametrize(
    "case",
    [
        {},
        {"name": ""},
        {"input": {}, "expect": {}},
        {"input": {"body": None}},
        {"input": {"body": {}}},
        {"expect": {"status": 0, "json": {}, "schema": False, "latencyMs": 1.0}},
        {"expect": {"json": {"$.a": {"type": "null"}, "$.b": None}}},
        {"finally": False, "needs": [], "retry": {"attempts": 2}, "tags": []},
        {"until": {"status": 200, "attempts": 3}, "failIf": {"status": 500}, "followRedirects": False},
        {"known": {"reason": "slow", "until": "2026-12-31"}, "capture": {"id": "$.id", "n": {"header": "X"}}},
        {"zzz": {"nested": [None, True, 1, 1.5, "ü\u2028"]}, "close_code": 7, "aaa": ""},
        {"input": {"query": {"n": 10**30, "f": 1e-7, "b": True, "z": None}}},
        {"input": {"query": {"half a pair": "\ud800", "nul": "\x00"}}},
    ],
)
def test_every_key_that_was_written_comes_back_and_no_other(case: dict[str, Any]) -> None:
    data = suite_with(case)
    written = marshal_suite_json(parse_suite_json(json.dumps(data)))
    assert json.loads(written) == data
    assert written.encode("utf-8").decode("utf-8") == written
    assert marshal_suite_json(parse_suite_json(written)) == written


def test_what_was_changed_in_place_is_written() -> None:
    suite = Suite()
    suite.http.routes.append(HTTPRouteSuite(operation="a"))
    suite.http.routes[0].cases.append(HTTPCase(name="b"))
    suite.http.routes[0].cases[0].expect.body_contains.append("c")
    suite.http.routes[0].cases[0].input.headers["d"] = 1
    assert json.loads(marshal_suite_json(suite)) == {
        "schema": "anvil.testbed.v1",
        "http": {
            "routes": [
                {
                    "operation": "a",
                    "cases": [
                        {"name": "b", "input": {"headers": {"d": 1}}, "expect": {"bodyContains": ["c"]}}
                    ],
                }
            ]
        },
    }


def test_unknown_keys_stand_after_the_known_ones_in_their_own_order() -> None:
    written = marshal_suite_json(parse_suite_json('{"z": 1, "a": 2, "schema": "anvil.testbed.v1"}'))
    assert list(json.loads(written)) == ["schema", "z", "a"]


def test_a_suite_of_python_comes_back_equal() -> None:
    suite = Suite()
    suite.queue.jobs.append(
        QueueJobSuite(queue="q", job="j", cases=[QueueCase(name="n", input=QueueInput.from_bytes(b"\xff"))])
    )
    suite.http.routes.append(HTTPRouteSuite(cases=[HTTPCase(input=HTTPInput(body={}))]))
    assert parse_suite_json(marshal_suite_json(suite)) == suite


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(body=st.none() | st.dictionaries(st.text(), JSON, max_size=3), extra=JSON, name=st.text())
def test_any_suite_comes_back_equal(body: dict[str, Any] | None, extra: Any, name: str) -> None:
    case = HTTPCase.model_validate({"name": name, "input": {"body": body}, "x-extra": extra})
    suite = Suite()
    suite.http.routes.append(HTTPRouteSuite(cases=[case]))
    again = parse_suite_json(marshal_suite_json(suite))
    assert again == suite
    assert marshal_suite_json(again) == marshal_suite_json(suite)


def test_an_empty_report_writes_its_numbers_and_lists_and_no_notes() -> None:
    report = Report.of(http=[HTTPRunResult(), HTTPRunResult(notes=["the body was cut"])])
    written = json.loads(marshal_report_json(report))
    assert written["summary"] == {"total": 2, "passed": 0, "failed": 2, "skipped": 0}
    assert (written["grpc"], written["graphql"], written["queue"]) == ([], [], [])
    assert written["http"][0] == {
        "operation": "",
        "method": "",
        "path": "",
        "case": "",
        "passed": False,
        "skipped": False,
        "status": 0,
        "error": "",
        "failures": [],
        "durationMs": 0.0,
    }
    assert written["http"][1]["notes"] == ["the body was cut"]


def test_trusted_results_are_written_like_any_other() -> None:
    made = trusted(HTTPRunResult, operation="a", method="GET", path="/", case="c", passed=True)
    validated = HTTPRunResult(operation="a", method="GET", path="/", case="c", passed=True)
    assert marshal_report_json(Report.of(http=[made])) == marshal_report_json(Report.of(http=[validated]))


def test_a_report_keeps_unknown_keys() -> None:
    text = indented({**REPORT, "host": "ci-1", "queue": [{**REPORT["queue"][0], "attempt": 2}]})
    assert marshal_report_json(parse_report_json(text)) == text


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{}", 'names no schema; it must say "schema": "anvil.testbed.v1"'),
        ('{"schema": null}', "names no schema"),
        (
            '{\n  "schema": "anvil.testbed.report.v1"}',
            "suite.json:2:13: the suite has the schema 'anvil.testbed.report.v1'; only \"anvil.testbed.v1\"",
        ),
        ('{"schema": 1}', "the suite has the schema 1"),
        ("[]", "must be a mapping, not a list"),
        ("", "is empty"),
        ('{"schema": "anvil.testbed.v1",}', "suite.json:1:"),
        ('{"schema": "anvil.testbed.v1", "schema": "anvil.testbed.v1"}', "given twice"),
        ('{"schema": "anvil.testbed.v1", "x": NaN}', "NaN"),
        ('{"schema": "anvil.testbed.v1", "x": ' + "[" * 5000 + "]" * 5000 + "}", "more than 100 levels"),
        (
            '{"schema": "anvil.testbed.v1", "queue":\n{"jobs": [{"cases":\n [{"expect": {"error": 1}}]}]}}',
            "suite.json:3:24: 'error' must be text, not the number 1",
        ),
    ],
)
def test_what_is_no_suite_is_refused_with_its_place(text: str, complaint: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_suite_json(text, "suite.json")
    assert complaint in str(caught.value)


def test_every_problem_of_a_suite_is_told_at_once() -> None:
    case = {"expect": {"status": "200", "json": {"$.a": {"type": "string", "matchs": "x"}}}, "timeoutMs": -1}
    with pytest.raises(InputError) as caught:
        parse_suite_json(json.dumps(suite_with(case)), "suite.json")
    assert len(caught.value.problems) == 3
    assert "did you mean 'matches'?" in str(caught.value)


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        (float("nan"), r"http\.routes\[0\]\.cases\[0\]\.input\.body\.x is nan"),
        (b"raw", "is of the type bytes"),
        (Path(), "which JSON has no word for"),
        ({1: "a"}, "has the key 1"),
    ],
)
def test_what_json_cannot_say_is_an_error_that_names_its_place(value: Any, complaint: str) -> None:
    suite = Suite()
    suite.http.routes.append(HTTPRouteSuite(cases=[HTTPCase(input=HTTPInput(body={"x": value}))]))
    with pytest.raises(InputError, match=complaint):
        marshal_suite_json(suite)


def test_a_body_that_holds_itself_is_an_error_and_no_endless_loop() -> None:
    body: dict[str, Any] = {}
    body["again"] = [body, body]
    suite = Suite()
    suite.http.routes.append(HTTPRouteSuite(cases=[HTTPCase()]))
    suite.http.routes[0].cases[0].input.body = body
    with pytest.raises(InputError, match="nested more than 100 levels deep, or holds itself"):
        marshal_suite_json(suite)


def test_what_can_be_written_can_be_read_up_to_the_deepest_level() -> None:
    def nested(levels: int) -> Suite:
        value: Any = 1
        for _ in range(levels):
            value = [value]
        return Suite.model_validate({"x": value})

    assert parse_suite_json(marshal_suite_json(nested(99))) == nested(99)
    with pytest.raises(InputError, match="nested more than 100"):
        marshal_suite_json(nested(100))


def test_a_suite_of_another_schema_and_other_objects_are_not_written() -> None:
    suite = Suite()
    suite.schema = "mine"
    with pytest.raises(InputError, match="'mine'"):
        marshal_suite_json(suite)
    with pytest.raises(InputError, match="only a Report can be written as one, not Suite"):
        marshal_report_json(Suite())  # type: ignore[arg-type]  # the mistake under test


def test_a_report_with_a_result_of_a_queue_names_its_fields_as_the_page_does() -> None:
    written = json.loads(marshal_report_json(Report.of(queue=[QueueRunResult(queue="q", job="j", case="c")])))
    assert list(written["queue"][0]) == list(REPORT["queue"][0])
