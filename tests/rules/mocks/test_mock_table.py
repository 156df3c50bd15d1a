"""Mocks answer as the test wrote them, in both dialects, and what is wrong with one is told by its key."""

from __future__ import annotations

import pickle
import re
from typing import Any

import pytest

from understudy.core.errors import InputError
from understudy.rules.mocks import MOCK_BODY_LIMIT, MockError, MockTable
from understudy.rules.web import TimedOut, UnmatchedRequest

HOST = "https://api.github.com"
PROTECTION = f"{HOST}/repos/acme/widgets/branches/main/protection"
OK = {"mock": "response", "status": 200, "body": "ok", "kind": "body"}


def body(payload: Any) -> dict[str, Any]:
    """What `body(...)` of a test file becomes."""
    return {"mock": "response", "status": 200, "body": payload, "kind": "body"}


def code(status: Any) -> dict[str, Any]:
    """What `code(...)` of a test file becomes."""
    return {"mock": "response", "status": status, "body": None, "kind": "code"}


@pytest.mark.parametrize(
    ("spec", "status", "sent", "content_type"),
    [
        (body({"a": [1, None, "é"]}), 200, '{"a":[1,null,"é"]}', "application/json"),
        (body([]), 200, "[]", "application/json"),
        (body(7), 200, "7", "application/json"),
        (body(False), 200, "false", "application/json"),
        (body(None), 200, "null", "application/json"),
        (body('{"a": 1.50}\n'), 200, '{"a": 1.50}\n', "application/json"),
        (body("plain text"), 200, "plain text", "text/plain; charset=utf-8"),
        (body("{not closed"), 200, "{not closed", "text/plain; charset=utf-8"),
        (body(""), 200, "", ""),
        (code(404), 404, "", ""),
        ({**body("no"), "status": 403}, 403, "no", "text/plain; charset=utf-8"),
        ({**body([1]), "headers": {"content-type": "text/x"}}, 200, "[1]", "text/x"),
        ({"status": 204}, 204, "", ""),
    ],
)  # fmt: skip
def test_a_mock_answers_what_was_written(spec: Any, status: int, sent: str, content_type: str) -> None:
    answer = MockTable.first_dialect({"/a": spec}).answer("GET", f"{HOST}/a")
    assert (answer.status, answer.body.decode(), answer.header("Content-Type")) == (
        status,
        sent,
        content_type,
    )
    assert (answer.url, answer.mock) == (f"{HOST}/a", "/a")


def test_headers_of_a_mock_are_given_and_may_repeat() -> None:
    spec = {**body("x"), "headers": {"Link": "<u>; rel=next", "Set-Cookie": ["a=1", "b=2"]}}
    answer = MockTable.first_dialect({"/a": spec}).answer("GET", "/a")
    assert answer.headers[:3] == (("Link", "<u>; rel=next"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"))


def test_the_founding_document_s_catch_all_answers_whatever_is_asked() -> None:
    table = MockTable.first_dialect({"/*": code(404)})
    assert table.answer("GET", f"{HOST}/repos/acme/widgets/security-advisories").status == 404
    assert table.answer("POST", "https://api.osv.dev/v1/query", body=b"{}").status == 404


def test_a_sequence_answers_once_each_and_then_with_its_last() -> None:
    table = MockTable.first_dialect({"/a": [code(503), {"mock": "timeout"}, body("up")]})
    assert table.answer("GET", "/a").status == 503
    with pytest.raises(TimedOut, match="GET /a: timed out, as the mock '/a' says"):
        table.answer("GET", "/a")
    assert [table.answer("GET", "/a").body for _ in range(3)] == [b"up"] * 3


def test_hits_are_counted_by_key_and_optional_ones_are_marked() -> None:
    table = MockTable.first_dialect(
        {
            "/a": OK,
            "/b": {"mock": "optional", "answer": [code(503), OK]},
            "/c": {**OK, "optional": True},
            "/d": {"mock": "timeout"},
        }
    )
    table.answer("GET", "/a")
    table.answer("GET", "/a")
    assert table.hits() == {"/a": 2, "/b": 0, "/c": 0, "/d": 0}
    assert table.optional == {"/b", "/c"}
    assert table.answer("GET", "/b").status == 503


def test_two_tables_of_the_same_keys_count_for_themselves() -> None:
    first, second = MockTable.first_dialect({"/a": OK}), MockTable.first_dialect({"/a": code(500)})
    first.answer("GET", "/a")
    assert second.answer("GET", "/a").status == 500
    assert (first.hits(), second.hits()) == ({"/a": 1}, {"/a": 1})


def test_a_request_that_nothing_matches_says_which_mocks_came_near_and_why_not() -> None:
    mocks = {
        f"GET {PROTECTION}": OK, f"POST {HOST}/repos/*/*/branches/dev/protection": OK, "/licenses": OK, "/z": OK,
    }  # fmt: skip
    with pytest.raises(UnmatchedRequest) as caught:
        MockTable.first_dialect(mocks).answer("GET", f"{HOST}/repos/acme/widgets/branches/dev/protection")
    licences = "\"/licenses\": segment 1 is 'repos', the pattern has 'licenses'; the path has 6 segments, the pattern 1"
    assert str(caught.value) == "\n".join(
        [
            f"no mock matches GET {HOST}/repos/acme/widgets/branches/dev/protection",
            f'  not "POST {HOST}/repos/*/*/branches/dev/protection": method is GET, the mock has POST',
            f"  not \"GET {PROTECTION}\": segment 5 is 'dev', the pattern has 'main'",
            f"  not {licences}",
            "  nor 1 other mock",
            f'  to answer it, add a mock: "GET {HOST}/repos/acme/widgets/branches/dev/protection": body(...)',
        ]
    )
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (copy.method, copy.url, copy.misses, str(copy)) == (
        "GET", f"{HOST}/repos/acme/widgets/branches/dev/protection", caught.value.misses, str(caught.value)
    )  # fmt: skip


@pytest.mark.parametrize("mocks", [None, {}, []])
def test_without_mocks_a_request_says_that_there_are_none(mocks: Any) -> None:
    with pytest.raises(UnmatchedRequest, match=r"no mock matches GET /a\n  no mocks are given at all"):
        MockTable.first_dialect(mocks).answer("GET", "/a")
    assert MockTable.second_dialect(mocks).answer("GET", "/a").status == 404


def test_in_the_second_dialect_what_nothing_matches_is_answered_as_go_s_mux_does() -> None:
    table = MockTable.second_dialect([("/repos/me/myrepo", body('{"private": true}'))])
    assert table.answer("GET", f"{HOST}/repos/me/myrepo?page=1").body == b'{"private": true}'
    answer = table.answer("GET", f"{HOST}/repos/me/other")
    assert (answer.status, answer.body, answer.mock) == (404, b"404 page not found\n", "")
    assert answer.header("content-type") == "text/plain; charset=utf-8"
    assert table.hits() == {"/repos/me/myrepo": 1}


@pytest.mark.parametrize(
    ("key", "url", "status"),
    [
        ("https://spdx.example.run.app/", "https://spdx.example.run.app/v1/licences", 200),
        ("https://spdx.example.run.app", "https://spdx.example.run.app/v1/licences", 200),
        (f"{HOST}/repos/a?per_page=1", f"{HOST}/repos/a", 200),
        ("GET /repos/{owner}/{name}", f"{HOST}/repos/a/b", 200),
        ("/repos/*", f"{HOST}/repos/a", 404),
    ],
)
def test_keys_of_the_second_dialect_are_those_of_go_s_mux(key: str, url: str, status: int) -> None:
    assert MockTable.second_dialect({key: OK}).answer("GET", url).status == status


def test_a_mock_of_a_relative_path_answers_below_any_base() -> None:
    for dialect in (MockTable.first_dialect, MockTable.second_dialect):
        table = dialect({"/projects/7": OK})
        url = "https://gitlab.com/api/v4/projects/7"
        assert table.answer("GET", url, relative="projects/7").status == 200


@pytest.mark.parametrize(
    ("mocks", "message"),
    [
        ({"": OK}, "the mock '' is empty (write '/path'"),
        ({"banana": OK}, "the mock 'banana' is no URL and no path (begin it with '/' or 'https://')"),
        ({"GTE /a": OK}, "the mock 'GTE /a' begins with 'GTE', which is no HTTP method (did you mean GET?)"),
        ({7: OK}, "the mock '7' has a key that is number, not text"),
        ({"/a": code(42)}, "the mock '/a' has the status 42, which must be a whole number from 100 to 599"),
        ({"/a": code(600)}, "the mock '/a' has the status 600"),
        ({"/a": code("404")}, "the mock '/a' has the status \"404\""),
        ({"/a": code(True)}, "the mock '/a' has the status true"),
        ({"/a": []}, "the mock '/a' has an empty list of answers"),
        ({"/a": [[OK]]}, "the mock '/a' has a list of answers within a list"),
        (
            {"/a": "ok"},
            "the mock '/a' has a string where an answer must stand: \"ok\" (write body(...), code(...)",
        ),
        ({"/a": None}, "the mock '/a' has a null where an answer must stand"),
        (
            {"/a": {"mock": "wrong", "type": "function", "shown": "<function body>"}},
            "the mock '/a' has a function where an answer must stand: <function body> (write body(...)",
        ),
        ({"/a": {"statsu": 200}}, "the mock '/a' has the unknown part 'statsu' (did you mean 'status'?)"),
        ({"/a": {"headers": ["x"]}}, "the mock '/a' has headers that are array, not a mapping"),
        (
            {"/a": {"headers": {"a b": "x"}}},
            "the mock '/a' has \"a b\" where the name of a header must stand",
        ),
        ({"/a": {"headers": {"a": "x\ny"}}}, "the mock '/a' has the header a with"),
        ({"/a": OK, "/%61": OK}, "the mock '/%61' matches the same requests as '/a' (remove one of the two)"),
        (
            {"mock": "wrong", "type": "list", "shown": "[1]"},
            "mocks must be a mapping of keys to answers, not list: [1]",
        ),
        ("text", "mocks must be a mapping of keys to answers, not string"),
    ],
)
def test_a_wrong_mock_is_told_by_its_key_with_what_to_write(mocks: Any, message: str) -> None:
    with pytest.raises(MockError, match=re.escape(message)) as caught:
        MockTable.first_dialect(mocks)
    assert isinstance(caught.value, InputError)


def test_all_keys_that_cannot_be_read_are_told_at_once() -> None:
    with pytest.raises(MockError) as caught:
        MockTable.first_dialect({"": OK, "/fine": OK, "banana": OK})
    assert len(caught.value.problems) == 2


def test_mocks_of_the_second_dialect_that_conflict_are_told() -> None:
    with pytest.raises(MockError, match=re.escape("the mock '/{x}/b' conflicts with '/a/{y}'")):
        MockTable.second_dialect({"/a/{y}": OK, "/{x}/b": OK})


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        ("x" * (MOCK_BODY_LIMIT + 1), "has a body of more than 16,777,216 bytes"),
        (float("nan"), "has a body that is no JSON value"),
        ({"a": {1, 2}}, "has a body that is no JSON value"),
    ],
)
def test_a_body_that_cannot_be_sent_is_told(payload: Any, message: str) -> None:
    with pytest.raises(MockError, match=message):
        MockTable.first_dialect({"/a": body(payload)})
