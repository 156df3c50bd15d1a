"""The web that mocks make up answers relative and absolute URLs, and keeps a log of what was asked."""

from __future__ import annotations

import pytest

from understudy.rules.mocks import MockTable, MockWeb
from understudy.rules.web import LOG_LIMIT, RequestLog, TimedOut, UnmatchedRequest, WebRequest

GITLAB = "https://gitlab.com/api/v4"


def test_a_relative_url_is_asked_below_the_base_and_answered_by_whichever_mock_has_it() -> None:
    by_url = MockWeb(MockTable.first_dialect({f"{GITLAB}/projects/*": {"status": 201}}), GITLAB)
    by_path = MockWeb(MockTable.first_dialect({"/projects/7": {"status": 202}}), GITLAB)
    for url in ("projects/7", "/projects/7"):
        assert by_url.send(WebRequest("GET", url)).status == 201
        assert by_path.send(WebRequest("GET", url)).status == 202
        assert by_path.send(WebRequest("GET", url)).url == f"{GITLAB}/projects/7"
    with pytest.raises(UnmatchedRequest):
        by_path.send(WebRequest("GET", f"{GITLAB}/projects/7"))


def test_the_log_has_what_was_asked_and_by_which_mock_it_was_answered() -> None:
    log = RequestLog()
    web = MockWeb(
        MockTable.first_dialect({"/a": {"status": 204}, "/t": {"mock": "timeout"}}), "https://h", log
    )
    web.send(WebRequest("GET", "/a"))
    with pytest.raises(TimedOut):
        web.send(WebRequest("GET", "/t"))
    with pytest.raises(UnmatchedRequest):
        web.send(WebRequest("POST", "/a/b"))
    assert web.log is log
    assert [str(request) for request in log.requests] == [
        "GET https://h/a: answered 204 by the mock '/a'",
        "GET https://h/t: timed out, as the mock '/t' says",
        "POST https://h/a/b: no mock matches it",
    ]
    assert [(error.method, error.url) for error in log.unmatched] == [("POST", "https://h/a/b")]


def test_the_log_of_a_policy_that_asks_for_ever_stays_small() -> None:
    web = MockWeb(MockTable.second_dialect({}))
    for _ in range(LOG_LIMIT + 5):
        web.send(WebRequest("GET", "/a"))
    assert (len(web.log.requests), web.log.count) == (LOG_LIMIT, LOG_LIMIT + 5)
