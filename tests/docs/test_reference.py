"""The reference is complete and names nothing that does not exist: options, exit codes, keys of files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import click
import pytest
from pydantic import BaseModel

from understudy.cli.exits import ExitCode
from understudy.cli.main import command
from understudy.project import settings as project
from understudy.rules.mutation.mutant import KINDS
from understudy.rules.settings import CheckSettings, RulesSettings
from understudy.simulation.agents.settings import (
    AgentsSettings,
    AnswerSettings,
    ExpectSettings,
    ScenarioSettings,
)
from understudy.simulation.replay.settings import (
    ExploreSettings,
    ImposeSettings,
    PipelineSettings,
    ReplaySettings,
)
from understudy.testbed.settings import LoginSettings, TestbedSettings

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


def page(name: str) -> str:
    return (REFERENCE / name).read_text(encoding="utf-8")


def code_in(text: str) -> Iterator[str]:
    """Every word that a page writes as code."""
    for span in re.findall(r"`([^`\n]+)`", text):
        yield from re.split(r"[ ,]+", span)


def commands(group: click.Group, path: str = "") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        child = group.get_command(context, name)
        assert child is not None
        if isinstance(child, click.Group):
            yield from commands(child, f"{path}{name} ")
        else:
            yield path + name, child


def test_the_command_line_page_names_every_command_and_every_option_and_no_other() -> None:
    text = page("command-line.md")
    words = {word for word in code_in(text) if re.fullmatch(r"--?[a-z][a-z-]*", word)}
    options = {"--version", "--help"}
    for name, child in commands(command):
        assert f"`understudy {name}" in text
        options |= {
            spelling
            for option in child.params
            if isinstance(option, click.Option)
            for spelling in option.opts
        }
    assert words == options


def test_the_exit_codes_page_lists_every_code_and_no_other() -> None:
    listed = [int(code) for code in re.findall(r"^\| (\d+) \|", page("exit-codes.md"), flags=re.MULTILINE)]
    assert listed == [code.value for code in ExitCode]


@pytest.mark.parametrize(
    "model",
    [
        project.ProjectSettings,
        project.AppSettings,
        project.EnvironmentSettings,
        project.TlsSettings,
        project.KnownSettings,
        project.StoreSettings,
        TestbedSettings,
        LoginSettings,
        ReplaySettings,
        PipelineSettings,
        ImposeSettings,
        ExploreSettings,
        AgentsSettings,
        ScenarioSettings,
        ExpectSettings,
        AnswerSettings,
        RulesSettings,
        CheckSettings,
    ],
    ids=lambda model: model.__name__,
)
def test_the_project_file_page_names_every_key(model: type[BaseModel]) -> None:
    words = {part for word in code_in(page("project-file.md")) for part in re.findall(r"[a-z_]+", word)}
    assert set(model.model_fields) <= words


def test_the_rule_tests_page_names_every_builtin_and_every_kind_of_change() -> None:
    text = page("rule-tests.md")
    prelude = resources.files("understudy.rules.starlark").joinpath("prelude.star").read_text("utf-8")
    library = resources.files("understudy.rules.starlark").joinpath("checks.star").read_text("utf-8")
    builtins = re.findall(r"^def ([a-z]\w*)\(", prelude + library, flags=re.MULTILINE)
    checks = re.search(r"^check = struct\((.*)\)$", prelude, flags=re.MULTILINE)
    assert checks is not None
    for name in (*builtins, "read_file", "txtar", "eval", *re.findall(r"(\w+) = ", checks[1])):
        assert re.search(rf"\b{name}\(", text), name
    arguments = re.search(r"^def __eval_ours\((.*)\):$", prelude, flags=re.MULTILINE)
    assert arguments is not None
    assert f"`eval({', '.join(word.partition(' ')[0] for word in arguments[1].split(', '))})`" in text
    assert [kind for kind in KINDS if f"`{kind}`" not in text] == []
