"""Beyond the document: what a response's JSON and headers are judged by."""

from __future__ import annotations

import re
from typing import Any

import pytest

from testbed.one_route import one, ran, route
from testbed.recording_server import Answer, RecordingServer

DOCUMENT = {
    "items": [{"id": 1, "name": "tea", "price": 2.5}, {"id": 2, "name": "cup", "price": 7}],
    "next": None,
}


@pytest.mark.parametrize(
    "json",
    [
        {"$.items[0].name": "tea"},
        {"items[1].id": 2},
        {"items.1.id": 2},
        {"/items/1/name": "cup"},
        {"$.items[*].id": [1, 2]},
        {"$.items[?@.price > 3].name": ["cup"]},
        {"$.items": {"length": 2, "type": "array", "contains": {"id": 2, "name": "cup", "price": 7}}},
        {"items[0]": {"equals": {"id": 1, "name": "tea", "price": 2.5}}},
        {"items[0].name": {"matches": "^t", "contains": "ea", "notEquals": "cup", "type": "string"}},
        {"items[0].price": {"greaterThan": 2, "lessThan": 3, "type": "number"}},
        {"items[1].price": {"type": "integer"}},
        {"next": None},
        {"next": {"type": "null", "exists": True}},
        {"gone": {"exists": False}},
        {"items[0]": {"schema": {"type": "object", "required": ["id"]}}},
    ],
)
def test_json_expectations_that_hold(server: RecordingServer, json: dict[str, Any]) -> None:
    assert one(server, Answer(DOCUMENT), expect={"json": json}).failures == []


@pytest.mark.parametrize(
    ("json", "says"),
    [
        ({"items[0].name": "cup"}, 'body at items[0].name is "tea", expected "cup"'),
        ({"items[0].nam": "tea"}, "did you mean 'name'?"),
        ({"items[7].name": "tea"}, "is a list of 2"),
        ({"items": {"length": 3}}, "has length 2, expected 3"),
        ({"items[0].id": True}, "is 1, expected true"),
        ({"items[0].price": {"type": "integer"}}, "is of type number, expected integer"),
        ({"items[0].name": {"matches": "^c"}}, "does not match '^c'"),
        ({"next": {"exists": False}}, "must not be there"),
        ({"items": {"contains": {"id": 3}}}, "has no item"),
        ({"items[0].name": {"greaterThan": 1}}, "expected more than 1"),
        ({"items[0]": {"schema": {"required": ["stock"]}}}, '"stock" is a required property'),
    ],
)
def test_json_expectations_that_do_not_hold(server: RecordingServer, json: dict[str, Any], says: str) -> None:
    (failure,) = one(server, Answer(DOCUMENT), expect={"json": json}).failures
    assert says in failure


@pytest.mark.parametrize("path", ["$.items[", "items[x", "a..b", "$x"])
def test_a_path_that_cannot_be_read_is_refused_before_anything_is_sent(
    server: RecordingServer, path: str
) -> None:
    for asked in ({"expect": {"json": {path: 1}}}, {"capture": {"x": path}}, {"until": {"json": {path: 1}}}):
        with pytest.raises(ValueError, match=re.escape(repr(path)) + " is no (JSONP|p)ath"):
            one(server, Answer(DOCUMENT), **asked)
    assert server.seen == []


@pytest.mark.parametrize("path", ["$.items[${n}", "items[${n}", "a..${n}", "$x${n}"])
def test_a_path_with_a_value_that_cannot_be_read_makes_the_case_an_error_not_a_crash(
    server: RecordingServer, path: str
) -> None:
    result = one(server, Answer(DOCUMENT), expect={"json": {path: 1}})
    assert not result.passed
    assert "path" in (result.error.lower() + " ".join(result.failures).lower())


def test_a_body_that_is_no_json_says_so_once(server: RecordingServer) -> None:
    result = one(server, Answer("<html>"), expect={"json": {"a": 1, "b": 2}, "schema": {"type": "object"}})
    assert len(result.failures) == 1
    assert "the body is no JSON" in result.failures[0]


def test_a_schema_never_reaches_the_network(server: RecordingServer) -> None:
    result = one(server, Answer({}), expect={"schema": {"$ref": f"{server.url}/schema.json"}})
    assert "cannot be used" in result.error
    assert [seen.path for seen in server.seen] == ["/x"]


CONTAINING = {"list": [{"id": 1, "tags": ["a"]}, 7], "object": {"id": 1, "name": "tea"}, "text": "5 true"}


@pytest.mark.parametrize(
    ("path", "wanted", "holds"),
    [
        ("list", 7, True),
        ("list", 1, False),
        ("list", {"id": 1}, True),
        ("list", {"id": 1, "tags": ["a"]}, True),
        ("list", {"id": 2}, False),
        ("list", {}, False),
        ("list", ["a"], False),
        ("object", {"id": 1}, True),
        ("object", {"id": True}, False),
        ("object", "name", True),
        ("object", ["id", "name"], True),
        ("object", ["id", "price"], False),
        ("object", 1, False),
        ("object", [["id"]], False),
        ("text", 5, True),
        ("text", True, True),
        ("text", None, False),
    ],
)
def test_contains_asks_for_an_item_some_entries_keys_or_a_part_of_a_text(
    server: RecordingServer, path: str, wanted: Any, holds: bool
) -> None:
    result = one(server, Answer(CONTAINING), expect={"json": {path: {"contains": wanted}}})
    assert (result.passed, len(result.failures), result.error) == (holds, 0 if holds else 1, "")


@pytest.mark.parametrize(
    ("expected", "holds"),
    [
        ({"X-Number": 7}, True),
        ({"X-Number": 7.0}, True),
        ({"X-Number": 8}, False),
        ({"X-Flag": True}, True),
        ({"X-Flag": False}, False),
        ({"X-None": None}, True),
        ({"X-Flag": None}, False),
        ({"X-Empty": None}, False),
        ({"X-Empty": ""}, True),
        ({"X-None": ""}, False),
        ({"X-None": {"exists": False}}, True),
        ({"x-number": {"matches": "^[0-9]$"}}, True),
    ],
)
def test_header_expectations_take_numbers_flags_and_null_for_no_such_header(
    server: RecordingServer, expected: dict[str, Any], holds: bool
) -> None:
    answer = Answer(headers={"X-Number": "7", "X-Flag": "true", "X-Empty": ""})
    assert one(server, answer, expect={"headers": expected}).passed is holds


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b'{"a": NaN}', "NaN is no number in JSON"),
        (b'{"a": -Infinity}', "-Infinity is no number in JSON"),
        (b'{"a": "\xff"}', "not valid UTF-8 from byte 7 on"),
        (b"[" + b"9" * 5000 + b"]", "no JSON: it has a number of more than 4,300 digits"),
        (b"", "the body is empty"),
        (b'{"a": 1', "the body is no JSON"),
        (b'{"a":' * 5000 + b"1" + b"}" * 5000, "nested too deeply"),
    ],
)
def test_what_is_no_json_is_one_failure_that_says_why(
    server: RecordingServer, body: bytes, says: str
) -> None:
    result = one(server, Answer(body), expect={"status": 200, "json": {"a": 1}, "schema": {"type": "object"}})
    assert len(result.failures) == 1
    assert says in result.failures[0]


def test_a_byte_order_mark_and_a_replacement_character_of_its_own_are_no_harm(
    server: RecordingServer,
) -> None:
    body = "\ufeff" + '{"a": "\ufffd"}'
    assert one(server, Answer(body.encode()), expect={"json": {"a": "\ufffd"}}).passed


@pytest.mark.parametrize("depth", [150, 400, 900, 980])
@pytest.mark.parametrize(
    "expect",
    [
        {"json": {"$..b": [1]}},
        {"json": {"$": {"a": 1}}},
        {"json": {"$": {"contains": {"a": 2}}}},
        {"json": {"$": {"matches": "zzz"}}},
        {"schema": {"type": "string"}},
    ],
)
def test_deeply_nested_json_costs_only_its_own_case(
    server: RecordingServer, depth: int, expect: dict[str, Any]
) -> None:
    server.answers["/deep"] = Answer(b'{"a":' * depth + b"1" + b"}" * depth)
    server.answers["/x"] = Answer()
    first, second = ran(server, route("deep", "/deep", {"expect": expect}), route("x", "/x", {})).http
    assert first.error or first.failures
    assert second.passed


def test_json_as_deep_as_it_can_be_read_can_also_be_judged_or_is_an_error(server: RecordingServer) -> None:
    depths = range(900, 1000, 2)
    for depth in depths:
        server.answers[f"/{depth}"] = Answer(b'{"a":' * depth + b"1" + b"}" * depth)
    expect = {"json": {"$": {"matches": "zzz"}, "$.b": {"exists": True}}}
    results = ran(server, *(route("x", f"/{depth}", {"expect": expect}) for depth in depths)).http
    assert len(results) == len(depths)
    assert all(result.error or result.failures for result in results)


def test_half_of_a_surrogate_pair_in_a_response_makes_messages_that_utf8_can_write(
    server: RecordingServer,
) -> None:
    (failure,) = one(server, Answer(b'{"a": "\\ud800"}'), expect={"json": {"a": "x"}}).failures
    assert failure.encode() == b'body at a is "\\ud800", expected "x"'


def test_of_a_schema_violated_everywhere_only_the_first_places_are_told(server: RecordingServer) -> None:
    failures = one(server, Answer([1] * 10_000), expect={"schema": {"items": {"type": "string"}}}).failures
    assert len(failures) == 51
    assert failures[0] == 'body violates its schema at $[0]: 1 is not of type "string"'
    assert failures[-1] == "body violates its schema at more than 50 places"
