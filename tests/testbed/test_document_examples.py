"""The founding document's code in Python: types with its fields, functions with its parameters, and what they do."""

from __future__ import annotations

import asyncio
import inspect
import json
from pathlib import Path
from typing import Any

import pytest

from testbed.one_route import route
from testbed.recording_server import Answer, RecordingServer
from understudy import testbed
from understudy.testbed import (
    REPORT_SCHEMA_V1,
    SCHEMA_V1,
    GraphQLInput,
    GRPCInput,
    HTTPCase,
    HTTPRouteSuite,
    HTTPRunResult,
    QueueBroker,
    QueueBrokerOptions,
    QueueBrokerResult,
    QueueCase,
    QueueExpectation,
    QueueJobSuite,
    Report,
    Runner,
    RunOptions,
    Simulator,
    Suite,
    WebSocketRunner,
    apply_scripts,
    http_runner,
    load_script,
    load_scripts,
    marshal_report_json,
    marshal_suite_json,
    merge_reports,
    run,
    run_http,
    run_queue_broker,
    runner_func,
)
from understudy.wire.messages import Request, Response


def test_the_schema_ids() -> None:
    assert (SCHEMA_V1, REPORT_SCHEMA_V1) == ("anvil.testbed.v1", "anvil.testbed.report.v1")


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (Suite, "schema http grpc graphql queue"),
        (Report, "schema summary http grpc graphql queue"),
        (HTTPCase, "name input expect script source"),
        (GraphQLInput, "query operationName variables subscription"),
        (GRPCInput, "message messages"),
        (QueueCase, "name input expect"),
        (QueueExpectation, "error"),
        (QueueBrokerResult, "error"),
    ],
)
def test_every_type_has_the_fields_of_the_document(kind: Any, fields: str) -> None:
    assert set(fields.split()) <= {field.alias for field in kind.model_fields.values()}


@pytest.mark.parametrize(
    ("function", "parameters"),
    [
        ("run", "suite options"),
        ("run_http", "suite options"),
        ("runner_func", "name fn"),
        ("http_runner", "options"),
        ("run_queue_broker", "suite broker options"),
        ("load_script", "path"),
        ("load_scripts", "paths"),
        ("apply_scripts", "suite scripts"),
        ("marshal_suite_json", "suite"),
        ("marshal_report_json", "report"),
        ("merge_reports", "reports"),
    ],
)
def test_every_function_takes_what_the_document_gives_it(function: str, parameters: str) -> None:
    assert list(inspect.signature(getattr(testbed, function)).parameters) == parameters.split()


def test_run_options_have_the_fields_of_the_document_first_and_its_defaults() -> None:
    options = RunOptions(base_url="http://h")
    names = ["base_url", "client", "include_generated", "max_response_bytes", "websocket_runner"]
    assert list(RunOptions.__dataclass_fields__)[:5] == names
    assert [getattr(options, name) for name in names[1:]] == [None, False, 0, None]
    assert QueueBrokerOptions().timeout == 0


def test_an_object_can_be_asked_whether_it_is_a_runner_or_a_broker() -> None:
    assert isinstance(runner_func("mine", lambda suite: Report()), Runner)
    assert isinstance(Socket(), WebSocketRunner)
    assert not isinstance(object(), Runner | WebSocketRunner | QueueBroker)


class Socket:
    """A websocket runner."""

    async def run_websocket(
        self, route: HTTPRouteSuite, item: HTTPCase, result: HTTPRunResult
    ) -> HTTPRunResult:
        result.passed = True
        return result


class Broker:
    """A queue in a list, and a handler that dislikes one body."""

    def __init__(self) -> None:
        self.published: list[str] = []

    async def publish(self, job: QueueJobSuite, item: QueueCase) -> None:
        self.published.append(item.input.body)

    async def await_(self, job: QueueJobSuite, item: QueueCase) -> QueueBrokerResult:
        return QueueBrokerResult(error="bad order" if item.input.body == "{}" else "")


SCRIPT = """
http:
  - {operation: getItem, name: first item, params: {id: 1}, expect: {status: 200, bodyContains: [tea]}}
websocket:
  - {operation: feed, name: echo, messages: [{type: text, data: hi}, {type: close}]}
graphql:
  - {endpoint: shop, name: all, query: "{items{id}}"}
queue:
  - {queue: orders, job: ship, name: ships, body: '{"id":1}'}
  - {queue: orders, job: ship, name: refuses, body: '{}', expect: {error: bad order}}
"""


def test_a_suite_goes_from_scripts_through_runners_to_one_report_and_its_json(
    server: RecordingServer, tmp_path: Path
) -> None:
    server.answers["/items/1"] = Answer({"id": 1, "name": "tea"})
    server.answers["/graphql"] = Answer({"data": {"items": []}})
    suite = Suite.model_validate(
        {
            "schema": SCHEMA_V1,
            "http": {
                "routes": [
                    {"operation": "getItem", "method": "GET", "path": "/items/{id}", "params": ["id"]},
                    {"operation": "feed", "method": "GET", "path": "/feed", "websocket": True},
                ]
            },
            "graphql": {"endpoints": [{"name": "shop", "path": "/graphql"}]},
            "queue": {"jobs": [{"queue": "orders", "job": "ship"}]},
        }
    )
    file = tmp_path / "script.yaml"
    file.write_text(SCRIPT, "utf-8")
    suite = apply_scripts(suite, [load_script(file)])
    options = RunOptions(base_url=server.url, websocket_runner=Socket())
    broker = Broker()
    simulator = Simulator(
        http_runner(options),
        runner_func("queue", lambda suite: run_queue_broker(suite, broker, QueueBrokerOptions(timeout=5))),
        None,
    )
    report = simulator.run(suite)
    assert (report.summary.total, report.summary.passed) == (5, 5)
    assert [result.case for result in report.http] == ["first item", "echo"]
    assert [result.case for result in report.queue] == ["ships", "refuses"]
    apart = merge_reports(run_http(suite, options), run_queue_broker(suite, broker))
    assert (len(apart.http), len(apart.graphql), apart.summary.passed) == (2, 0, 4)
    text = marshal_report_json(report)
    assert text.startswith('{\n  "schema": "anvil.testbed.report.v1",\n')
    assert Report.model_validate(json.loads(text)) == report
    assert Suite.model_validate_json(marshal_suite_json(suite)) == suite
    assert broker.published == ['{"id":1}', "{}"] * 2


@pytest.mark.parametrize(("options", "most"), [({}, 1), ({"concurrency": 1}, 1), ({"concurrency": 4}, 4)])
def test_the_runner_performs_requests_sequentially_unless_told_otherwise(
    options: dict[str, Any], most: int
) -> None:
    running: list[int] = [0]
    seen: list[int] = []

    async def client(request: Request) -> Response:
        running[0] += 1
        for _ in range(50):
            await asyncio.sleep(0)
        seen.append(running[0])
        running[0] -= 1
        return Response(200, (), b"")

    cases = ({"name": str(number)} for number in range(20))
    suite = Suite.model_validate({"http": {"routes": [route("x", "/x", *cases)]}})
    report = run(suite, RunOptions(base_url="http://h", client=client, **options))
    assert (report.summary.passed, max(seen)) == (20, most)


def test_one_script_may_stand_where_several_are_taken(tmp_path: Path) -> None:
    file = tmp_path / "script.yaml"
    file.write_text("http: [{operation: x}]", "utf-8")
    suite = Suite.model_validate({"http": {"routes": [route("x", "/x")]}})
    (script,) = load_scripts(file)
    assert apply_scripts(suite, script) == apply_scripts(suite, load_scripts(str(file)))
    with pytest.raises(ValueError, match="scripts are what load_script gives, not str"):
        apply_scripts(suite, [str(file)])  # type: ignore[list-item]  # the mistake under test
