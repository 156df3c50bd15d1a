"""Answers at the level of urllib3: real responses, and refusals of what no server could send."""

from __future__ import annotations

import gzip

import pytest
import urllib3

from understudy.core.errors import InputError
from understudy.simulation.http_answers import mock_http_response


def test_it_is_a_real_response_of_urllib3() -> None:
    response = mock_http_response({"id": 1}, status=201, headers={"X-Rate": "9"})
    assert isinstance(response, urllib3.HTTPResponse)
    assert (response.status, response.reason, response.json()) == (201, "Created", {"id": 1})
    assert response.headers["x-rate"] == "9"
    assert response.headers["content-length"] == "9"


@pytest.mark.parametrize(
    ("body", "sent", "kind"),
    [
        (b"\x00\xff", b"\x00\xff", None),
        ("käse", "käse".encode(), "text/plain; charset=utf-8"),
        ([1, None], b"[1, null]", "application/json"),
        (None, b"null", "application/json"),
        (True, b"true", "application/json"),
    ],
)
def test_bytes_stay_text_is_utf_8_and_the_rest_is_json(body: object, sent: bytes, kind: str | None) -> None:
    response = mock_http_response(body)
    assert response.headers.get("content-type") == kind
    assert response.data == sent


def test_it_can_be_streamed_and_decoded() -> None:
    packed = gzip.compress(b"a" * 1000)
    response = mock_http_response(packed, headers={"Content-Encoding": "gzip"})
    assert b"".join(response.stream(100)) == b"a" * 1000


def test_a_header_may_come_twice() -> None:
    response = mock_http_response(headers=[("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")])
    assert response.headers.getlist("set-cookie") == ["a=1", "b=2"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"body": 404}, "404 is no body (write status=404"),
        ({"status": "200"}, '"200" is no status of a response'),
        ({"status": 100}, "100 is no status of a response"),
        ({"status": True}, "true is no status"),
        ({"body": {1, 2}}, "is no body: Object of type set is not JSON serializable"),
        ({"body": float("nan")}, "is no body"),
        ({"headers": {"X": "a\r\nY: b"}}, "header X: has a line break"),
        ({"headers": {"Bad Name": "a"}}, "'Bad Name' cannot be the name of a header"),
        ({"headers": {"X": "\u2603"}}, "header X: "),
    ],
)
def test_what_no_server_could_send_is_refused(arguments: dict[str, object], said: str) -> None:
    with pytest.raises(InputError) as refused:
        mock_http_response(**arguments)  # type: ignore[arg-type]  # wrong on purpose
    assert said in str(refused.value)
