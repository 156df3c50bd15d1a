"""Beyond the document: `until`, `failIf` and `retry` try a case again, and a case has a time limit of its own."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

from testbed.one_route import one, route, suite_of
from testbed.recording_server import Answer, RecordingServer, Seen
from understudy.testbed import RunOptions, run
from understudy.wire.messages import Response


def test_until_asks_again_until_it_holds(server: RecordingServer) -> None:
    server.answers["/x"] = [
        Answer({"state": "new"}, 404),
        Answer({"state": "busy"}),
        Answer({"state": "done"}),
    ]
    until = {"status": 200, "json": {"state": "done"}, "attempts": 9, "delayMs": 1}
    result = one(server, server.answers["/x"], until=until, expect={"status": 200}, capture={"s": "state"})
    assert result.passed, result
    assert len(server.seen) == 3
    assert result.notes == ["asked 3 of at most 9 times (until)"]


def test_until_gives_up_after_its_attempts_and_shows_the_last_answer(server: RecordingServer) -> None:
    until = {"json": {"state": "done"}, "attempts": 3, "delayMs": 0}
    result = one(server, Answer({"state": "busy"}), until=until)
    assert len(server.seen) == 3
    assert result.failures == ['until did not hold within 3 tries: body at state is "busy", expected "done"']


def test_fail_if_ends_it_at_once(server: RecordingServer) -> None:
    until = {"json": {"state": "done"}, "attempts": 9, "delayMs": 0}
    result = one(server, Answer({"state": "declined"}), until=until, failIf={"json": {"state": "declined"}})
    assert len(server.seen) == 1
    assert "failIf holds" in result.failures[0]


def test_fail_if_alone_is_an_assertion(server: RecordingServer) -> None:
    condition = {"bodyContains": ["password"]}
    assert not one(server, Answer({"password": "x"}), failIf=condition).passed
    assert one(server, Answer({"name": "x"}), failIf=condition).passed


def test_nothing_is_retried_unless_a_case_asks(server: RecordingServer) -> None:
    assert not one(server, [Answer({}, 500), Answer({})]).passed
    assert len(server.seen) == 1


def test_retry_tries_a_failed_case_again_and_says_so(server: RecordingServer) -> None:
    result = one(
        server, [Answer({}, 500), Answer({})], retry={"attempts": 3, "delayMs": 0}, expect={"status": 200}
    )
    assert result.passed
    assert result.notes == ["passed on try 2 of 3 (retry)"]


def test_a_case_can_have_a_time_limit_of_its_own(server: RecordingServer) -> None:
    release = threading.Event()

    def wait(seen: Seen) -> Answer:
        release.wait(5)
        return Answer()

    result = one(server, wait, timeoutMs=100)
    release.set()
    assert "0.1 s" in result.error


@pytest.mark.parametrize("limit", [0, None])
def test_a_time_limit_of_nothing_is_none_of_its_own(server: RecordingServer, limit: Any) -> None:
    assert one(server, Answer(), timeoutMs=limit).passed


def flaky(*numbers: int) -> Any:
    """A client that cannot connect on those calls, and tells how often it was called on the others."""
    calls = [0]

    def client(request: Any) -> Response:
        calls[0] += 1
        if calls[0] in numbers:
            raise ConnectionError("no route")
        return Response(200, (), json.dumps({"call": calls[0]}).encode())

    return client


def test_until_goes_on_after_errors_in_between(server: RecordingServer) -> None:
    suite = suite_of(route("x", "/x", {"until": {"json": {"call": 4}, "attempts": 5, "delayMs": 0}}))
    (result,) = run(suite, RunOptions(base_url="http://h", client=flaky(1, 3))).http
    assert (result.passed, result.error) == (True, "")
    assert result.notes == ["asked 4 of at most 5 times (until)"]


def test_until_that_ends_with_an_error_is_not_judged() -> None:
    suite = suite_of(route("x", "/x", {"until": {"json": {"call": 9}, "attempts": 3, "delayMs": 0}}))
    (result,) = run(suite, RunOptions(base_url="http://h", client=flaky(3))).http
    assert "no route" in result.error
    assert result.failures == []


def test_a_case_that_says_what_it_waits_for_does_not_expect_nothing(server: RecordingServer) -> None:
    until = {"status": 200, "attempts": 1}
    assert one(server, Answer(), until=until).notes == ["asked 1 of at most 1 times (until)"]
    assert one(server, Answer(), failIf={"status": 500}).notes == []


@pytest.mark.parametrize("expect", [{"messages": [{"type": "text", "data": "hi"}]}, {"closeCode": 1000}])
def test_what_only_a_websocket_could_show_is_noted_as_not_judged(
    server: RecordingServer, expect: dict[str, Any]
) -> None:
    result = one(server, Answer({}), expect={"status": 200, **expect})
    assert result.passed
    assert result.notes == ["messages and closeCode are not judged: the route is no WebSocket route"]


def test_an_unknown_key_is_no_expectation(server: RecordingServer) -> None:
    result = one(server, Answer(), expect={"stauts": 500})
    assert result.notes == ["the case expects nothing: any status below 400 passes"]
