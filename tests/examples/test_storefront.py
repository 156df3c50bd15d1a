"""The storefront runs as a program of its own, and its project file, suite and scripts fit it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from starlette.routing import Route

from storefront.http import make_app
from storefront.shop import open_shop
from understudy.testbed.models import Suite
from understudy.testbed.script_models import ScriptFile

ROOT = Path(__file__).parents[2] / "examples" / "storefront"
SCRIPTS = sorted((ROOT / "scripts").glob("*.yaml"))


@pytest.fixture(scope="module", name="client")
def _client(serve_shop: Callable[..., AbstractContextManager[str]]) -> Iterator[httpx.Client]:
    """A client of a shop that runs as a process of its own."""
    with serve_shop() as url, httpx.Client(base_url=url, trust_env=False) as client:
        yield client


def test_the_shop_is_healthy_once_it_says_where_it_is(client: httpx.Client) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}


def test_an_order_becomes_paid_by_itself(client: httpx.Client) -> None:
    token = client.post("/login", json={"customer": "grace"}).json()["token"]
    headers = {"Authorization": f"Bearer {token}"}
    lines = [{"sku": "honey-linden", "quantity": 1}]
    cart = client.post("/carts", json={"lines": lines}, headers=headers).json()["id"]
    order = client.post("/checkout", json={"cart": cart}, headers=headers)

    stream = client.get(f"{order.headers['location']}/events", headers=headers)

    assert order.json()["status"] == "pending"
    assert [line for line in stream.text.splitlines() if line.startswith("data:")] == [
        'data: {"id":1,"status":"pending"}',
        'data: {"id":1,"status":"paid"}',
    ]


def test_redirects_and_lists_work_over_a_socket(client: httpx.Client) -> None:
    moved = client.get("/old/items/8")
    listed = client.get("/search", params={"q": "glass", "size": 2}).json()
    following = client.get(listed["next"]).json()

    assert (moved.status_code, moved.headers["location"]) == (301, "/items/8")
    assert [item["id"] for item in listed["items"] + following["items"]] == [8, 12, 19]
    assert "next" not in following


def test_a_subscription_ends_by_itself_over_a_socket(client: httpx.Client) -> None:
    query = 'subscription { stockChanges(sku: "tea-mint") { stock } }'
    answer = client.get("/graphql", params={"query": query}, headers={"Accept": "text/event-stream"})

    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answer.text.endswith(
        'event: next\ndata: {"data":{"stockChanges":{"stock":36}}}\n\nevent: complete\ndata:\n\n'
    )


@pytest.mark.parametrize(
    ("arguments", "variables", "message"),
    [
        (["--bugs", "wrong-totals"], {}, "did you mean 'wrong-total'?"),
        ([], {"STOREFRONT_BUGS": "no-such-thing"}, "there is no bug named 'no-such-thing'"),
        (["--port", "99999"], {}, "cannot listen on 127.0.0.1:99999"),
    ],
)
def test_a_wrong_command_line_ends_with_code_2(
    arguments: list[str], variables: dict[str, str], message: str
) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "storefront", *arguments],
        cwd=ROOT,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=30,
    )

    assert ended.returncode == 2
    assert message in ended.stderr
    assert "Traceback" not in ended.stderr


def read_suite() -> Suite:
    """The suite, validated."""
    return Suite.model_validate(json.loads((ROOT / "suites" / "shop.suite.json").read_text(encoding="utf-8")))


def read_script(file: Path) -> dict[str, list[dict[str, Any]]]:
    """The entries of a script by protocol, as they are written."""
    script: dict[str, list[dict[str, Any]]] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return script


def test_the_suite_names_every_route_of_the_app_and_no_other() -> None:
    served = {
        (method, route.path)
        for route in make_app(open_shop()).routes
        if isinstance(route, Route)
        for method in (route.methods or set()) - {"HEAD"}
    }
    suite = read_suite()

    described = {(route.method, route.path) for route in suite.http.routes}
    endpoints = {
        (method, endpoint.path) for endpoint in suite.graphql.endpoints for method in ("GET", "POST")
    }

    assert suite.schema == "anvil.testbed.v1"
    assert described | endpoints == served


def test_the_cases_of_the_suite_are_plain() -> None:
    document = json.loads((ROOT / "suites" / "shop.suite.json").read_text(encoding="utf-8"))
    cases = [case for route in document["http"]["routes"] for case in route["cases"]]
    cases += [case for endpoint in document["graphql"]["endpoints"] for case in endpoint["cases"]]

    assert len(cases) >= 10
    assert {key for case in cases for key in case} == {"name", "input", "expect"}
    assert {key for case in cases for key in case["expect"]} <= {"status", "headers", "bodyContains"}


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: file.stem)
def test_a_script_fits_the_suite(file: Path) -> None:
    suite = read_suite()
    parameters = {route.operation: set(route.params) for route in suite.http.routes}
    script = ScriptFile.model_validate(read_script(file))
    cases = [*script.http, *script.graphql]
    names = [case.name for case in cases]

    assert cases
    assert len(set(names)) == len(names)
    assert {need for case in cases for need in case.needs} <= set(names)
    assert {endpoint.name for endpoint in suite.graphql.endpoints} >= {
        case.endpoint for case in script.graphql
    }
    for case in script.http:
        assert set(case.params) == parameters[case.operation], case.name


def test_no_two_scripts_capture_the_same_name() -> None:
    captured = [
        name
        for file in SCRIPTS
        for entries in read_script(file).values()
        for case in entries
        for name in case.get("capture", {})
    ]

    assert sorted(set(captured)) == sorted(captured)
    assert "token" not in captured


def test_the_scripts_use_every_extension() -> None:
    cases = [case for file in SCRIPTS for entries in read_script(file).values() for case in entries]
    used = {key for case in cases for key in (*case, *case.get("expect", {}))}

    assert used >= {"capture", "needs", "finally", "until", "failIf", "followRedirects", "timeoutMs", "tags"}
    assert used >= {"json", "schema", "latencyMs", "data", "errors", "headers", "streamContains", "locals"}


def test_the_project_file_starts_the_shop_and_finds_its_files() -> None:
    project = tomllib.loads((ROOT / "understudy.toml").read_text(encoding="utf-8"))
    start = shlex.split(project["app"]["start"])
    paths = {route.path for route in make_app(open_shop()).routes if isinstance(route, Route)}

    assert start == ["python", "-m", "storefront", "--port", "{port}"]
    assert {project["app"]["health"], project["testbed"]["login"]["path"]} <= paths
    assert sorted(path for pattern in project["testbed"]["scripts"] for path in ROOT.glob(pattern)) == SCRIPTS
    assert [path.name for pattern in project["testbed"]["suites"] for path in ROOT.glob(pattern)] == [
        "shop.suite.json"
    ]
    assert project["rules"] == {"dirs": ["policies"]}
    assert len(sorted(ROOT.glob("policies/*_*.star"))) == 5
