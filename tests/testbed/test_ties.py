"""Beyond the document: `needs`, captures and `finally` say which cases belong together, and in which order."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from testbed.one_route import ran, route, suite_of
from testbed.recording_server import Answer, RecordingServer
from understudy.core.errors import InputError
from understudy.testbed import RunOptions, Suite, run, run_async
from understudy.wire.messages import Response


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
        ([{"name": "a", "needs": ["a"]}], r"itself \(name a case"),
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
        await asyncio.wait_for(hanging.wait(), 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(interrupt())
    assert seen[-1] == "http://h/x?clean=1"


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


def order(server: RecordingServer) -> list[str]:
    """The `n` of every request, as they came."""
    return [seen.query["n"][0] for seen in server.seen]


def numbered(n: str, **case: Any) -> dict[str, Any]:
    return {"name": n, "input": {"query": {"n": n}}, **case}


def test_cases_that_are_tied_do_not_jump_the_queue_of_the_suite(server: RecordingServer) -> None:
    server.answers["/x"] = Answer({"id": 1})
    use = {"name": "3", "input": {"query": {"n": "3", "id": "${id}"}}}
    cases = [numbered("1", capture={"id": "$.id"}), numbered("2"), use, numbered("4")]
    ran(server, route("x", "/x", *cases))
    assert order(server) == ["1", "2", "3", "4"]


def test_needs_delay_a_case_and_a_finally_case_comes_when_those_it_is_tied_to_are_done(
    server: RecordingServer,
) -> None:
    server.answers["/x"] = Answer()
    cases = [
        numbered("tidy", needs=["make"], **{"finally": True}),
        numbered("use", needs=["make"]),
        numbered("other"),
        numbered("make"),
        numbered("check that it is tidy"),
    ]
    ran(server, route("x", "/x", *cases))
    assert order(server) == ["other", "make", "use", "tidy", "check that it is tidy"]


def test_http_cases_run_before_graphql_cases_also_when_some_are_tied(server: RecordingServer) -> None:
    server.answers["/x"] = Answer({"id": 1})
    server.answers["/graphql"] = Answer({"data": {}})
    suite = suite_of(
        route("x", "/x", {"name": "make", "capture": {"id": "$.id"}}, {"name": "other"}, {"name": "another"})
    )
    case = {"name": "ask", "needs": ["x/other"], "input": {"query": "{a}", "variables": {"id": "${id}"}}}
    graphql = {"endpoints": [{"name": "shop", "path": "/graphql", "cases": [case]}]}
    suite.graphql = Suite.model_validate({"graphql": graphql}).graphql
    report = run(suite, RunOptions(base_url=server.url))
    assert [seen.path for seen in server.seen] == ["/x", "/x", "/x", "/graphql"]
    assert report.graphql[0].passed
    assert server.seen[3].json["variables"] == {"id": 1}


def test_needs_take_one_name_as_a_text_and_the_operation_before_the_name(server: RecordingServer) -> None:
    server.answers["/a"] = server.answers["/b"] = Answer()
    report = ran(
        server,
        route("b", "/b", {"name": "same", "needs": "a/same"}),
        route("a", "/a", {"name": "same"}),
    )
    assert report.summary.passed == 2
    assert [seen.path for seen in server.seen] == ["/a", "/b"]


def test_every_circle_and_every_unknown_name_is_told_at_once_and_only_the_circle_is_named(
    server: RecordingServer,
) -> None:
    cases = [
        {"name": "a", "needs": ["b"]},
        {"name": "b", "needs": ["c"]},
        {"name": "c", "needs": ["b"]},
        {"name": "d", "needs": ["e"]},
        {"name": "e", "needs": ["d"]},
        {"name": "f", "needs": ["gone"]},
    ]
    with pytest.raises(InputError) as caught:
        ran(server, route("x", "/x", *cases))
    messages = [problem.message for problem in caught.value.problems]
    assert messages == [
        "case 'f' needs 'gone', which is no case",
        "these cases need each other in a circle: 'b', 'c'",
        "these cases need each other in a circle: 'd', 'e'",
    ]


def test_thousands_of_cases_in_one_chain_are_ordered_in_no_time(server: RecordingServer) -> None:
    calls: list[str] = []

    def client(request: Any) -> Response:
        calls.append(request.url)
        return Response(200, (), b"{}")

    last = 3000
    cases = [numbered(str(n), needs=[str(n + 1)]) if n < last else numbered(str(n)) for n in range(last + 1)]
    report = run(suite_of(route("x", "/x", *cases)), RunOptions(base_url="http://h", client=client))
    assert report.summary.passed == last + 1
    assert calls[0].endswith(f"n={last}")
    assert calls[-1].endswith("n=0")


def test_on_cancellation_only_the_finally_cases_of_begun_groups_run() -> None:
    seen: list[str] = []
    hanging = asyncio.Event()

    async def client(request: Any) -> Response:
        seen.append(request.url.rpartition("=")[2])
        if "hang" in request.url:
            hanging.set()
            await asyncio.Event().wait()
        return Response(200, (), b"{}")

    cases = [
        numbered("first"),
        numbered("second"),
        numbered("hang", needs=["first"]),
        numbered("after", needs=["second"]),
        numbered("later"),
        numbered("needs later", needs=["later"]),
        numbered("tidy first", needs=["first"], **{"finally": True}),
        numbered("tidy second", needs=["second"], **{"finally": True}),
        numbered("tidy later", needs=["later"], **{"finally": True}),
        numbered("always", **{"finally": True}),
    ]
    suite = suite_of(route("x", "/x", *cases))

    async def interrupt() -> None:
        task = asyncio.ensure_future(run_async(suite, RunOptions(base_url="http://h", client=client)))
        await asyncio.wait_for(hanging.wait(), 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(interrupt())
    assert seen[:3] == ["first", "second", "hang"]
    assert sorted(seen[3:]) == ["always", "tidy+first", "tidy+second"]
