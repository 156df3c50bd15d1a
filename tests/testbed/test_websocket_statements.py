"""What the founding document states about the seam of WebSocket runners: each test names the statement."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from testbed.one_route import route, suite_of
from testbed.recording_server import Answer, RecordingServer
from understudy.testbed import (
    HTTPCase,
    HTTPRouteSuite,
    HTTPRunResult,
    Report,
    RunOptions,
    Suite,
    run,
    run_http,
)

NO_RUNNER = "websocket cases require a websocket runner"


class Talker:
    """A runner that keeps the cases it is given, and answers as it is told."""

    def __init__(self, **changes: Any) -> None:
        self.changes = {"passed": True, "status": 101, **changes}
        self.given: list[tuple[str, str, HTTPCase]] = []

    async def run_websocket(
        self, route: HTTPRouteSuite, item: HTTPCase, result: HTTPRunResult
    ) -> HTTPRunResult:
        self.given.append((route.operation, result.case, item))
        return result.model_copy(update=self.changes)


class Blocking(Talker):
    """A runner whose method is not async."""

    def run_websocket(self, route: Any, item: Any, result: HTTPRunResult) -> Any:
        return result.model_copy(update=self.changes)


def feed(*cases: dict[str, Any]) -> dict[str, Any]:
    return {**route("feed", "/feed/{room}", *cases), "websocket": True}


def ran(server: RecordingServer, suite: Suite, runner: Any = None) -> Report:
    return run(suite, RunOptions(base_url=server.url, websocket_runner=runner))


@pytest.mark.parametrize(
    ("runner", "passed", "error"), [(Talker(), True, ""), (None, False, NO_RUNNER)], ids=["runner", "none"]
)
def test_run_http_still_sees_websocket_routes(
    server: RecordingServer, runner: Talker | None, passed: bool, error: str
) -> None:
    suite = suite_of(feed({"name": "talks"}))
    report = run_http(suite, RunOptions(base_url=server.url, websocket_runner=runner))
    (result,) = report.http
    assert (result.case, result.passed, result.skipped, result.error) == ("talks", passed, not passed, error)


def test_a_case_of_a_websocket_route_reaches_the_runner_with_everything_it_says(
    server: RecordingServer,
) -> None:
    server.answers["/login"] = Answer({"room": 7})
    talk = {
        "name": "talks",
        "input": {"params": {"room": "${room}"}, "messages": [{"type": "text", "data": "hi"}]},
        "expect": {"messages": [{"type": "text", "data": "hi"}], "closeCode": 1000},
    }
    log_in = {"name": "logs in", "capture": {"room": "$.room"}}
    talker = Talker()
    suite = suite_of(feed(talk), route("login", "/login", log_in))
    report = ran(server, suite, talker)
    assert [(result.case, result.passed) for result in report.http] == [("talks", True), ("logs in", True)]
    ((operation, name, item),) = talker.given
    assert (operation, name, item.input.params) == ("feed", "talks", {"room": 7})
    assert [message.data for message in item.input.messages] == ["hi"]
    assert item.expect.close_code == 1000
    assert suite.http.routes[0].cases[0].input.params == {"room": "${room}"}


def test_the_runners_result_is_the_reports(server: RecordingServer) -> None:
    talker = Talker(passed=False, failures=["no echo"], notes=["took a while"], duration_ms=12.5)
    (result,) = ran(server, suite_of(feed({"name": "a"})), talker).http
    assert (result.operation, result.method, result.path, result.case) == ("feed", "GET", "/feed/{room}", "a")
    assert (result.passed, result.status, result.failures) == (False, 101, ["no echo"])
    assert (result.notes, result.duration_ms) == (["took a while"], 12.5)


def test_a_runner_may_skip_a_case_itself(server: RecordingServer) -> None:
    report = ran(server, suite_of(feed({})), Talker(passed=False, skipped=True, error="no TLS here"))
    assert (report.http[0].skipped, report.http[0].error, report.summary.skipped) == (True, "no TLS here", 1)


def test_a_runner_whose_method_is_not_async_works_too(server: RecordingServer) -> None:
    assert ran(server, suite_of(feed({})), Blocking()).http[0].passed


@pytest.mark.parametrize("returned", [None, {}, Report()])
def test_a_runner_that_returns_no_result_is_an_error_of_its_case(
    server: RecordingServer, returned: Any
) -> None:
    class Odd:
        async def run_websocket(self, route: Any, item: Any, result: Any) -> Any:
            return returned

    (result,) = ran(server, suite_of(feed({})), Odd()).http
    assert result.error == f"the websocket runner returned {type(returned).__name__}, not an HTTPRunResult"


@pytest.mark.parametrize(
    ("asked", "key"),
    [
        ({"until": {"attempts": 2}}, "until"),
        ({"failIf": {"status": 500}}, "failIf"),
        ({"capture": {"a": "$.a"}}, "capture"),
    ],
)
def test_what_only_our_own_eyes_could_judge_is_an_error_and_never_silently_left_out(
    server: RecordingServer, asked: dict[str, Any], key: str
) -> None:
    talker = Talker()
    (result,) = ran(server, suite_of(feed(asked)), talker).http
    assert result.error == f"a websocket case cannot use {key}: remove it from the case"
    assert talker.given == []
    assert ran(server, suite_of(feed(asked))).http[0].error == NO_RUNNER


def test_a_time_limit_of_the_case_ends_a_conversation_that_hangs(server: RecordingServer) -> None:
    class Hanging(Talker):
        async def run_websocket(self, route: Any, item: Any, result: HTTPRunResult) -> HTTPRunResult:
            await asyncio.Event().wait()
            return result

    (result,) = ran(server, suite_of(feed({"timeoutMs": 20})), Hanging()).http
    assert result.error == "timed out after 0.02 s, in the websocket runner"


@pytest.mark.parametrize(("bound", "passed"), [(10, False), (20, True)])
def test_a_latency_bound_holds_for_conversations_too(
    server: RecordingServer, bound: int, passed: bool
) -> None:
    case = {"expect": {"latencyMs": bound}}
    (result,) = ran(server, suite_of(feed(case)), Talker(duration_ms=12.5)).http
    assert result.passed == passed
    assert result.failures == ([] if passed else ["took 12.5 ms, expected at most 10 ms"])


def test_a_case_that_needs_a_skipped_websocket_case_is_skipped_too(server: RecordingServer) -> None:
    suite = suite_of(feed({"name": "talks"}), route("x", "/x", {"name": "asks", "needs": "talks"}))
    report = ran(server, suite)
    assert [result.error for result in report.http] == [NO_RUNNER, "needs 'talks', which was skipped"]
    assert server.seen == []
