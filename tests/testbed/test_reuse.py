"""A suite is its owner's: it is run again and again, from anywhere, changed in between, and never changed by a run."""

from __future__ import annotations

import asyncio
import copy
import json
import threading
from typing import Any

import pytest

from testbed.one_route import route, suite_of
from testbed.recording_server import Answer, RecordingServer, Seen
from understudy.testbed import (
    GraphQLCase,
    HTTPCase,
    HTTPExpectation,
    HTTPInput,
    HTTPRouteSuite,
    RunOptions,
    Suite,
    marshal_suite_json,
    run,
    run_async,
)

RAW: dict[str, Any] = {
    "schema": "anvil.testbed.v1",
    "x-owner": {"team": ["a"]},
    "http": {
        "extra": 1,
        "routes": [
            {
                "operation": "o",
                "method": "GET",
                "path": "/x",
                "vendor": {"k": 1},
                "cases": [
                    {"name": "make", "capture": {"id": "$.n"}, "input": {"query": {"n": 5}, "odd": True}},
                    {
                        "name": "use",
                        "needs": ["o/make"],
                        "input": {"query": {"n": "${id}"}},
                        "expect": {"json": {"$.n": "${id}"}, "note": 2},
                    },
                    {"name": "clean", "finally": True, "needs": ["use"]},
                ],
            }
        ],
    },
    "graphql": {
        "endpoints": [
            {
                "name": "g",
                "path": "/x",
                "cases": [
                    {"name": "q", "needs": ["o/use"], "input": {"query": "{a}", "variables": {"i": "${id}"}}}
                ],
            }
        ]
    },
}


@pytest.fixture
def suite(server: RecordingServer) -> Suite:
    def echo(seen: Seen) -> Answer:
        return Answer({"n": int(seen.query.get("n", ["0"])[0])})

    server.answers["/x"] = echo
    return Suite.model_validate(copy.deepcopy(RAW))


def test_a_suite_with_unknown_keys_is_the_same_after_runs_as_before(
    server: RecordingServer, suite: Suite
) -> None:
    for concurrency in (1, 4):
        report = run(suite, RunOptions(base_url=server.url, concurrency=concurrency))
        assert report.summary.passed == 4, report
    assert json.loads(marshal_suite_json(suite)) == RAW


def test_the_owner_may_change_inputs_between_runs(server: RecordingServer, suite: Suite) -> None:
    options = RunOptions(base_url=server.url)
    run(suite, options)
    suite.http.routes[0].cases[0].input.query["n"] = 9
    suite.http.routes[0].cases[1].expect.json_["$.n"] = 10
    report = run(suite, options)
    assert [seen.query.get("n") for seen in server.seen[4:6]] == [["9"], ["9"]]
    assert report.http[1].failures == ["body at $.n is 9, expected 10"]


def test_a_suite_that_python_code_put_together_runs_like_one_that_was_read(server: RecordingServer) -> None:
    server.answers["/items/2"] = Answer({"id": 2})
    suite = Suite()
    suite.http.routes.append(HTTPRouteSuite(operation="getItem", method="GET", path="/items/{id}"))
    case = HTTPCase(
        name="second",
        input=HTTPInput(params={"id": 1}),
        expect=HTTPExpectation(status=200, json_={"$.id": 2}),
    )
    suite.http.routes[0].cases.append(case)
    suite.http.routes[0].cases[0].input.params["id"] = 2
    assert run(suite, RunOptions(base_url=server.url)).http[0].passed
    assert GraphQLCase().input.variables == {}


def test_one_suite_runs_in_many_threads_at_once(server: RecordingServer, suite: Suite) -> None:
    passed: list[int] = []

    def work() -> None:
        for _ in range(5):
            passed.append(run(suite, RunOptions(base_url=server.url, concurrency=2)).summary.passed)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert passed == [4] * 40


def test_one_suite_runs_side_by_side_in_a_loop_and_from_its_threads(
    server: RecordingServer, suite: Suite
) -> None:
    options = RunOptions(base_url=server.url)

    async def everywhere() -> list[int]:
        awaited = await asyncio.gather(*(run_async(suite, options) for _ in range(4)))
        threaded = await asyncio.gather(*(asyncio.to_thread(run, suite, options) for _ in range(4)))
        return [report.summary.passed for report in (*awaited, *threaded, run(suite, options))]

    assert asyncio.run(everywhere()) == [4] * 9


def test_hundreds_of_cases_may_have_the_same_name_or_none(server: RecordingServer) -> None:
    server.answers["/x"] = Answer()
    cases = [{"name": "same"} for _ in range(150)] + [{} for _ in range(150)]
    report = run(suite_of(route("x", "/x", *cases)), RunOptions(base_url=server.url, concurrency=16))
    assert report.summary.passed == 300
    assert [result.case for result in report.http] == ["same"] * 150 + [""] * 150


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"base_url": None}, "must have a scheme and a host"),
        ({"base_url": "http://ann:secret@"}, "must have a scheme and a host"),
        ({"base_url": "http://h?a=1"}, "query or a fragment"),
        ({"base_url": "http://h ost"}, "must have a scheme and a host"),
        ({"base_url": " http://h"}, "must have a scheme and a host"),
        ({"base_url": "http://h\n"}, "must have a scheme and a host"),
        ({"timeout": None}, "timeout is None"),
        ({"timeout": 0}, "timeout is 0"),
        ({"timeout": True}, "timeout is True"),
        ({"max_response_bytes": 1.5}, "max_response_bytes is 1.5"),
        ({"max_response_bytes": "1"}, "max_response_bytes is '1'"),
        ({"concurrency": "2"}, "concurrency is '2'"),
        ({"concurrency": 0}, "concurrency is 0"),
        ({"client": object()}, "no HTTP client that can be used"),
    ],
)
def test_options_that_make_no_sense_are_refused_before_any_request(
    server: RecordingServer, suite: Suite, options: dict[str, Any], says: str
) -> None:
    with pytest.raises(ValueError, match=says) as caught:
        run(suite, RunOptions(**{"base_url": server.url, **options}))
    assert "secret" not in str(caught.value)
    assert server.seen == []


@pytest.mark.parametrize(("suite", "options"), [({}, RunOptions()), (None, RunOptions()), (Suite(), None)])
def test_what_is_no_suite_or_no_options_is_refused(suite: Any, options: Any) -> None:
    with pytest.raises(ValueError, match="run takes"):
        run(suite, options)
