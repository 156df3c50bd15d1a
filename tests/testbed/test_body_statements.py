"""What a case sends: bodies of every kind, values written as text, methods, and what cannot be written at all."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import pytest

from testbed.one_route import ran, route, suite_of
from testbed.recording_server import Answer, RecordingServer, Seen
from understudy.testbed import (
    HTTPRunResult,
    RunOptions,
    Suite,
    apply_scripts,
    load_script,
    marshal_suite_json,
    run,
)


def sent(server: RecordingServer, method: str = "POST", path: str = "/x", **given: Any) -> Seen:
    """The one request of a case with this input."""
    server.answers["/x"] = Answer()
    report = ran(server, route("x", path, {"input": given}, method=method))
    assert report.http[0].passed, report.http[0]
    return server.seen[-1]


def trouble(server: RecordingServer, path: str = "/x", **given: Any) -> HTTPRunResult:
    """The result of a case that cannot be sent, next to one that can."""
    server.answers["/ok"] = Answer()
    cases = route("x", path, {"input": given}, method="POST"), route("ok", "/ok", {})
    first, second = ran(server, *cases).http
    assert second.passed
    assert [seen.path for seen in server.seen] == ["/ok"]
    return first


@pytest.mark.parametrize("body", [[1, {"a": None}], [], ["ü"]])
def test_a_list_is_json_encoded_with_content_type_json(server: RecordingServer, body: list[Any]) -> None:
    seen = sent(server, body=body)
    assert (seen.json, seen.headers["content-type"]) == (body, "application/json")


def test_a_text_is_sent_as_it_is_with_the_content_type_of_the_case(server: RecordingServer) -> None:
    kind = "application/x-www-form-urlencoded"
    seen = sent(server, body="a=1&b=ü", headers={"Content-Type": kind})
    assert (seen.body, seen.headers["content-type"]) == ("a=1&b=ü".encode(), kind)
    assert sent(server, body="plain").headers.get("content-type") is None


def test_an_empty_text_is_no_body(server: RecordingServer) -> None:
    seen = sent(server, body="")
    assert (seen.body, seen.headers.get("content-type")) == (b"", None)


@pytest.mark.parametrize("body", [{"a": [1]}, {}, [], [1], "text", "", None])
def test_every_kind_of_body_survives_a_round_trip_of_its_suite(body: Any) -> None:
    raw = {
        "schema": "anvil.testbed.v1",
        "http": {"routes": [{"cases": [{"input": {"body": body}}]}]},
    }
    assert json.loads(marshal_suite_json(Suite.model_validate(raw))) == raw


@pytest.mark.parametrize(
    ("written", "body", "kind"),
    [
        ("{}", b"", None),
        ("null", b"", None),
        ("''", b"", None),
        ("[]", b"[]", "application/json"),
        ("{a: 1}", b'{"a":1}', "application/json"),
        ("[a]", b'["a"]', "application/json"),
        ("text", b"text", None),
    ],
)
def test_script_loaded_cases_normalize_empty_bodies_to_nil(
    server: RecordingServer, tmp_path: Path, written: str, body: bytes, kind: str | None
) -> None:
    script = tmp_path / "s.yaml"
    script.write_text(f"http: [{{operation: x, body: {written}}}]", "utf-8")
    server.answers["/x"] = Answer()
    suite = apply_scripts(suite_of(route("x", "/x", method="POST")), [load_script(script)])
    assert (suite.http.routes[0].cases[0].input.body is None) is (body == b"")
    run(suite, RunOptions(base_url=server.url))
    assert (server.seen[0].body, server.seen[0].headers.get("content-type")) == (body, kind)


@pytest.mark.parametrize(("written", "method"), [("get", "GET"), ("", "GET"), ("delete", "DELETE")])
def test_standard_methods_may_be_written_in_small_letters(
    server: RecordingServer, written: str, method: str
) -> None:
    assert sent(server, method=written).method == method


def test_values_of_python_are_written_as_text_and_tuples_like_lists(server: RecordingServer) -> None:
    number = uuid.UUID(int=7)
    server.answers[f"/x/{number}"] = Answer()
    given: dict[str, Any] = {
        "params": {"id": number},
        "query": {"n": (1, 2)},
        "headers": {"X-Id": number, "X-N": (1, "b")},
    }
    seen = sent(server, path="/x/{id}", **given)
    assert (seen.path, seen.query["n"]) == (f"/x/{number}", ["1", "2"])
    assert (seen.headers["x-id"], seen.headers["x-n"]) == (str(number), "1, b")


def test_unicode_goes_everywhere(server: RecordingServer) -> None:
    word = "Grüße 日本 🍵"
    seen_path = "/x/Gr%C3%BC%C3%9Fe%20%E6%97%A5%E6%9C%AC%20%F0%9F%8D%B5"
    server.answers[seen_path] = Answer({word: word})
    case = {
        "name": word,
        "input": {"params": {"id": word}, "query": {word: word}, "body": {word: word}},
        "expect": {"bodyContains": [json.dumps(word)], "json": {f"$['{word}']": word}},
    }
    report = ran(server, route(word, "/x/{id}", case, method="POST"))
    assert (report.http[0].passed, report.http[0].case, report.http[0].operation) == (True, word, word)
    (seen,) = server.seen
    assert (seen.path, seen.query, seen.json) == (seen_path, {word: [word]}, {word: word})


def test_a_query_of_nothing_leaves_no_question_mark(server: RecordingServer) -> None:
    assert sent(server, query={"q": None, "tags": []}).target == "/x"


def test_half_of_a_surrogate_pair_is_escaped_in_json(server: RecordingServer) -> None:
    assert sent(server, body={"a": "\ud800ü"}).body == b'{"a":"\\ud800\\u00fc"}'


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"params": {"id": "\ud800"}}, "path parameter 'id' has '\\ud800' in it, which is no character"),
        ({"params": {"id": 1}, "query": {"q": "\ud800"}}, "the query has '\\ud800' in it"),
        ({"params": {"id": 1}, "query": {"\udfff": 1}}, "the query has '\\udfff' in it"),
        ({"params": {"id": 1}, "body": "\ud800"}, "the body has '\\ud800' in it"),
        ({"params": {"id": 1}, "headers": {"X-A": "\ud800"}}, "header X-A"),
        ({"params": {"id": 1}, "body": {"a": uuid.UUID(int=1)}}, "the body cannot be written as JSON"),
        ({"params": {"id": 1}, "body": {"a": float("nan")}}, "the body cannot be written as JSON"),
        ({"params": {"id": ".."}}, "no client can send as a path segment"),
        ({"params": {"id": ""}}, "path parameter 'id' of /x/{id} is empty"),
        ({"params": {"id": None}}, "path parameter 'id' of /x/{id} is null"),
    ],
)
def test_what_cannot_be_sent_is_an_error_of_its_case_alone(
    server: RecordingServer, given: dict[str, Any], says: str
) -> None:
    result = trouble(server, "/x/{id}", **given)
    assert says in result.error
    assert (result.passed, result.failures) == (False, [])
