"""Suites of a route or two in one line, run against the recording server."""

from __future__ import annotations

from typing import Any

from testbed.recording_server import RecordingServer
from understudy.testbed import HTTPRunResult, Report, RunOptions, Suite, run


def route(operation: str, path: str, *cases: dict[str, Any], method: str = "GET") -> dict[str, Any]:
    return {"operation": operation, "method": method, "path": path, "cases": list(cases)}


def suite_of(*routes: dict[str, Any]) -> Suite:
    return Suite.model_validate({"schema": "anvil.testbed.v1", "http": {"routes": list(routes)}})


def ran(server: RecordingServer, *routes: dict[str, Any], **options: Any) -> Report:
    return run(suite_of(*routes), RunOptions(base_url=server.url, **options))


def one(server: RecordingServer, answer: Any, **case: Any) -> HTTPRunResult:
    server.answers["/x"] = answer
    return ran(server, route("x", "/x", case)).http[0]
