"""The command itself: help that can be read, names that were misspelt, and a quick start."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import click
import pytest

from cli.command import UNDERSTUDY, Command, suite_of, understudy
from testbed.recording_server import Answer, RecordingServer
from understudy import __version__
from understudy.cli.main import COMMANDS
from understudy.cli.main import command as root
from unmeasured import unmeasured

THIRD_PARTY = Path(__file__).parents[1] / "thirdparty"
HEAVY = ("pydantic", "asyncio", "yaml", "rich", "pyreqwest", "jsonschema_rs", "sqlite3")


def paths(group: click.Group = root, before: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Every command and group, as words."""
    found = [before]
    context = click.Context(group)
    for name in group.list_commands(context):
        child = group.get_command(context, name)
        found += paths(child, (*before, name)) if isinstance(child, click.Group) else [(*before, name)]
    return found


@pytest.mark.parametrize("path", paths(), ids=" ".join)
def test_help_can_be_read(command: Command, path: tuple[str, ...]) -> None:
    done = command(*path, "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out == command(*path, "-h").out
    lines = done.out.splitlines()
    assert lines[0].startswith(" ".join(["Usage: understudy", *path, ""]))
    assert lines[2].startswith("  ")
    assert lines[2].endswith((".", ",")) or len(lines[2]) > 60
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("path", [path for path in paths() if path], ids=" ".join)
def test_every_option_and_command_says_what_it_does(path: tuple[str, ...]) -> None:
    found: click.Command | None = root
    for name in path:
        assert isinstance(found, click.Group)
        found = found.get_command(click.Context(found), name)
    assert found is not None
    assert found.get_short_help_str()
    for parameter in found.params:
        assert not isinstance(parameter, click.Option) or (parameter.help or "").endswith("."), parameter.name


def test_the_list_of_commands_has_a_line_each(command: Command) -> None:
    out = command("--help").out
    for name, (_, text) in COMMANDS.items():
        assert f"  {name} " in out
        assert text in out
        assert text.endswith(".")


def test_no_command_at_all_shows_the_help(command: Command) -> None:
    done = command()
    assert done.code == 2
    assert "Commands:" in done.text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rnu"], "no command is called 'rnu'; did you mean 'run'?"),
        (["zzz"], f"no command is called 'zzz'; there are {', '.join(COMMANDS)}"),
        (["testbed", "rnu"], "no command is called 'rnu'; did you mean 'run'?"),
        (["run", "--lst"], "--list"),
    ],
    ids=str,
)
def test_a_misspelt_name_is_told_the_nearest(command: Command, arguments: list[str], message: str) -> None:
    done = command(*arguments)
    assert done.code == 2
    assert message in done.err


def test_the_version(here: Path) -> None:
    done = understudy(["--version"], here)
    assert (done.code, done.out, done.err) == (0, f"understudy, version {__version__}\n", "")


def modules_after(program: str, cwd: Path) -> set[str]:
    code = f"import sys; {program}; print('\\n' + ' '.join(sys.modules))"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=cwd, env=unmeasured(), capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in done.stdout.splitlines()[-1].split()}


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["rnu"]], ids=str)
def test_the_command_alone_imports_nothing_heavy(here: Path, arguments: list[str]) -> None:
    program = f"from understudy.cli.main import invoke; invoke({arguments})"
    assert modules_after(program, here).isdisjoint(HEAVY)


def test_a_run_imports_only_what_it_needs(here: Path, server: RecordingServer) -> None:
    server.answers["/a"] = Answer()
    Path("s.json").write_text(suite_of(("a", "/a", {"status": 200})))
    arguments = ["testbed", "run", "s.json", "--base-url", server.url]
    program = f"from understudy.cli.main import invoke; assert invoke({arguments}) == 0"
    unneeded = {"rich", "jsonschema_rs", "graphql", "sqlite3", "aiohttp", "httpx", "hypothesis", "pytest"}
    assert modules_after(program, here).isdisjoint(unneeded)


def test_acts_of_third_parties_run_and_broken_ones_are_told(
    command: Command, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(THIRD_PARTY))
    Path("understudy.toml").write_text('[tiny]\nunits = [["pass-1", "fail-2"], ["refuse-3"], ["raise-4"]]\n')
    done = command("run", "--json", "r.json")
    assert done.code == 1
    outcomes = json.loads(Path("r.json").read_text())["outcomes"]
    assert [outcome["status"] for outcome in outcomes] == ["passed", "failed", "errored", "errored"]
    broken = here / "broken-1.0.dist-info"
    broken.mkdir()
    (broken / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (broken / "entry_points.txt").write_text("[understudy.acts]\nbroken = broken_act:Act\n")
    monkeypatch.syspath_prepend(str(here))
    assert command("run", "--list").code == 0
    Path("understudy.toml").write_text("[tiny]\n[broken]\n")
    done = command("run")
    assert (done.code, done.out, done.err) == (
        2,
        "",
        (
            "error: the act 'broken' (broken_act:Act) cannot be loaded: "
            "ModuleNotFoundError: No module named 'broken_act' (reinstall the package that brings it)\n"
        ),
    )


@pytest.mark.parametrize(("broken", "error"), [("raise", "KeyError"), ("leave", "SystemExit")])
def test_a_defect_of_an_act_is_told_with_its_name(
    command: Command, here: Path, monkeypatch: pytest.MonkeyPatch, broken: str, error: str
) -> None:
    monkeypatch.syspath_prepend(str(THIRD_PARTY))
    Path("understudy.toml").write_text(f'[tiny]\nunits = [["pass-1"]]\nbroken = "{broken}"\n')
    done = command("run")
    assert done.code == 3
    assert error in done.err
    assert "raised by the act 'tiny' while it looked for its units" in done.err
    assert "a defect of the act 'tiny'" in done.err.splitlines()[-1]


def test_an_act_that_finds_nothing_is_no_case(
    command: Command, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(THIRD_PARTY))
    Path("understudy.toml").write_text("[tiny]\nunits = []\n")
    done = command("run")
    assert (done.code, done.out, done.err) == (5, "", "error: no case was found by tiny\n")


def test_it_runs_as_a_plain_script_without_an_activated_environment(here: Path) -> None:
    done = subprocess.run([UNDERSTUDY, "--version"], env={}, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"understudy, version {__version__}\n")
