"""The `[agents]` table: every key is checked, and a scenario that could not fail is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from understudy.core.errors import InputError
from understudy.documents.toml import load_toml
from understudy.documents.validate import validate
from understudy.project.project import load_project
from understudy.simulation.agents.catalogue import read_catalogue
from understudy.simulation.agents.settings import AgentsSettings

SCENARIO = """\
[agents]
[[agents.scenarios]]
name = "a"
agent = "shop:agent"
"""
EXPECTS = """\
[[agents.scenarios.expect]]
action = "enrich"
status = "approved"
"""


def problem(tmp_path: Path, text: str) -> str:
    (tmp_path / "understudy.toml").write_text(text)
    with pytest.raises(InputError) as wrong:
        load_project(tmp_path)
    return "\n".join(str(each) for each in wrong.value.problems)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[agents]\n", "1:2: 'scenarios' is missing"),
        ("[agents]\nscenarios = []\n", "2:13: 'scenarios' must"),
        ("[agents]\nscenaros = []\n", "2:1: unknown key 'scenaros' (did you mean 'scenarios'?)"),
        (SCENARIO, "expects nothing, so that it could not fail: write expect, never_runs or returns"),
        (SCENARIO + "trust_level = 'root'\n" + EXPECTS, "'trust_level' must be"),
        (SCENARIO.replace("shop:agent", "shop.agent") + EXPECTS, "must read module:function"),
        (SCENARIO + "timeout = 0\n" + EXPECTS, "'timeout' must be more than 0"),
        (SCENARIO + "max_calls_per_window = -1\n" + EXPECTS, "'max_calls_per_window' must be at least 0"),
        (
            SCENARIO + EXPECTS.replace("enrich", "enrihc"),
            "unknown action type \"enrihc\" (did you mean 'enrich'?)",
        ),
        (SCENARIO + EXPECTS.replace("approved", "aproved"), "'status' must be"),
        (SCENARIO + EXPECTS + "times = -1\n", "'times' must be at least 0"),
        (SCENARIO + EXPECTS + "statsu = 'denied'\n", "unknown key 'statsu' (did you mean 'status'?)"),
        (SCENARIO + "overrides = {clerk = {exprot = true}}\n" + EXPECTS, "did you mean 'export'?"),
        (SCENARIO + "overrides = {clerk = {export = 'yes'}}\n" + EXPECTS, "'export' must be"),
        (SCENARIO + "reviews = {exprot = 'reject'}\n" + EXPECTS, "did you mean 'export'?"),
        (SCENARIO + "reviews = {export = 'maybe'}\n" + EXPECTS, "must be 'approve', 'reject' or 'expire'"),
        (SCENARIO + "other_actions = 'no'\n" + EXPECTS, "'other_actions' must be true or false"),
        (SCENARIO + EXPECTS + "times = true\n", "'times' must be a whole number"),
        (SCENARIO + "reviews = {export = {answer = 'approve', after = -1}}\n" + EXPECTS, "'after' must be"),
        (
            SCENARIO + "reviews = {export = {answer = 'approve', reviewer = ' '}}\n" + EXPECTS,
            "reviewer's name",
        ),
        (SCENARIO + "action_types = {Refund = []}\n" + EXPECTS, "is no name for an action type"),
        (SCENARIO + "action_types = {export = []}\n" + EXPECTS, "is known already"),
        (SCENARIO + "action_types = {refund = ['root']}\n" + EXPECTS, "must be"),
    ],
)
def test_what_is_wrong_in_the_table_is_told_with_its_place(text: str, expected: str, tmp_path: Path) -> None:
    said = problem(tmp_path, text)

    assert expected in said
    assert str(tmp_path / "understudy.toml") in said


def catalogue_problem(tmp_path: Path, text: str) -> str:
    settings = validate(AgentsSettings, load_toml("understudy.toml", text=text), ("agents",))
    with pytest.raises(InputError) as wrong:
        read_catalogue(tmp_path, settings)
    return str(wrong.value)


def test_agents_that_are_not_there_are_told_together_before_anything_runs(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text("def agnet(harness): ...\n")
    (tmp_path / "broken.py").write_text("def agent(:\n")
    scenarios = [
        SCENARIO.partition("\n")[2].replace("shop", module) + EXPECTS for module in ("shop", "shpo", "broken")
    ]

    said = catalogue_problem(tmp_path, "[agents]\n" + "".join(scenarios))

    assert "shop.py: has no 'agent', which 'shop:agent' names (did you mean 'agnet'?)" in said
    assert "no module 'shpo' for 'shpo:agent' (did you mean 'shop'?)" in said
    assert "broken.py:1: is no Python" in said


@pytest.mark.parametrize("folder", ["missing", "../outside", "understudy.toml"])
def test_a_path_that_is_no_folder_of_the_project_is_refused(folder: str, tmp_path: Path) -> None:
    text = SCENARIO.replace("[agents]\n", f"[agents]\npath = ['{folder}']\n", 1) + EXPECTS

    assert folder in catalogue_problem(tmp_path, text)


def test_equal_names_are_numbered_and_agents_found_by_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text("\n\ndef agent(harness): ...\n")
    scenario = SCENARIO.partition("\n")[2] + EXPECTS
    settings = validate(
        AgentsSettings, load_toml("understudy.toml", text="[agents]\n" + 2 * scenario), ("agents",)
    )

    units = [declared.unit for declared in read_catalogue(tmp_path, settings).values()]

    assert [unit.id for unit in units] == ["agents::shop.py::a", "agents::shop.py::a#2"]
    assert [str(unit.cases[0].location) for unit in units] == ["shop.py:3", "shop.py:3"]
