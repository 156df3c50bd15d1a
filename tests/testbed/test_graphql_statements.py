"""What the founding document states about GraphQL: each test names the statement."""

from __future__ import annotations

import json
from typing import Any

import pytest

from testbed.recording_server import Answer, RecordingServer
from understudy.testbed import GraphQLRunResult, RunOptions, Suite, run


def ran(server: RecordingServer, case: dict[str, Any]) -> GraphQLRunResult:
    endpoint = {"name": "shop", "path": "/graphql", "cases": [case]}
    suite = Suite.model_validate({"schema": "anvil.testbed.v1", "graphql": {"endpoints": [endpoint]}})
    (result,) = run(suite, RunOptions(base_url=server.url)).graphql
    return result


def test_operations_are_sent_as_http_post_json(server: RecordingServer) -> None:
    server.answers["/graphql"] = Answer({"data": {}})
    given = {
        "query": "query Q($id: ID!) { item(id: $id) { name } }",
        "operationName": "Q",
        "variables": {"id": 1},
    }
    assert ran(server, {"input": given}).passed
    seen = server.seen[0]
    assert (seen.method, seen.headers["content-type"], seen.json) == ("POST", "application/json", given)


def test_an_empty_operation_name_and_empty_variables_are_left_out(server: RecordingServer) -> None:
    server.answers["/graphql"] = Answer({"data": {}})
    ran(server, {"input": {"query": "{a}", "operationName": "", "variables": {}}})
    assert server.seen[0].json == {"query": "{a}"}


def test_subscriptions_are_sent_as_get_with_query_and_accept_event_stream(server: RecordingServer) -> None:
    stream = 'event: next\ndata: {"data": {"stock": 1}}\n\nevent: next\ndata: {"data": {"stock": 2}}\n\n'
    server.answers["/graphql"] = Answer(stream.encode(), headers={"Content-Type": "text/event-stream"})
    given = {"query": "subscription S { stock }", "subscription": True}
    more = {"operationName": "S", "variables": {"sku": "tea & more"}}
    expect = {"bodyContains": ['{"stock": 1}'], "data": {"stock": 2}, "json": {"$[*].data.stock": [1, 2]}}
    assert ran(server, {"input": {**given, **more}, "expect": expect}).failures == []
    assert ran(server, {"input": given}).passed
    first, second = server.seen
    assert (first.method, first.headers["accept"], first.body) == ("GET", "text/event-stream", b"")
    assert json.loads(first.query["variables"][0]) == more["variables"]
    assert first.query["operationName"] == ["S"]
    assert first.query["query"] == [given["query"]]
    assert list(second.query) == ["query"]


@pytest.mark.parametrize(("status", "passed"), [(200, True), (201, False), (500, False)])
def test_the_expected_status_is_200_unless_the_case_says_otherwise(
    server: RecordingServer, status: int, passed: bool
) -> None:
    server.answers["/graphql"] = Answer({"data": {}}, status)
    assert ran(server, {"input": {"query": "{a}"}}).passed is passed
    assert ran(server, {"input": {"query": "{a}"}, "expect": {"status": status}}).passed


def test_body_contains_is_checked_on_the_raw_body(server: RecordingServer) -> None:
    server.answers["/graphql"] = Answer({"data": {"items": [{"id": 1}]}})
    assert ran(server, {"input": {"query": "{a}"}, "expect": {"bodyContains": ["items"]}}).passed
    failed = ran(server, {"input": {"query": "{a}"}, "expect": {"bodyContains": ["itemz"]}})
    assert "body does not contain" in failed.failures[0]


def test_errors_in_the_document_are_no_failure_of_a_plain_case(server: RecordingServer) -> None:
    server.answers["/graphql"] = Answer({"data": None, "errors": [{"message": "no such item"}]})
    assert ran(server, {"input": {"query": "{a}"}}).passed


@pytest.mark.parametrize(
    ("errors", "failure"),
    [
        ([], "expected no errors, got 1"),
        (False, "expected no errors, got 1"),
        (["no such"], ""),
        (["no such", "denied"], 'no error\'s message contains "denied"'),
        ({"$[0].message": "no such item"}, ""),
        ({"[0].extensions.code": {"exists": False}}, ""),
        ({"[0].message": {"matches": "^x"}}, "does not match"),
    ],
)
def test_errors_are_judged_by_message_or_path(server: RecordingServer, errors: Any, failure: str) -> None:
    server.answers["/graphql"] = Answer({"data": None, "errors": [{"message": "no such item"}]})
    result = ran(server, {"input": {"query": "{a}"}, "expect": {"errors": errors}})
    assert result.passed is (not failure)
    assert all(failure in found for found in result.failures)


def test_data_is_judged_by_path_and_says_what_errors_the_server_had(server: RecordingServer) -> None:
    server.answers["/graphql"] = Answer({"data": {"item": None}, "errors": [{"message": "sku unknown"}]})
    expect = {"data": {"item.name": "tea", "$.item": None}}
    failures = ran(server, {"input": {"query": "{a}"}, "expect": expect}).failures
    assert len(failures) == 1
    assert "data at item.name is missing" in failures[0]
    assert "sku unknown" in failures[0]


@pytest.mark.parametrize("body", ["<html>", "[1]", "", "null"])
def test_a_response_that_is_no_graphql_response_is_a_clear_failure(
    server: RecordingServer, body: str
) -> None:
    server.answers["/graphql"] = Answer(body)
    result = ran(server, {"input": {"query": "{a}"}, "expect": {"data": {"a": 1}, "errors": []}})
    assert len(result.failures) == 1
    assert result.error == ""
