"""Beyond the document: values captured from one case, or given to the run, stand in others as `${name}`."""

from __future__ import annotations

from typing import Any

from testbed.one_route import one, ran, route, suite_of
from testbed.recording_server import Answer, RecordingServer
from understudy.testbed import RunOptions, run


def test_captured_values_reach_later_cases_with_their_type(server: RecordingServer) -> None:
    server.answers["/orders"] = Answer(
        {"id": 7, "lines": [1, 2]}, 201, {"Location": "/orders/7", "Set-Cookie": "sid=s1; Path=/"}
    )
    server.answers["/orders/7"] = Answer()
    create = {
        "name": "create",
        "capture": {
            "id": "$.id",
            "lines": "lines",
            "where": "header:location",
            "sid": "cookie:sid",
            "code": "status",
            "first": 'regex:"id": (\\d)',
            "all": {"json": "$.lines[*]"},
        },
    }
    body = {
        "id": "${id}",
        "lines": "${lines}",
        "text": "order ${id} is ${code}",
        "all": "${all}",
        "first": "${first}",
    }
    use = {
        "name": "use",
        "input": {
            "params": {"id": "${id}"},
            "body": body,
            "headers": {"Cookie": "sid=${sid}", "X-Where": "${where}"},
        },
    }
    report = ran(
        server,
        route("create", "/orders", create, method="POST"),
        route("use", "/orders/{id}", use, method="PUT"),
    )
    assert report.summary.passed == 2, report.http
    seen = server.seen[1]
    assert seen.json == {"id": 7, "lines": [1, 2], "text": "order 7 is 201", "all": [1, 2], "first": "7"}
    assert (seen.headers["cookie"], seen.headers["x-where"]) == ("sid=s1", "/orders/7")


def test_a_plain_suite_sends_dollar_braces_as_they_are(server: RecordingServer) -> None:
    one(server, Answer(), input={"headers": {"X-Template": "${name} and $${other}"}})
    assert server.seen[0].headers["x-template"] == "${name} and $${other}"


def test_an_unknown_name_is_an_error_where_names_are_in_use(server: RecordingServer) -> None:
    server.answers["/x"] = Answer({"id": 1})
    report = ran(
        server,
        route(
            "x",
            "/x",
            {"name": "a", "capture": {"order": "$.id"}},
            {"name": "b", "input": {"query": {"q": "${ordr}"}}},
        ),
        variables={"region": "eu"},
    )
    assert "${ordr} has no value" in report.http[1].error
    assert "$${ordr}" in report.http[1].error


def test_two_dollars_stand_for_one_where_names_are_in_use(server: RecordingServer) -> None:
    server.answers["/x"] = Answer()
    ran(server, route("x", "/x", {"input": {"headers": {"X-A": "$${a} ${b}"}}}), variables={"b": "B"})
    assert server.seen[0].headers["x-a"] == "${a} B"


def test_locals_change_nothing_on_the_wire_but_can_be_referred_to(server: RecordingServer) -> None:
    one(
        server,
        Answer(),
        input={"locals": {"who": "ada", "n": 3}, "query": {"q": "${locals.who}-${locals.n}", "raw": "${x}"}},
    )
    assert server.seen[0].query == {"q": ["ada-3"], "raw": ["${x}"]}


def test_what_is_captured_and_cannot_be_is_a_failure_with_a_hint(server: RecordingServer) -> None:
    result = one(
        server, Answer({"token": "t"}), capture={"a": "$.tokn", "b": "header:X-No", "c": "cookie:sid"}
    )
    assert [failure.partition(":")[0] for failure in result.failures] == [
        f"cannot capture '{name}'" for name in "abc"
    ]
    assert "keys token" in result.failures[0]


VALUES: dict[str, Any] = {
    "null": None,
    "no": False,
    "zero": 0,
    "empty": "",
    "object": {"type": "tea", "equals": 1},
    "list": [{}],
}


def test_captured_null_false_zero_and_objects_are_values_like_any_other(server: RecordingServer) -> None:
    server.answers["/x"] = Answer(VALUES)
    expected = {f"$.{name}": f"${{{name}}}" for name in VALUES}
    body = {name: f"${{{name}}}" for name in VALUES}
    report = ran(
        server,
        route(
            "x",
            "/x",
            {"name": "make", "capture": {name: f"$.{name}" for name in VALUES}},
            {"name": "use", "input": {"body": body}, "expect": {"json": expected}},
            method="POST",
        ),
    )
    assert [result.error or result.failures for result in report.http] == [[], []]
    assert server.seen[1].json == VALUES


def test_a_captured_value_is_compared_and_not_only_put_in(server: RecordingServer) -> None:
    server.answers["/x"] = [Answer({"o": {"type": "tea"}}), Answer({"o": {"type": "cup"}})]
    report = ran(
        server,
        route(
            "x",
            "/x",
            {"name": "make", "capture": {"o": "$.o"}},
            {"name": "use", "expect": {"json": {"$.o": "${o}"}}},
        ),
    )
    assert "expected {" in report.http[1].failures[0]


def test_values_stand_in_until_fail_if_headers_texts_and_paths_of_expectations(
    server: RecordingServer,
) -> None:
    server.answers["/x"] = Answer({"ids": [4, 5], "state": "done"}, headers={"X-Place": "1"})
    report = ran(
        server,
        route(
            "x",
            "/x",
            {"name": "make", "capture": {"place": "header:X-Place", "id": "$.ids[1]", "state": "state"}},
            {
                "name": "use",
                "expect": {
                    "json": {"$.ids[${place}]": "${id}"},
                    "headers": {"X-Place": "${place}"},
                    "bodyContains": ['"state": "${state}"'],
                },
                "until": {"json": {"state": "${state}"}, "attempts": 2, "delayMs": 0},
                "failIf": {"json": {"state": {"notEquals": "${state}"}}},
            },
        ),
    )
    assert [result.error or result.failures for result in report.http] == [[], []]


def test_a_null_value_is_no_path_parameter_and_leaves_a_query_key_out(server: RecordingServer) -> None:
    server.answers["/x"] = Answer({"next": None})
    report = ran(
        server,
        route("x", "/x", {"name": "make", "capture": {"next": "$.next"}}),
        route("page", "/x", {"input": {"query": {"after": "${next}"}}}),
        route("item", "/x/{id}", {"input": {"params": {"id": "${next}"}}}),
    )
    assert server.seen[1].target == "/x"
    assert report.http[2].error == "path parameter 'id' of /x/{id} is null: give it a value under params"


def test_a_value_that_does_not_fit_says_where_it_was_put_in(server: RecordingServer) -> None:
    server.answers["/x"] = Answer({"text": "long"})
    report = ran(
        server,
        route(
            "x",
            "/x",
            {"name": "make", "capture": {"text": "$.text"}},
            {"name": "use", "expect": {"json": {"$.items": {"length": "${text}"}}}},
        ),
    )
    error = report.http[1].error
    assert error.startswith("once its values are put in, the case is wrong at expect.json.$.items:")
    assert "pydantic" not in error


def test_what_a_case_captures_itself_is_for_other_cases(server: RecordingServer) -> None:
    result = one(server, Answer({"id": 1}), capture={"id": "$.id"}, expect={"json": {"$.id": "${id}"}})
    assert result.error == "${id} is captured by this very case: only other cases can use it"


def test_values_reach_what_the_owner_of_a_suite_added_in_place(server: RecordingServer) -> None:
    suite = suite_of(route("x", "/x/{id}", {"name": "made", "expect": {}}))
    case = suite.http.routes[0].cases[0]
    case.input.params["id"] = "${id}"
    case.input.query["q"] = ["${id}", "b"]
    case.expect.body_contains.append("${id}")
    server.answers["/x/5"] = Answer({"id": 5})
    report = run(suite, RunOptions(base_url=server.url, variables={"id": 5}))
    assert report.http[0].passed, report.http[0]
    assert server.seen[0].target == "/x/5?q=5&q=b"
    assert case.input.params == {"id": "${id}"}


def test_a_text_stays_a_text_and_a_body_becomes_what_was_captured(server: RecordingServer) -> None:
    order = {"id": 7, "lines": []}
    server.answers["/x"] = Answer(order)
    make = {"name": "make", "capture": {"id": "$.id", "order": "$", "lines": "$.lines"}}
    use = [
        {"input": {"body": f"${{{name}}}"}, "expect": {"bodyContains": ["${id}"]}}
        for name in ("order", "lines", "id")
    ]
    report = ran(server, route("x", "/x", make, *use, method="POST"))
    assert [result.error or result.failures for result in report.http] == [[]] * 4
    sent = [(seen.body, seen.headers.get("content-type")) for seen in server.seen[1:]]
    assert sent == [
        (b'{"id":7,"lines":[]}', "application/json"),
        (b"[]", "application/json"),
        (b"7", None),
    ]
