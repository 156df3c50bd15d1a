"""The face of the room: every promised name, and none of them at the cost of the others."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import understudy.testbed

FIXED = [
    "SCHEMA_V1",
    "REPORT_SCHEMA_V1",
    "Suite",
    "Report",
    "RunOptions",
    "run",
    "run_async",
    "run_http",
    "run_http_async",
    "Runner",
    "runner_func",
    "http_runner",
    "Simulator",
    "merge_reports",
    "marshal_suite_json",
    "marshal_report_json",
    "QueueBroker",
    "QueueBrokerOptions",
    "run_queue_broker",
    "run_queue_broker_async",
    "load_script",
    "load_scripts",
    "apply_scripts",
    "HTTPCase",
    "HTTPInput",
    "HTTPExpectation",
    "HTTPRunResult",
    "GraphQLInput",
    "GRPCInput",
    "QueueJobSuite",
    "QueueCase",
    "QueueExpectation",
    "QueueBrokerResult",
    "ReportSummary",
    "ScriptFile",
    "ScriptSource",
    "WebSocketRunner",
]


def python(program: str) -> str:
    command = [sys.executable, "-W", "error", "-c", program]
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout.strip()


@pytest.mark.parametrize("name", FIXED)
def test_every_fixed_name_is_exported_and_is_no_module(name: str) -> None:
    value = getattr(understudy.testbed, name)
    assert name in understudy.testbed.__all__
    assert type(value).__name__ != "module"


def test_what_checkers_see_what_is_imported_and_what_is_exported_are_one_list() -> None:
    source = ast.parse(Path(understudy.testbed.__file__).read_text(encoding="utf-8"))
    seen = {
        alias.name: (node.module or "").rsplit(".", 1)[-1]
        for node in ast.walk(source)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("understudy.testbed.")
        for alias in node.names
    }
    assert seen == understudy.testbed._HOME
    assert sorted(seen) == sorted(understudy.testbed.__all__)
    assert set(seen) <= set(dir(understudy.testbed))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'runn'"):
        understudy.testbed.runn  # noqa: B018  # the access is the test


def test_importing_the_room_imports_nothing_heavy() -> None:
    heavy = "{'pydantic', 'asyncio', 'yaml', 'pyreqwest', 'understudy.testbed.models'}"
    assert python(f"import sys, understudy.testbed; print({heavy} & set(sys.modules))") == "set()"


def test_importing_the_models_does_not_import_the_transport() -> None:
    heavy = "{'pyreqwest', 'jsonschema_rs', 'yaml', 'understudy.testbed.runner'}"
    assert (
        python(f"import sys; from understudy.testbed import Suite; print({heavy} & set(sys.modules))")
        == "set()"
    )


def test_no_module_of_the_room_is_named_like_an_export_which_it_would_hide() -> None:
    folder = Path(understudy.testbed.__file__).parent
    modules = {entry.stem for entry in folder.iterdir()}
    assert modules.isdisjoint(understudy.testbed.__all__)
