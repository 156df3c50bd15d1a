"""Beyond the document: assertions by path, captures, needs, finally, until, failIf, retry, redirects, locals."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from testbed.recording_server import Answer, RecordingServer, Seen
from understudy.core.errors import InputError
from understudy.testbed import HTTPRunResult, Report, RunOptions, Suite, run, run_async
from understudy.wire.messages import Response


def route(operation: str, path: str, *cases: dict[str, Any], method: str = "GET") -> dict[str, Any]:
    return {"operation": operation, "method": method, "path": path, "cases": list(cases)}


def suite_of(*routes: dict[str, Any]) -> Suite:
    return Suite.model_validate({"schema": "anvil.testbed.v1", "http": {"routes": list(routes)}})


def ran(server: RecordingServer, *routes: dict[str, Any], **options: Any) -> Report:
    return run(suite_of(*routes), RunOptions(base_url=server.url, **options))


def one(server: RecordingServer, answer: Any, **case: Any) -> HTTPRunResult:
    server.answers["/x"] = answer
    return ran(server, route("x", "/x", case)).http[0]


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
def test_a_path_that_cannot_be_read_makes_the_case_an_error_not_a_crash(
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


def test_needs_orders_cases_and_skips_those_whose_needs_did_not_pass(server: RecordingServer) -> None:
    server.answers["/x"] = lambda seen: Answer({}, 500 if "bad" in seen.query else 200)
    report = ran(
        server,
        route(
            "x",
            "/x",
            {"name": "third", "needs": ["second"], "input": {"query": {"n": 3}}},
            {"name": "second", "needs": ["first"], "input": {"query": {"bad": 1}}},
            {"name": "first", "input": {"query": {"n": 1}}},
        ),
    )
    assert [(r.case, r.passed, r.skipped) for r in report.http] == [
        ("third", False, True),
        ("second", False, False),
        ("first", True, False),
    ]
    assert report.http[0].error == "needs 'second', which failed"
    assert [list(seen.query) for seen in server.seen] == [["n"], ["bad"]]


@pytest.mark.parametrize(
    ("cases", "says"),
    [
        ([{"name": "a", "needs": ["b"]}, {"name": "b", "needs": ["a"]}], "circle"),
        ([{"name": "log in"}, {"name": "b", "needs": ["log on"]}], "did you mean 'log in'"),
        ([{"name": "a"}, {"name": "a"}, {"name": "b", "needs": ["a"]}], "2 cases are called"),
        ([{"name": "a", "needs": ["a"]}], "itself"),
    ],
)
def test_needs_that_cannot_be_met_are_wrong_input_before_any_request(
    server: RecordingServer, cases: list[dict[str, Any]], says: str
) -> None:
    with pytest.raises(InputError, match=says):
        ran(server, route("x", "/x", *cases))
    assert server.seen == []


def test_finally_cases_run_last_and_whatever_failed(server: RecordingServer) -> None:
    server.answers["/x"] = lambda seen: Answer({"id": 1}, 500 if "fail" in seen.query else 200)
    cleanup = {"name": "clean", "finally": True, "input": {"query": {"clean": "${id}"}}}
    report = ran(
        server,
        route(
            "x",
            "/x",
            cleanup,
            {"name": "make", "capture": {"id": "$.id"}},
            {"name": "use", "needs": ["make"], "input": {"query": {"fail": "${id}"}}},
        ),
    )
    assert [(r.case, r.passed) for r in report.http] == [("clean", True), ("make", True), ("use", False)]
    assert [list(seen.query) for seen in server.seen] == [[], ["fail"], ["clean"]]


def test_a_finally_case_without_ties_runs_after_everything_else(server: RecordingServer) -> None:
    server.answers["/x"] = Answer()
    ran(
        server,
        route("x", "/x", {"finally": True, "input": {"query": {"last": 1}}}, {"name": "a"}, {"name": "b"}),
        concurrency=4,
    )
    assert list(server.seen[-1].query) == ["last"]


def test_a_finally_case_whose_value_was_never_captured_is_skipped_and_says_so(
    server: RecordingServer,
) -> None:
    report = ran(
        server,
        route(
            "x",
            "/gone",
            {"name": "make", "capture": {"id": "$.id"}},
            {"name": "clean", "finally": True, "input": {"query": {"i": "${id}"}}},
        ),
    )
    assert report.http[1].skipped
    assert "${id} was not captured" in report.http[1].error


def test_finally_cases_run_even_when_the_run_is_cancelled(server: RecordingServer) -> None:
    server.answers["/x"] = Answer({"id": 1})
    hanging = asyncio.Event()

    async def transport(request: Any) -> Any:
        seen.append(request.url)
        if "hang" in request.url:
            hanging.set()
            await asyncio.Event().wait()
        return Response(200, (), b'{"id": 1}')

    seen: list[str] = []
    suite = suite_of(
        route(
            "x",
            "/x",
            {"name": "make", "capture": {"id": "$.id"}},
            {"name": "use", "input": {"query": {"hang": "${id}"}}},
            {"name": "clean", "finally": True, "input": {"query": {"clean": "${id}"}}},
        )
    )

    async def interrupt() -> None:
        task = asyncio.ensure_future(run_async(suite, RunOptions(base_url="http://h", client=transport)))
        await hanging.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(interrupt())
    assert seen[-1] == "http://h/x?clean=1"


def test_until_asks_again_until_it_holds(server: RecordingServer) -> None:
    server.answers["/x"] = [
        Answer({"state": "new"}, 404),
        Answer({"state": "busy"}),
        Answer({"state": "done"}),
    ]
    until = {"status": 200, "json": {"state": "done"}, "attempts": 9, "delayMs": 1}
    result = one(server, server.answers["/x"], until=until, expect={"status": 200}, capture={"s": "state"})
    assert result.passed, result
    assert len(server.seen) == 3
    assert result.notes == ["asked 3 of at most 9 times (until)"]


def test_until_gives_up_after_its_attempts_and_shows_the_last_answer(server: RecordingServer) -> None:
    until = {"json": {"state": "done"}, "attempts": 3, "delayMs": 0}
    result = one(server, Answer({"state": "busy"}), until=until)
    assert len(server.seen) == 3
    assert result.failures == ['until did not hold within 3 tries: body at state is "busy", expected "done"']


def test_fail_if_ends_it_at_once(server: RecordingServer) -> None:
    until = {"json": {"state": "done"}, "attempts": 9, "delayMs": 0}
    result = one(server, Answer({"state": "declined"}), until=until, failIf={"json": {"state": "declined"}})
    assert len(server.seen) == 1
    assert "failIf holds" in result.failures[0]


def test_fail_if_alone_is_an_assertion(server: RecordingServer) -> None:
    condition = {"bodyContains": ["password"]}
    assert not one(server, Answer({"password": "x"}), failIf=condition).passed
    assert one(server, Answer({"name": "x"}), failIf=condition).passed


def test_nothing_is_retried_unless_a_case_asks(server: RecordingServer) -> None:
    assert not one(server, [Answer({}, 500), Answer({})]).passed
    assert len(server.seen) == 1


def test_retry_tries_a_failed_case_again_and_says_so(server: RecordingServer) -> None:
    result = one(
        server, [Answer({}, 500), Answer({})], retry={"attempts": 3, "delayMs": 0}, expect={"status": 200}
    )
    assert result.passed
    assert result.notes == ["passed on try 2 of 3 (retry)"]


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


def test_a_case_can_have_a_time_limit_of_its_own(server: RecordingServer) -> None:
    release = threading.Event()

    def wait(seen: Seen) -> Answer:
        release.wait(5)
        return Answer()

    result = one(server, wait, timeoutMs=100)
    release.set()
    assert "0.1 s" in result.error


def test_groups_run_side_by_side_but_each_in_its_own_order(server: RecordingServer) -> None:
    server.answers["/x"] = lambda seen: Answer({"id": seen.query["n"][0]})
    cases: list[dict[str, Any]] = []
    for n in range(6):
        cases.append({"name": f"make {n}", "capture": {f"id{n}": "$.id"}, "input": {"query": {"n": n}}})
        cases.append({"name": f"use {n}", "input": {"query": {"n": f"${{id{n}}}", "use": 1}}})
    report = ran(server, route("x", "/x", *cases), concurrency=4)
    assert report.summary.passed == 12
    for n in range(6):
        order = ["use" in seen.query for seen in server.seen if seen.query["n"] == [str(n)]]
        assert order == [False, True]
    assert [result.case for result in report.http] == [case["name"] for case in cases]
