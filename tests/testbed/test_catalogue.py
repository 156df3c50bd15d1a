"""What a project's suites and scripts hold: the cases of all protocols, in order, each with an id and a place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from testbed.recording_server import Answer, RecordingServer
from understudy.cli.main import invoke
from understudy.core.errors import InputError
from understudy.testbed import parse_report_json
from understudy.testbed.catalogue import Catalogue, read_catalogue
from understudy.testbed.settings import TestbedSettings

SUITE: dict[str, Any] = {
    "schema": "anvil.testbed.v1",
    "http": {
        "routes": [
            {"operation": "home", "method": "GET", "path": "/home", "cases": [{"name": "own"}]},
            {"operation": "feed", "method": "GET", "path": "/feed", "websocket": True},
        ]
    },
    "graphql": {
        "endpoints": [
            {"name": "shop", "path": "/graphql", "cases": [{"name": "own", "input": {"query": "{a}"}}]}
        ]
    },
    "grpc": {
        "services": [{"name": "shop.Inventory", "methods": [{"name": "Get", "cases": [{"name": "own"}]}]}]
    },
    "queue": {"jobs": [{"queue": "orders", "job": "ship", "cases": [{"name": "own"}]}]},
}
SCRIPT = """
queue: [{queue: orders, job: ship, name: scripted}]
grpc: [{service: shop.Inventory, method: Get, name: scripted, tags: slow}]
graphql: [{endpoint: /graphql, name: scripted, query: "{b}"}]
websocket: [{operation: feed, name: scripted}]
http: [{operation: home, name: scripted}]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "suite.json").write_text(json.dumps(SUITE), "utf-8")
    (tmp_path / "script.yaml").write_text(SCRIPT, "utf-8")
    return tmp_path


def catalogue_of(folder: Path, **settings: Any) -> Catalogue:
    given = {"suites": ["suite.json"], "scripts": ["script.yaml"], **settings}
    return read_catalogue(folder, TestbedSettings(**given))


def ids(catalogue: Catalogue) -> list[str]:
    return [case.id.removeprefix("testbed::") for unit in catalogue.units for case in unit.cases]


def test_cases_of_every_protocol_are_found_http_first_and_scripted_ones_behind_the_suites_own(
    folder: Path,
) -> None:
    assert ids(catalogue_of(folder)) == [
        "script.yaml::http/home/scripted",
        "script.yaml::websocket/feed/scripted",
        "suite.json::graphql/shop/own",
        "script.yaml::graphql/shop/scripted",
        "suite.json::grpc/shop.Inventory/Get/own",
        "script.yaml::grpc/shop.Inventory/Get/scripted",
        "suite.json::queue/orders/ship/own",
        "script.yaml::queue/orders/ship/scripted",
    ]
    assert ids(catalogue_of(folder, include_generated=True))[0] == "suite.json::http/home/own"


def test_equal_names_of_several_files_are_numbered_and_stay_apart(folder: Path) -> None:
    (folder / "more.json").write_text(json.dumps(SUITE), "utf-8")
    found = ids(catalogue_of(folder, suites=["suite.json", "more.json"], scripts=[]))
    assert len(set(found)) == len(found) == 8
    assert "more.json::queue/orders/ship/own" in found


def test_scripts_refer_to_services_and_queues_of_any_suite_file(folder: Path) -> None:
    parts = {"a.json": ("grpc",), "b.json": ("queue", "graphql"), "c.json": ("http",)}
    for name, keys in parts.items():
        part = {key: SUITE[key] for key in ("schema", *keys)}
        (folder / name).write_text(json.dumps(part), "utf-8")
    assert len(ids(catalogue_of(folder, suites=["[abc].json"]))) == 8


def test_a_reference_to_what_no_suite_has_is_one_problem_at_its_place(folder: Path) -> None:
    (folder / "script.yaml").write_text("queue:\n  - {queue: ordres, job: ship}\n", "utf-8")
    with pytest.raises(InputError, match="unknown queue 'ordres'") as caught:
        catalogue_of(folder)
    (problem,) = caught.value.problems
    assert (problem.line, problem.column, problem.hint) == (2, 13, "did you mean 'orders'?")


def test_cases_that_no_runner_is_here_for_are_skipped_and_never_vanish(
    folder: Path, server: RecordingServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answers["/home"] = Answer()
    server.answers["/graphql"] = Answer({"data": {}})
    files = [str(folder / "suite.json"), "--script", str(folder / "script.yaml")]
    where = ["--base-url", server.url, "--report", str(folder / "v1.json")]
    assert invoke(["testbed", "run", *files, *where]) == 0
    out = capsys.readouterr().out
    for reason in ("grpc cases require a grpc runner", "queue cases require a queue runner"):
        assert f"2 cases: {reason}" in out
    report = parse_report_json((folder / "v1.json").read_text("utf-8"))
    assert (report.summary.total, report.summary.passed, report.summary.skipped) == (8, 3, 5)
    assert [(r.service, r.method, r.case, r.skipped) for r in report.grpc] == [
        ("shop.Inventory", "Get", "own", True),
        ("shop.Inventory", "Get", "scripted", True),
    ]
    assert [(r.queue, r.job, r.case, r.error) for r in report.queue] == [
        ("orders", "ship", "own", "queue cases require a queue runner"),
        ("orders", "ship", "scripted", "queue cases require a queue runner"),
    ]


def test_a_response_that_utf8_cannot_write_leaves_every_report_whole(
    folder: Path, server: RecordingServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answers["/home"] = Answer(b'{"a": "\\ud800", "deep": ' + b"[" * 800 + b"]" * 800 + b"}")
    case = {"name": "odd", "expect": {"json": {"$.a": "x", "$.deep": 1, "$": {"equals": {"b": 1}}}}}
    route = {"operation": "home", "method": "GET", "path": "/home", "cases": [case]}
    suite = {"schema": "anvil.testbed.v1", "http": {"routes": [route]}}
    (folder / "odd.json").write_text(json.dumps(suite), "utf-8")
    reports = {kind: folder / f"r.{kind}" for kind in ("json", "junit", "html", "report")}
    options = [word for kind, file in reports.items() for word in (f"--{kind}", str(file))]
    code = invoke(["testbed", "run", str(folder / "odd.json"), "--base-url", server.url, *options])
    captured = capsys.readouterr()
    assert (code, "Traceback" in captured.out + captured.err) == (1, False)
    assert "body at $.a is" in captured.out
    for file in reports.values():
        assert file.read_text("utf-8")
    (outcome,) = json.loads(reports["json"].read_text("utf-8"))["outcomes"]
    assert (outcome["status"], len(outcome["failures"])) == ("failed", 3)
    merged = ["merge", str(reports["json"]), "--json", str(folder / "merged.json")]
    assert invoke(merged) == 1, capsys.readouterr()
