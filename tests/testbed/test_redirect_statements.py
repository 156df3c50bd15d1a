"""Redirects are followed as Go's default client does, up to ten; a case can ask to see the 3xx itself."""

from __future__ import annotations

import pytest

from testbed.one_route import one, ran, route
from testbed.recording_server import Answer, RecordingServer
from understudy.testbed import HTTPRunResult


def redirect(status: int, to: str) -> Answer:
    return Answer("", status, {"Location": to})


@pytest.mark.parametrize(
    ("status", "method"), [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")]
)
def test_redirects_are_followed_as_gos_default_client_does(
    server: RecordingServer, status: int, method: str
) -> None:
    server.answers["/old"] = redirect(status, "/new")
    server.answers["/new"] = Answer({"ok": True})
    report = ran(
        server,
        route("x", "/old", {"input": {"body": {"a": 1}}, "expect": {"json": {"ok": True}}}, method="POST"),
    )
    assert report.http[0].passed, report.http[0]
    assert server.seen[1].method == method
    assert server.seen[1].body == (b'{"a":1}' if method == "POST" else b"")


def chain(server: RecordingServer, length: int) -> HTTPRunResult:
    for number in range(length):
        server.answers[f"/r{number}"] = redirect(302, f"/r{number + 1}")
    server.answers[f"/r{length}"] = Answer()
    return ran(server, route("x", "/r0", {})).http[0]


def test_ten_redirects_are_followed_and_an_eleventh_is_an_error(server: RecordingServer) -> None:
    assert chain(server, 10).passed
    assert "stopped after 10 redirects" in chain(server, 11).error


def test_a_case_can_ask_to_see_the_redirect_itself(server: RecordingServer) -> None:
    result = one(
        server,
        redirect(302, "/elsewhere"),
        followRedirects=False,
        expect={"status": 302, "headers": {"Location": "/elsewhere"}},
    )
    assert result.passed
    assert len(server.seen) == 1
