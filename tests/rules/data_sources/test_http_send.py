"""`http.send` takes and gives what OPA's does, over the mocks of a test."""

from __future__ import annotations

import re
from typing import Any

import pytest

from understudy.rules.data_sources.http_send import http_send_function
from understudy.rules.evaluate.functions import HostError
from understudy.rules.mocks import MockTable, MockWeb

from .recording_web import RecordingWeb

URL = "https://api.shop.test/items"


def send(request: Any, answer: dict[str, Any]) -> Any:
    return http_send_function(MockWeb(MockTable.first_dialect({URL: answer}))).call(request)


def asked(**request: Any) -> Any:
    web = RecordingWeb()
    http_send_function(web).call({"method": "get", "url": URL, **request})
    return web.requests[0]


def test_the_answer_has_the_shape_of_opa_s() -> None:
    answer = {"body": {"id": 7}, "headers": {"X-Page": ["1", "2"]}}
    assert send({"method": "get", "url": URL}, answer) == {
        "status": "200 OK",
        "status_code": 200,
        "body": {"id": 7},
        "raw_body": '{"id":7}',
        "headers": {"x-page": ["1", "2"], "content-type": ["application/json"]},
    }


@pytest.mark.parametrize(
    ("answer", "request_keys", "body"),
    [
        ({"body": '{"id": 7}'}, {}, {"id": 7}),
        ({"body": "text"}, {}, None),
        ({"body": "7"}, {}, None),
        ({"body": "7"}, {"force_json_decode": True}, 7),
        ({"body": "on: yes"}, {"force_yaml_decode": True}, {"on": "yes"}),
        ({"body": "a: 1", "headers": {"Content-Type": "application/x-yaml"}}, {}, {"a": 1}),
        ({"body": "[1]", "headers": {"Content-Type": "application/vnd.x+json; charset=utf-8"}}, {}, [1]),
        ({"status": 404}, {}, None),
        ({"body": "", "headers": {"Content-Type": "application/json"}}, {}, None),
    ],
)
def test_the_body_is_decoded_where_the_answer_or_the_request_says_what_it_is(
    answer: dict[str, Any], request_keys: dict[str, Any], body: Any
) -> None:
    assert send({"method": "GET", "url": URL, **request_keys}, answer)["body"] == body


def test_an_unknown_status_has_no_words() -> None:
    assert send({"method": "GET", "url": URL}, {"status": 599})["status"] == "599"


@pytest.mark.parametrize(
    ("keys", "body", "headers"),
    [
        ({"body": {"a": [1]}}, b'{"a":[1]}', ()),
        ({"body": None}, b"null", ()),
        ({"raw_body": "a=1", "body": 1}, b"a=1", ()),
        (
            {"headers": {"Accept": "x", "X-A": ["1", "2"]}},
            None,
            (("Accept", "x"), ("X-A", "1"), ("X-A", "2")),
        ),
    ],
)
def test_what_the_request_says_is_sent(keys: dict[str, Any], body: bytes | None, headers: Any) -> None:
    request = asked(**keys)
    assert (request.method, request.url, request.body, request.headers) == ("GET", URL, body, headers)
    assert (request.with_token, request.follows_redirects) == (False, False)


@pytest.mark.parametrize(
    ("timeout", "seconds"),
    [
        ("5s", 5),
        ("1m0.5s", 60),
        ("250ms", 0.25),
        (2_000_000_000, 2),
        ("0s", 5),
        (None, 5),
        ("2h", 60),
        ("3µs", 3e-6),
    ],
)
def test_the_time_allowed_is_a_duration_of_go_and_bounded(timeout: Any, seconds: float) -> None:
    assert asked(timeout=timeout).timeout == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("request_given", "message"),
    [
        ("x", 'takes an object, and got "x", a string'),
        ({"url": URL}, "the request has no 'method'"),
        ({"method": "GET"}, "the request has no 'url'"),
        ({"method": "GET", "url": URL, "heders": {}}, "the request has the unknown key 'heders' (did you mean"),
        ({"method": "G T", "url": URL}, '"G T" is no HTTP method'),
        ({"method": "GET", "url": 7}, "'url' must be a text, not 7"),
        ({"method": "GET", "url": URL, "headers": []}, "'headers' must be an object of texts"),
        ({"method": "GET", "url": URL, "headers": {"a": 1}}, "the header 'a' must be a text of one line, not 1"),
        ({"method": "GET", "url": URL, "timeout": "5 s"}, "'timeout' must be a duration such as \"5s\""),
        ({"method": "GET", "url": URL, "timeout": -1}, "'timeout' must be a duration"),
        ({"method": "GET", "url": URL, "raise_error": "no"}, "'raise_error' must be true or false"),
        ({"method": "GET", "url": "/other"}, "no mock matches GET https://api.github.com/other"),
        ({"method": "GET", "url": URL, "force_json_decode": True}, f"GET {URL}: the body is not JSON"),
    ],
)  # fmt: skip
def test_what_is_wrong_makes_the_call_undefined_and_is_told(request_given: Any, message: str) -> None:
    with pytest.raises(HostError, match=re.escape(message)):
        send(request_given, {"body": "<html>"})


@pytest.mark.parametrize(
    ("answer", "keys", "code"),
    [
        ({"mock": "timeout"}, {}, "eval_http_send_network_error"),
        ({"body": "<html>"}, {"force_json_decode": True}, "eval_http_send_internal_error"),
    ],
)
def test_without_raise_error_what_went_wrong_is_part_of_the_answer(answer: Any, keys: Any, code: str) -> None:
    given = send({"method": "GET", "url": URL, "raise_error": False, **keys}, answer)
    assert (given["status_code"], given["error"]["code"]) == (0, code)
    assert given["error"]["message"].startswith(f"GET {URL}: ")


def test_it_is_the_function_that_policies_call() -> None:
    function = http_send_function(RecordingWeb())
    assert (function.name, function.arity) == ("http.send", 1)
