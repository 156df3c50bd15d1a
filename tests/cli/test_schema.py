"""`understudy schema`: schemas that editors can use, which accept our files and refuse wrong keys."""

from __future__ import annotations

import copy
import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml

from cli.command import Command
from testbed.recording_server import RecordingServer
from understudy.cli.schemas import SCHEMAS, make_schema
from understudy.documents.yaml import load_go_yaml

EXAMPLES = Path(__file__).parents[2] / "examples"
STOREFRONT = EXAMPLES / "storefront"
THIRD_PARTY = Path(__file__).parents[1] / "thirdparty"
Refuses = Callable[[Any], list[str]]


def refusals(name: str, data: Any) -> list[str]:
    validator = jsonschema_rs.Draft202012Validator(make_schema(name))
    return [error.message for error in validator.iter_errors(data)]


def project_file() -> dict[str, Any]:
    return tomllib.loads((STOREFRONT / "understudy.toml").read_text())


def suite() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((STOREFRONT / "suites" / "shop.suite.json").read_text())
    return loaded


def scripts() -> list[dict[str, Any]]:
    return [yaml.safe_load(file.read_text()) for file in sorted((STOREFRONT / "scripts").glob("*.yaml"))]


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_schema_is_valid_2020_12(name: str) -> None:
    schema = make_schema(name)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert jsonschema_rs.meta.is_valid(schema)
    references = [line for line in json.dumps(schema).split('"') if line.startswith("#/$defs/")]
    assert {reference.removeprefix("#/$defs/") for reference in references} <= set(schema.get("$defs", {}))


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_key_that_a_user_writes_is_described_or_typed(name: str) -> None:
    schema = make_schema(name)
    for model in [schema, *schema.get("$defs", {}).values()]:
        for key, value in model.get("properties", {}).items():
            assert value, f"{name}: nothing is said of {key}"


def test_the_storefront_is_accepted() -> None:
    assert refusals("project", project_file()) == []
    assert refusals("suite", suite()) == []
    assert scripts()
    assert [refusals("script", script) for script in scripts()] == [[]] * len(scripts())


def files_of_rules(kind: str) -> dict[str, dict[str, Any]]:
    """The YAML files of a type in all examples."""
    found = {}
    for file in sorted(EXAMPLES.rglob("*.yaml")):
        data = load_go_yaml(file.name, text=file.read_text()).data
        if isinstance(data, dict) and data.get("type") == kind:
            found[file.relative_to(EXAMPLES).as_posix()] = data
    return found


@pytest.mark.parametrize(("kind", "count"), [("rule-type", 15), ("data-source", 5)])
def test_the_rules_and_data_sources_of_the_examples_are_accepted(kind: str, count: int) -> None:
    found = files_of_rules(kind)
    assert len(found) >= count
    assert {file: refusals(kind, data) for file, data in found.items()} == {file: [] for file in found}


RULE = {
    "type": "rule-type",
    "name": "a",
    "def": {"ingest": {"type": "rest", "rest": {"endpoint": "/a"}}, "eval": {"type": "jq"}},
}
SOURCE = {"type": "data-source", "name": "a", "rest": {"def": {"ask": {"endpoint": "https://a.test/"}}}}
PROFILE = {"type": "profile", "name": "a", "pull_request": [{"type": "b", "def": {"c": 1}}]}


@pytest.mark.parametrize(
    ("kind", "data", "path", "value"),
    [
        ("rule-type", RULE, ("def", "ingest", "type"), "guess"),
        ("rule-type", RULE, ("def", "ingest", "rest", "endpiont"), "/a"),
        ("rule-type", RULE, ("def", "in_entity"), "repo"),
        (
            "rule-type",
            RULE,
            ("def", "remediate"),
            {"type": "rest", "rest": {"endpoint": "/a", "verb": "PUT"}},
        ),
        ("rule-type", RULE, ("def", "alert"), {"type": "siren"}),
        ("rule-type", RULE, ("def", "eval", "rego"), {"type": "constraint"}),
        ("data-source", SOURCE, ("rest", "def", "ask", "verb"), "PUT"),
        ("data-source", SOURCE, ("rest", "def", "ask", "fallback"), [{"http_code": "404"}]),
        ("profile", PROFILE, ("pull_request", 0, "define"), {}),
        ("profile", PROFILE, ("pullRequests",), []),
    ],
)
def test_what_is_wrong_in_a_file_of_the_rules_is_refused(
    kind: str, data: dict[str, Any], path: tuple[Any, ...], value: Any
) -> None:
    assert refusals(kind, data) == []
    changed = copy.deepcopy(data)
    at: Any = changed
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    assert refusals(kind, changed) != []


def test_a_key_may_be_spelled_in_every_way_that_is_read() -> None:
    ask = {
        "endpoint": "https://a.test/",
        "inputSchema": {},
        "fallback": [{"httpCode": 404}, {"http_status": 410}],
    }
    assert refusals("data-source", {**SOURCE, "rest": {"providerAuth": True, "def": {"ask": ask}}}) == []
    assert refusals("profile", {"type": "profile", "name": "a", "displayName": "A", "pullRequest": []}) == []


@pytest.mark.parametrize(
    "table",
    [(), ("app",), ("environments", "local"), ("testbed",), ("testbed", "login"), ("rules",), ("agents",)],
)
def test_a_wrong_key_in_the_project_file_is_refused(table: tuple[str, ...]) -> None:
    data = project_file()
    at = data
    for step in table:
        at = at[step]
    at["worng"] = 1
    assert any("worng" in message for message in refusals("project", data))


def test_a_wrong_type_in_the_project_file_is_refused() -> None:
    assert refusals("project", {**project_file(), "app": {"start": 5}})
    assert refusals("project", {**project_file(), "environments": {"x": {"headers": {"A": {"env": ""}}}}})
    assert not refusals(
        "project", {**project_file(), "environments": {"x": {"headers": {"A": {"env": "A"}}}}}
    )


def test_a_wrong_key_in_a_script_is_refused_but_kept_in_a_suite() -> None:
    script = scripts()[0]
    next(iter(script.values()))[0]["worng"] = 1
    assert any("worng" in message for message in refusals("script", script))
    assert refusals("script", {"worng": []})
    kept = suite()
    kept["http"]["routes"][0]["worng"] = 1
    assert refusals("suite", kept) == []


def test_a_wrong_type_or_schema_id_in_a_suite_is_refused() -> None:
    assert refusals("suite", {**suite(), "schema": "anvil.testbed.v2"})
    assert refusals("suite", {**suite(), "http": {"routes": 3}})


def test_the_reports_of_a_run_are_accepted_and_others_refused(
    command: Command, server: RecordingServer, here: Path
) -> None:
    (here / "s.json").write_text(json.dumps(suite()))
    arguments = ["--base-url", server.url, "--json", "r.json", "--report", "v1.json", "-k", "http"]
    assert command("testbed", "run", "s.json", *arguments).code == 1
    report, v1_report = (json.loads((here / name).read_text()) for name in ("r.json", "v1.json"))
    assert report["outcomes"]
    assert v1_report["http"]
    assert refusals("report", report) == []
    assert refusals("report-v1", v1_report) == []
    report["outcomes"][0]["status"] = "maybe"
    assert refusals("report", report)
    v1_report["summary"]["total"] = "many"
    assert refusals("report-v1", v1_report)


def test_the_table_of_a_third_party_act_is_in_the_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(THIRD_PARTY))
    assert refusals("project", {"tiny": {"units": [["a"]]}}) == []
    assert refusals("project", {"tiny": {"unitz": []}})


def test_without_a_name_all_are_listed(command: Command) -> None:
    done = command("schema")
    assert [line.split()[0] for line in done.out.splitlines()] == list(SCHEMAS)


def test_with_a_name_it_is_printed(command: Command) -> None:
    done = command("schema", "script")
    assert (done.code, json.loads(done.out)) == (0, make_schema("script"))


def test_all_are_written_into_a_folder(command: Command, here: Path) -> None:
    done = command("schema", "--out", "deep/down")
    assert done.code == 0
    files = sorted(here.glob("deep/down/*"))
    assert [file.name for file in files] == sorted(f"{name}.schema.json" for name in SCHEMAS)
    assert json.loads((here / "deep/down/suite.schema.json").read_text()) == make_schema("suite")
    assert sorted(done.out.split()) == [str(file.relative_to(here)) for file in files]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sute"], "no schema is called 'sute' (did you mean 'suite'?)"),
        (
            ["zebra"],
            f"no schema is called 'zebra' (there are {', '.join(SCHEMAS)})",
        ),
        (["--out", "file"], "file: the folder cannot be made: File exists"),
        (["--out", "file/below"], "file/below: the folder cannot be made: Not a directory"),
    ],
)
def test_what_cannot_be_written_is_one_problem(
    command: Command, here: Path, arguments: list[str], message: str
) -> None:
    (here / "file").touch()
    done = command("schema", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: {message}")
    assert len(done.err.splitlines()) == 1
