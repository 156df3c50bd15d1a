"""Bodies of answers are read as Minder reads them, bounded, and what cannot be read is told."""

from __future__ import annotations

import re
from typing import Any

import pytest

from understudy.rules.web_body import UnreadableBody, read_body


@pytest.mark.parametrize(
    ("body", "parse", "value"),
    [
        (b'{"a": [1, 2.5, null]}', "json", {"a": [1, 2.5, None]}),
        (b" \n\t7", "json", 7),
        (b'{"a": 1}{"b": 2}', "json", {"a": 1}),  # Go's decoder stops behind the first value
        (b"404 page not found\n", "json", 404),
        (b'{"a": 1, "a": 2}', "json", {"a": 2}),
        (b'["\\ud800", "\\ud83d\\ude00"]', "json", ["\ufffd", "\U0001f600"]),
        (b'["' + b"[" * 500 + b'"]', "json", ["[" * 500]),
        (b"plain \xff", "", "plain \ufffd"),
        (b'{"a": 1}', "", '{"a": 1}'),
        (b"", "", ""),
    ],
)
def test_a_body_is_read_as_minder_reads_it(body: bytes, parse: str, value: Any) -> None:
    assert read_body(body, parse) == value


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "the body is empty, and JSON is expected"),
        (b" \n ", "the body is empty, and JSON is expected"),
        (b"<html>", 'the body is not JSON: Expecting value in "<html>"'),
        (b'{"a": ', "the body is not JSON: Expecting value"),
        (b"NaN", "the body is not JSON: NaN is no JSON value"),
        (b"[" * 100_000, "the body is nested more than 200 levels deep"),
        (b'{"a":' * 300 + b"1" + b"}" * 300, "the body is nested more than 200 levels deep"),
        (b'"' + b"x" * (1 << 20) + b'"', "the body has 1,048,578 bytes, and at most 1,048,576 are read"),
        (b"1" * 5_000, "the body is not JSON"),
    ],
)
def test_a_body_that_is_no_json_is_told(body: bytes, message: str) -> None:
    with pytest.raises(UnreadableBody, match=re.escape(message)):
        read_body(body, "json")
