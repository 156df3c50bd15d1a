"""Functions of data sources ask APIs with the arguments of a call, and give body and status."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from understudy.documents.yaml import load_go_yaml
from understudy.rules.data_sources.loading import read_data_source
from understudy.rules.evaluate.functions import HostError
from understudy.rules.mocks import MockTable, MockWeb
from understudy.rules.web import BODY_LIMIT, Answer, TimedOut, Web

from .recording_web import RecordingWeb

OWNER_AND_REPO = (
    "type: object, properties: {owner: {type: string}, repo: {type: string}}, required: [owner, repo]"
)
LICENSE = "endpoint: 'https://api.github.com/repos/{owner}/{repo}/license', parse: json"


def call(definition: str, arguments: Any, web: Web, auth: str = "") -> Any:
    text = f"version: v1\ntype: data-source\nname: gh-API\nrest: {{{auth} def: {{get: {{{definition}}}}}}}"
    functions = read_data_source(load_go_yaml("ds.yaml", text=text)).functions(web, None)
    assert [function.arity for function in functions.values()] == [1]
    return functions["minder.datasource.gh_api.get"].call(arguments)


def mocked(mocks: dict[str, Any]) -> MockWeb:
    return MockWeb(MockTable.first_dialect(mocks))


def test_the_body_comes_with_its_status_under_both_names() -> None:
    web = mocked({"GET https://api.github.com/repos/*/*/license": {"body": {"spdx_id": "MIT"}}})
    result = call(f"{LICENSE}, input_schema: {{{OWNER_AND_REPO}}}", {"owner": "acme", "repo": "w"}, web)
    assert result == {"body": {"spdx_id": "MIT"}, "status": 200, "status_code": 200}


@pytest.mark.parametrize("status", [404, 301, 500])
def test_a_status_is_no_error_but_part_of_the_result(status: int) -> None:
    web = mocked({"/*": {"status": status, "body": {"message": "no"}}})
    result = call(LICENSE, {"owner": "acme", "repo": "w"}, web)
    assert (result["status"], result["body"]) == (status, {"message": "no"})


@pytest.mark.parametrize(
    ("endpoint", "arguments", "url"),
    [
        ("https://h/{a}/{b}", {"a": "x y/z", "b": 7}, "https://h/x%20y%2Fz/7"),
        ("https://h/{+a}", {"a": "x/y"}, "https://h/x/y"),
        ("https://h/a{?q,on,n}", {"q": "a&b", "on": True, "n": 2.0}, "https://h/a?q=a%26b&on=true&n=2"),
        ("https://h/a{?q,r}", {"r": "x"}, "https://h/a?r=x"),
        ("https://h/a{?tags*}", {"tags": ["x", "y"]}, "https://h/a?tags=x&tags=y"),
        ("https://h/a{?by*}", {"by": {"a": "1", "b": "2"}}, "https://h/a?a=1&b=2"),
        ("https://h/{a:3}{/b}", {"a": "abcdef"}, "https://h/abc"),
        ("/repos/{a}", {"a": "x"}, "/repos/x"),
    ],
)
def test_the_endpoint_is_a_uri_template_over_the_arguments(endpoint: str, arguments: Any, url: str) -> None:
    web = RecordingWeb()
    call(f"endpoint: '{endpoint}'", arguments, web)
    assert web.requests[0].url == url


@pytest.mark.parametrize(
    ("definition", "arguments", "sent"),
    [
        ("body: {a: [1, x]}", {}, b'{"a":[1,"x"]}'),
        ("bodyobj: {a: 1}", {}, b'{"a":1}'),
        ("body: 'a=1'", {}, b"a=1"),
        ("bodystr: 'a=1'", {}, b"a=1"),
        ("body_from_field: query", {"query": {"name": "é"}}, '{"name":"é"}'.encode()),
        ("body_from_field: query", {"query": "text"}, b"text"),
        ("parse: ''", {}, None),
    ],
)
def test_the_body_is_an_object_a_text_or_an_argument(
    definition: str, arguments: Any, sent: bytes | None
) -> None:
    web = RecordingWeb()
    call(f"endpoint: https://h/, method: post, headers: {{Accept: a/b}}, {definition}", arguments, web)
    (request,) = web.requests
    assert (request.method, request.body, request.headers) == ("POST", sent, (("Accept", "a/b"),))
    assert (request.timeout, request.with_token) == (5.0, False)


def test_the_token_goes_along_only_if_the_file_says_so() -> None:
    web = RecordingWeb()
    call(LICENSE, {"owner": "a", "repo": "b"}, web, auth="providerAuth: true,")
    assert web.requests[0].with_token


@pytest.mark.parametrize(
    ("definition", "arguments", "message"),
    [
        (f"{LICENSE}, input_schema: {{{OWNER_AND_REPO}}}", {"owner": "a"}, "the argument 'repo' is missing"),
        (LICENSE, {"owner": "a"}, "the argument 'repo' is missing, which the endpoint needs"),
        (LICENSE, {"owner": None, "repo": "b"}, "the argument 'owner' is missing, which the endpoint needs"),
        (
            f"{LICENSE}, input_schema: {{{OWNER_AND_REPO}}}",
            {"owner": 7, "repo": "b"},
            "the argument 'owner' does not fit: 7 is not of type \"string\"",
        ),
        ("endpoint: /a, input_schema: {maxProperties: 0}", {"a": 1}, "the arguments do not fit: "),
        (LICENSE, "acme", 'takes an object of arguments, and got "acme", a string'),
        (
            LICENSE,
            {"owner": {"a": {"b": 1}}, "repo": "b"},
            "the argument 'owner' holds {\"b\": 1}, which has no form",
        ),
        ("endpoint: /a, body_from_field: query", {}, "the argument 'query' is missing, which is the body"),
        (
            "endpoint: /a, body_from_field: query",
            {"query": [1]},
            "the argument 'query' is the body, and must be a",
        ),
    ],
)
def test_an_argument_that_is_missing_or_wrong_is_named(definition: str, arguments: Any, message: str) -> None:
    web = RecordingWeb()
    with pytest.raises(HostError, match=re.escape(message)):
        call(definition, arguments, web)
    assert web.requests == []


def test_too_many_requests_are_asked_again_three_times_without_a_real_wait() -> None:
    busy, done = Answer(429, (), b"{}", "https://h/a"), Answer(200, (), b"[7]")
    web = RecordingWeb(busy, busy, busy, done)
    assert call("endpoint: https://h/a, parse: json", {}, web)["body"] == [7]
    assert (len(web.requests), web.pauses) == (4, [0.5, 1.0, 2.0])
    web = RecordingWeb(busy)
    with pytest.raises(HostError, match="GET https://h/a: too many requests, it says, even at the 4th try"):
        call("endpoint: https://h/a, parse: json", {}, web)
    assert len(web.requests) == 4


def test_mocks_in_a_sequence_show_that_it_is_asked_again() -> None:
    web = mocked({"/a": [{"status": 429}, {"body": {"ok": True}}]})
    assert call("endpoint: /a, parse: json", {}, web)["body"] == {"ok": True}


@pytest.mark.parametrize(
    ("definition", "answer", "body", "status"),
    [
        ("parse: json, fallback: [{http_status: 404, body: '{\"n\": 1}'}]", {"status": 404}, {"n": 1}, 404),
        ("parse: json, fallback: [{http_code: 404, body: none}]", {"status": 404}, "none", 404),
        ("fallback: [{http_code: 404, body: '{}'}]", {"status": 404, "body": "x"}, "{}", 404),
        ("fallback: [{http_code: 500, body: '{}'}]", {"status": 404, "body": "x"}, "x", 404),
        ("fallback: [{http_code: 200, body: '{}'}]", {"status": 200, "body": "x"}, "x", 200),
        (
            "expected_status: [404], fallback: [{http_code: 404, body: '{}'}]",
            {"status": 404, "body": "x"},
            "x",
            404,
        ),
        ("parse: json", {"status": 404}, None, 404),
        ("parse: ''", {"status": 404}, "", 404),
    ],
)
def test_a_fallback_takes_the_place_of_an_unexpected_answer(
    definition: str, answer: Any, body: Any, status: int
) -> None:
    result = call(f"endpoint: /a, {definition}", {}, mocked({"/a": answer}))
    assert (result["body"], result["status"]) == (body, status)


def test_in_the_second_dialect_an_empty_body_is_no_answer_as_in_mindev() -> None:
    web = MockWeb(MockTable.second_dialect({"/a": {"status": 404}}))
    with pytest.raises(
        HostError, match=r"GET https://api\.github\.com/a: the body is empty, and JSON is expected"
    ):
        call("endpoint: /a, parse: json", {}, web)


@pytest.mark.parametrize(
    ("mocks", "message"),
    [
        ({"/a": {"body": "<html>"}}, "GET https://api.github.com/a: the body is not JSON"),
        ({"/a": {"body": "x" * (BODY_LIMIT + 1)}}, "the body has 1,048,577 bytes"),
        ({"/a": {"mock": "timeout"}}, "timed out, as the mock '/a' says"),
        ({"/b": {}}, "no mock matches GET https://api.github.com/a"),
    ],
)
def test_what_went_wrong_makes_the_call_undefined_and_is_told(mocks: Any, message: str) -> None:
    with pytest.raises(HostError, match=re.escape(message)):
        call("endpoint: /a, parse: json", {}, mocked(mocks))


def test_a_time_out_is_told_in_one_line() -> None:
    with pytest.raises(HostError, match=r"^took too long$"):
        call("endpoint: /a", {}, RecordingWeb(TimedOut("took too long\nand more")))


def test_what_a_policy_did_not_see_is_in_the_log() -> None:
    web = mocked({"/b": {}})
    with pytest.raises(HostError):
        call("endpoint: /a", {}, web)
    assert [error.url for error in web.log.unmatched] == ["https://api.github.com/a"]


def test_the_result_is_plain_json() -> None:
    result = call("endpoint: /a, parse: json", {}, mocked({"/a": {"body": [1.5, None, {"a": "é"}]}}))
    assert json.loads(json.dumps(result)) == result
