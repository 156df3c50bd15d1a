"""A worker process gets the same acts with the same units, from a project file or from the command line."""

from __future__ import annotations

import json
import pickle
from importlib import import_module
from pathlib import Path

import pytest

from understudy.engine.act import Act
from understudy.engine.plan import discover
from understudy.project.project import Project, load_project
from understudy.project.single import single_act_project
from understudy.project.workers import workshop

SUITE = {
    "schema": "anvil.testbed.v1",
    "http": {"routes": [{"operation": "a", "method": "GET", "path": "/", "cases": [{"name": "one"}]}]},
}


@pytest.fixture(autouse=True)
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s[1].json").write_text(json.dumps(SUITE))


def acts_in_a_worker(project: Project) -> dict[str, Act]:
    """What the worker's end does with what came over the pickled channel."""
    arrived = pickle.loads(pickle.dumps(workshop(project)))
    module, _, name = arrived.loader.partition(":")
    return dict(getattr(import_module(module), name)(**arrived.arguments))


def check(project: Project) -> None:
    units = discover(project.acts.values(), project)
    acts = acts_in_a_worker(project)
    assert len(units) == 1
    assert acts["testbed"].discover(project) == units


def test_of_a_project_file() -> None:
    Path("understudy.toml").write_text('[testbed]\nsuites = ["*.json"]\n')
    check(load_project())


def test_of_the_command_line() -> None:
    settings = {"suites": ["s[1].json"], "scripts": []}
    check(single_act_project("testbed", settings, ["s[1].json"], "http://127.0.0.1:1", 7))
