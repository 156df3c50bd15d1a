"""What the founding document states about HTTP: each test names the statement."""

from __future__ import annotations

import asyncio
import gzip
import time
from typing import Any

import pytest

from testbed.recording_server import Answer, RecordingServer, Seen
from understudy.core.errors import InputError
from understudy.testbed import (
    HTTPCase,
    HTTPRouteSuite,
    HTTPRunResult,
    Report,
    RunOptions,
    Suite,
    run,
    run_async,
    run_http,
)


def suite_of(*cases: dict[str, Any], path: str = "/items", method: str = "GET", **route: Any) -> Suite:
    """A suite of one route."""
    entry = {"operation": "op", "method": method, "path": path, "cases": list(cases), **route}
    return Suite.model_validate({"schema": "anvil.testbed.v1", "http": {"routes": [entry]}})


def ran(server: RecordingServer, suite: Suite, **options: Any) -> Report:
    return run(suite, RunOptions(base_url=server.url, **options))


def only(report: Report) -> HTTPRunResult:
    (result,) = report.http
    return result


@pytest.mark.parametrize("base_url", ["", "127.0.0.1:80", "/api", "http://", "ftp://host", "http://h:99999"])
def test_the_base_url_must_include_a_scheme_and_host(base_url: str) -> None:
    with pytest.raises(InputError, match="scheme and a host"):
        run(suite_of({"name": "a"}), RunOptions(base_url=base_url))


@pytest.mark.parametrize("prefix", ["/api/v1", "/api/v1/"])
def test_a_base_url_path_is_preserved_as_a_prefix_for_every_case(
    server: RecordingServer, prefix: str
) -> None:
    server.answers["/api/v1/items"] = Answer()
    server.answers["/api/v1/graphql"] = Answer({"data": {}})
    suite = suite_of({"name": "a"})
    suite.graphql.endpoints.extend(
        Suite.model_validate(
            {
                "graphql": {
                    "endpoints": [{"name": "g", "path": "/graphql", "cases": [{"input": {"query": "{a}"}}]}]
                },
                "schema": "anvil.testbed.v1",
            }
        ).graphql.endpoints
    )
    report = run(suite, RunOptions(base_url=server.url + prefix))
    assert report.summary.passed == 2
    assert [seen.path for seen in server.seen] == ["/api/v1/items", "/api/v1/graphql"]


def test_http_route_cases_run_first_then_graphql(server: RecordingServer) -> None:
    server.answers["/items"] = Answer()
    server.answers["/g"] = Answer({"data": {}})
    suite = Suite.model_validate(
        {
            "schema": "anvil.testbed.v1",
            "graphql": {"endpoints": [{"name": "g", "path": "/g", "cases": [{"input": {"query": "{a}"}}]}]},
            "http": {"routes": [{"operation": "o", "method": "GET", "path": "/items", "cases": [{}, {}]}]},
        }
    )
    ran(server, suite)
    assert [seen.path for seen in server.seen] == ["/items", "/items", "/g"]


def test_run_http_leaves_graphql_out_and_the_suite_as_it_is(server: RecordingServer) -> None:
    server.answers["/items"] = Answer()
    suite = suite_of({})
    suite.graphql = Suite.model_validate(
        {"schema": "anvil.testbed.v1", "graphql": {"endpoints": [{"path": "/g", "cases": [{}]}]}}
    ).graphql
    report = run_http(suite, RunOptions(base_url=server.url))
    assert (len(report.http), len(report.graphql)) == (1, 0)
    assert suite.graphql.endpoints


def test_a_nil_body_sends_an_empty_body_and_no_content_type(server: RecordingServer) -> None:
    server.answers["/items"] = Answer()
    ran(server, suite_of({"name": "no body"}, {"name": "null", "input": {"body": None}}, method="POST"))
    assert [(seen.body, seen.headers.get("content-type")) for seen in server.seen] == [(b"", None)] * 2


def test_an_empty_map_sends_an_empty_body_with_content_type_json(server: RecordingServer) -> None:
    server.answers["/items"] = Answer()
    ran(server, suite_of({"input": {"body": {}}}, method="POST"))
    assert (server.seen[0].body, server.seen[0].headers["content-type"]) == (b"", "application/json")


def test_a_non_empty_map_is_json_encoded(server: RecordingServer) -> None:
    server.answers["/items"] = Answer()
    body = {"name": "Tee für zwei", "count": 2, "tags": ["a"], "none": None, "ok": True}
    ran(server, suite_of({"input": {"body": body}}, method="POST"))
    assert server.seen[0].json == body
    assert server.seen[0].headers["content-type"] == "application/json"


def test_header_values_are_converted_to_strings(server: RecordingServer) -> None:
    server.answers["/items"] = Answer()
    headers = {"X-Int": 7, "X-Bool": True, "X-Float": 1.5, "X-Whole": 2.0, "X-Text": "t"}
    ran(server, suite_of({"input": {"headers": headers}}))
    seen = server.seen[0].headers
    assert [seen[name.lower()] for name in headers] == ["7", "true", "1.5", "2", "t"]


def test_explicit_headers_override_the_generated_content_type(server: RecordingServer) -> None:
    server.answers["/items"] = Answer()
    given = {"headers": {"content-type": "application/merge-patch+json"}, "body": {"a": 1}}
    ran(server, suite_of({"input": given}, method="PATCH"))
    assert server.seen[0].headers["content-type"] == "application/merge-patch+json"


@pytest.mark.parametrize("limit", [-1, (1 << 30) + 1])
def test_a_negative_or_too_large_response_limit_is_a_configuration_error(limit: int) -> None:
    with pytest.raises(InputError, match="max_response_bytes"):
        run(suite_of({}), RunOptions(base_url="http://127.0.0.1:1", max_response_bytes=limit))


def test_a_response_limit_of_one_gib_is_allowed(server: RecordingServer) -> None:
    server.answers["/items"] = Answer()
    assert ran(server, suite_of({}), max_response_bytes=1 << 30).summary.passed == 1


def test_the_default_response_limit_is_one_mib_and_a_longer_body_is_cut_and_says_so(
    server: RecordingServer,
) -> None:
    server.answers["/items"] = Answer("x" * (1 << 20) + "end")
    result = only(ran(server, suite_of({"expect": {"bodyContains": ["xend"]}})))
    assert not result.passed
    assert "cut at the response limit" in result.failures[0]
    assert result.notes == ["the body was cut after 1048576 bytes, the response limit"]


def test_a_body_as_long_as_the_limit_is_whole(server: RecordingServer) -> None:
    server.answers["/items"] = Answer("x" * 97 + "end")
    result = only(ran(server, suite_of({"expect": {"bodyContains": ["end"]}}), max_response_bytes=100))
    assert result.passed
    assert result.notes == []


def test_a_compressed_body_is_read_decoded_and_bounded(server: RecordingServer) -> None:
    server.answers["/items"] = Answer(gzip.compress(b"a" * (64 << 20)), headers={"Content-Encoding": "gzip"})
    result = only(ran(server, suite_of({"expect": {"bodyContains": ["aaa"]}}), max_response_bytes=1000))
    assert result.passed
    assert result.notes == ["the body was cut after 1000 bytes, the response limit"]


SCRIPTED = {"name": "scripted", "script": "s.yaml", "source": {"file": "s.yaml", "line": 1, "column": 1}}


@pytest.mark.parametrize(
    ("include", "cases", "run_names"),
    [
        (False, [{"name": "generated"}, SCRIPTED], ["scripted"]),
        (False, [{"name": "generated"}], ["generated"]),
        (True, [{"name": "generated"}, SCRIPTED], ["generated", "scripted"]),
    ],
)
def test_include_generated_controls_which_http_cases_run(
    server: RecordingServer, include: bool, cases: list[dict[str, Any]], run_names: list[str]
) -> None:
    server.answers["/items"] = Answer()
    report = ran(server, suite_of(*cases), include_generated=include)
    assert [result.case for result in report.http] == run_names


def test_body_contains_and_stream_contains_are_both_checked_against_the_body(server: RecordingServer) -> None:
    server.answers["/items"] = Answer("one two")
    expect = {"bodyContains": ["one", "three"], "streamContains": ["two", "four"]}
    result = only(ran(server, suite_of({"expect": expect})))
    assert len(result.failures) == 2
    assert '"three"' in result.failures[0]
    assert '"four"' in result.failures[1]


def test_websocket_routes_are_skipped_without_a_runner(server: RecordingServer) -> None:
    report = ran(server, suite_of({"name": "echo"}, websocket=True))
    result = only(report)
    assert result.skipped
    assert result.error == "websocket cases require a websocket runner"
    assert (report.summary.total, report.summary.skipped, report.summary.failed) == (1, 1, 0)
    assert server.seen == []


class EchoRunner:
    """A websocket runner that keeps what it was given."""

    def __init__(self) -> None:
        self.calls: list[tuple[HTTPRouteSuite, HTTPCase, HTTPRunResult]] = []

    async def run_websocket(
        self, route: HTTPRouteSuite, item: HTTPCase, result: HTTPRunResult
    ) -> HTTPRunResult:
        self.calls.append((route, item, result.model_copy()))
        if item.name == "raises":
            raise RuntimeError("socket torn")
        if item.name == "fails":
            result.failures.append("expected text hi")
        else:
            result.passed = True
        result.status = 101
        return result


@pytest.mark.parametrize("runs", [run, run_http])
def test_websocket_cases_are_delegated_to_the_websocket_runner(server: RecordingServer, runs: Any) -> None:
    runner = EchoRunner()
    suite = suite_of({"name": "ok"}, {"name": "fails"}, {"name": "raises"}, websocket=True)
    report = runs(suite, RunOptions(base_url=server.url, websocket_runner=runner))
    assert [(r.passed, r.status, r.failures) for r in report.http[:2]] == [
        (True, 101, []),
        (False, 101, ["expected text hi"]),
    ]
    assert "socket torn" in report.http[2].error
    route, item, blank = runner.calls[0]
    assert (route.operation, item.name, blank.case, blank.operation) == ("op", "ok", "ok", "op")


def test_path_parameters_are_escaped(server: RecordingServer) -> None:
    suite = suite_of({"input": {"params": {"id": "a/b c?d#e%f", "kind": "ü"}}}, path="/items/{id}/of/{kind}")
    ran(server, suite)
    assert server.seen[0].target == "/items/a%2Fb%20c%3Fd%23e%25f/of/%C3%BC"


@pytest.mark.parametrize(("value", "sent"), [(1, "1"), (2.0, "2"), (True, "true"), ("x y", "x%20y")])
def test_path_parameters_of_any_type_are_written_as_text(
    server: RecordingServer, value: Any, sent: str
) -> None:
    ran(server, suite_of({"input": {"params": {"id": value}}}, path="/items/{id}"))
    assert server.seen[0].target == f"/items/{sent}"


def test_a_missing_path_parameter_is_an_error_of_the_case(server: RecordingServer) -> None:
    server.answers["/items/2"] = Answer()
    suite = suite_of({"input": {"params": {"di": 1}}}, {"input": {"params": {"id": 2}}}, path="/items/{id}")
    report = ran(server, suite)
    assert "path parameter 'id'" in report.http[0].error
    assert "'di'" in report.http[0].error
    assert report.http[1].passed


def test_query_values_are_encoded_and_lists_repeat_their_key(server: RecordingServer) -> None:
    ran(server, suite_of({"input": {"query": {"q": "a b&c", "tag": ["x", "y"], "page": 2, "all": False}}}))
    assert server.seen[0].query == {"q": ["a b&c"], "tag": ["x", "y"], "page": ["2"], "all": ["false"]}


def test_a_refused_connection_is_an_error_of_each_case() -> None:
    report = run(suite_of({}, {}), RunOptions(base_url="http://127.0.0.1:1"))
    assert [result.passed for result in report.http] == [False, False]
    assert "refused" in report.http[0].error
    assert report.summary.failed == 2


def test_a_server_that_answers_too_late_is_an_error_that_names_the_limit(server: RecordingServer) -> None:
    def late(seen: Seen) -> Answer:
        time.sleep(0.5)
        return Answer()

    server.answers["/items"] = late
    result = only(ran(server, suite_of({}), timeout=0.1))
    assert "0.1 s" in result.error


def test_the_default_timeout_is_ten_seconds() -> None:
    assert RunOptions().timeout == 10.0


@pytest.mark.parametrize(
    ("status", "passed"), [(200, True), (304, True), (399, True), (400, False), (500, False)]
)
def test_without_an_expectation_any_status_below_400_passes_and_the_report_notes_it(
    server: RecordingServer, status: int, passed: bool
) -> None:
    server.answers["/items"] = Answer("", status)
    result = only(ran(server, suite_of({"followRedirects": False})))
    assert (result.passed, result.status) == (passed, status)
    assert result.notes == ["the case expects nothing: any status below 400 passes"]


def test_expect_semantics_collect_every_failure_of_a_case(server: RecordingServer) -> None:
    server.answers["/items"] = Answer({"id": 2}, 201, {"X-A": "1"})
    expect = {
        "status": 200,
        "headers": {"X-A": "2", "X-B": "3"},
        "bodyContains": ["nope"],
        "json": {"$.id": 1, "name": "x"},
        "schema": {"required": ["name"]},
        "latencyMs": 0,
    }
    failures = only(ran(server, suite_of({"expect": expect}))).failures
    wanted = [
        "status is 201",
        "X-A is",
        "X-B is missing",
        "contain",
        "$.id is 2",
        "name is missing",
        "schema",
        "took",
    ]
    assert sorted(next(part for part in wanted if part in failure) for failure in failures) == sorted(wanted)
    assert len(failures) == 8


def test_header_names_compare_without_case_and_one_of_several_values_is_enough(
    server: RecordingServer,
) -> None:
    server.answers["/items"] = Answer(headers={"X-Kind": "Tea"})
    assert only(ran(server, suite_of({"expect": {"headers": {"x-kIND": "Tea"}}}))).passed
    assert not only(ran(server, suite_of({"expect": {"headers": {"X-Kind": "tea"}}}))).passed


def test_method_path_operation_and_case_are_in_the_result(server: RecordingServer) -> None:
    server.answers["/items"] = Answer()
    result = only(ran(server, suite_of({"name": "first"}, method="PUT")))
    assert (result.operation, result.method, result.path, result.case) == ("op", "PUT", "/items", "first")
    assert result.duration_ms > 0


def test_a_suite_without_cases_gives_an_empty_report() -> None:
    report = run(Suite(), RunOptions(base_url="http://127.0.0.1:1"))
    assert report.summary.total == 0


def test_run_works_inside_a_running_event_loop_and_its_async_twin_too(server: RecordingServer) -> None:
    server.answers["/items"] = Answer()

    async def both() -> list[int]:
        options = RunOptions(base_url=server.url)
        blocking = run(suite_of({}), options)
        awaited = await run_async(suite_of({}), options)
        return [blocking.summary.passed, awaited.summary.passed]

    assert asyncio.run(both()) == [1, 1]


def test_concurrent_cases_are_reported_in_the_order_of_the_suite(server: RecordingServer) -> None:
    def slow_first(seen: Seen) -> Answer:
        time.sleep(0.05 if seen.path.endswith("/0") else 0)
        return Answer()

    for number in range(20):
        server.answers[f"/items/{number}"] = slow_first
    cases = [{"name": str(number), "input": {"params": {"id": number}}} for number in range(20)]
    report = ran(server, suite_of(*cases, path="/items/{id}"), concurrency=8)
    assert [result.case for result in report.http] == [str(number) for number in range(20)]
    assert report.summary.passed == 20


def test_a_client_can_be_any_function_of_a_request() -> None:
    from understudy.wire.messages import Request, Response

    def client(request: Request) -> Response:
        return Response(200, (("Content-Type", "text/plain"),), request.url.encode())

    options = RunOptions(base_url="http://nowhere.invalid", client=client)
    result = only(run(suite_of({"expect": {"bodyContains": ["http://nowhere.invalid/items"]}}), options))
    assert result.passed, result
