"""What a bad server costs: one clear error each, the other cases run, and memory and time stay bounded."""

from __future__ import annotations

import subprocess
import sys
import time
import tracemalloc
from typing import Any

import pytest

from testbed.one_route import route, suite_of
from understudy.testbed import Report, RunOptions, Suite, run
from understudy.wire.messages import Response
from wire.hostile import HostileServer

ERRORS = {
    "/half": "closed the connection before the whole body had come: 10 of 100 bytes came",
    "/half-nothing": "closed the connection before the whole body had come",
    "/half-chunked": "closed the connection before the whole body had come",
    "/half-large": "500000 of 1000000 bytes came",
    "/silent": "closed the connection before a response had come",
    "/reset": "closed the connection before a response had come",
    "/garbage": "is not HTTP/1.1",
    "/bad-gzip": "cannot be unpacked as its Content-Encoding says",
    "/many-headers": "too many headers",
    "/huge-header": "too many headers or too long ones",
    "/loop": "stopped after 10 redirects",
    "/hang": "no whole response within 0.3 s",
    "/stall": "only 10 of 100 bytes of the body",
}
HANG = ("/hang", "/stall")
CUT = ("/endless", "/endless-plain", "/bomb")
FINE = ("/short-length", "/odd-headers", "/anything")


def suite_for(*paths: str) -> Suite:
    """A case for each path: those that never end have little time, the others as much as a busy machine needs."""
    return suite_of(
        *(
            route(
                path,
                path,
                {"name": path, "expect": {"status": 200}, "timeoutMs": 300 if path in HANG else 60_000},
            )
            for path in paths
        )
    )


def ran(server: HostileServer, *paths: str, **options: Any) -> Report:
    return run(suite_for(*paths), RunOptions(base_url=server.base_url, **options))


@pytest.mark.parametrize("concurrency", [1, 8])
def test_each_bad_answer_costs_one_errored_case_and_the_others_still_run(concurrency: int) -> None:
    paths = [path for pair in zip(ERRORS, [*FINE, *CUT] * 3, strict=False) for path in pair]
    with HostileServer() as server:
        report = ran(server, *paths, concurrency=concurrency)
    assert [result.case for result in report.http] == paths
    for result in report.http:
        assert (result.passed, result.failures) == (result.case not in ERRORS, []), result
        assert ERRORS.get(result.case, "") in result.error
        assert bool(result.error) is (result.case in ERRORS)
        assert bool(result.notes) is (result.case in CUT)


def test_a_refused_connection_is_said_of_every_case() -> None:
    report = run(suite_for("/a", "/b"), RunOptions(base_url="http://127.0.0.1:1", concurrency=2))
    assert all("connection refused by 127.0.0.1:1" in result.error for result in report.http)
    assert report.summary.failed == 2


def test_a_hanging_server_costs_its_time_limit_and_no_more() -> None:
    with HostileServer() as server:
        began = time.monotonic()
        report = ran(server, *HANG, "/anything")
    assert [result.passed for result in report.http] == [False, False, True]
    assert 0.6 <= time.monotonic() - began < 30


def test_endless_bodies_and_bombs_take_no_memory_beyond_the_limit() -> None:
    with HostileServer() as server:
        script = f"""
import resource
from testbed.test_hostile_servers import suite_for
from understudy.testbed import RunOptions, run
options = RunOptions(base_url={server.base_url!r}, concurrency=4)
run(suite_for("/anything"), options)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
report = run(suite_for(*["/endless", "/endless-plain", "/bomb"] * 20), options)
assert report.summary.passed == 60, report
assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 60_000
"""
        child = subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert (child.returncode, child.stderr) == (0, "")


def test_tied_cases_do_not_keep_the_responses_of_those_before_them() -> None:
    def client(request: Any) -> Response:
        return Response(200, (), bytes(1 << 20))

    cases: list[dict[str, Any]] = [
        {"name": "first"},
        *({"name": str(n), "needs": ["first"]} for n in range(60)),
    ]
    suite = suite_of(route("x", "/x", *cases))
    tracemalloc.start()
    try:
        report = run(suite, RunOptions(base_url="http://h", client=client))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert report.summary.passed == 61
    assert peak < 20 << 20


def test_an_invalid_utf8_body_is_searched_as_text_with_its_bad_bytes_replaced() -> None:
    def client(request: Any) -> Response:
        return Response(200, (), b"caf\xe9 ol\xc3\xa9")

    suite = suite_of(route("x", "/x", {"expect": {"bodyContains": ["olé", "caf�"]}}))
    assert run(suite, RunOptions(base_url="http://h", client=client)).http[0].passed
