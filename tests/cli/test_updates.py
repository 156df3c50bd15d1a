"""`--update` shows the difference before it writes, asks if somebody is there, and touches nothing else."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from cli.command import Command, suite_of
from testbed.recording_server import Answer, RecordingServer

SCRIPT = """# how the lamp is asked for
http:
  - operation: lamp
    name: as it was   # once
    expect: {status: 201, json: {$.name: lump}}
"""
UPDATED = SCRIPT.replace("201", "200").replace("lump", "lamp")


@pytest.fixture(autouse=True)
def project(server: RecordingServer) -> None:
    server.answers["/lamp"] = Answer({"name": "lamp"})
    Path("shop.json").write_text(suite_of(("lamp", "/lamp", {"status": 200})))
    Path("script.yaml").write_text(SCRIPT)
    Path("understudy.toml").write_text(
        f'[environments.local]\nbase_url = "{server.url}"\n'
        '[testbed]\nsuites = ["shop.json"]\nscripts = ["*.yaml"]\n'
    )


def test_the_difference_is_shown_and_the_script_rewritten(command: Command) -> None:
    done = command("run", "--update")
    assert done.code == 1
    assert Path("script.yaml").read_text() == UPDATED
    assert "--- script.yaml (as it is)\n+++ script.yaml (as observed)\n" in done.out
    assert "-    expect: {status: 201, json: {$.name: lump}}\n" in done.out
    assert "+    expect: {status: 200, json: {$.name: lamp}}\n" in done.out
    assert done.out.endswith("--update: wrote script.yaml\n")
    assert command("run").code == 0


def test_without_anything_to_update_nothing_is_written(command: Command) -> None:
    Path("script.yaml").write_text(UPDATED)
    before = Path("script.yaml").stat()
    done = command("run", "--update")
    assert done.code == 0
    assert "no expectation of a script could be settled" in done.out
    assert Path("script.yaml").stat().st_mtime_ns == before.st_mtime_ns


@pytest.mark.parametrize(
    ("answer", "yes", "written"), [("n\n", [], False), ("y\n", [], True), ("", ["--yes"], True)]
)
def test_somebody_at_a_terminal_is_asked_first(
    command: Command, monkeypatch: pytest.MonkeyPatch, answer: str, yes: list[str], written: bool
) -> None:
    asked: list[str] = []

    def prompt(text: str = "") -> str:
        asked.append(text)
        return answer.strip()

    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("click.termui.visible_prompt_func", prompt)
    done = command("run", "--update", *yes)
    assert bool(asked) is not bool(yes)
    assert Path("script.yaml").read_text() == (UPDATED if written else SCRIPT)
    assert ("nothing was written" in done.out) is not written


def test_a_script_that_may_not_be_written_is_one_problem(command: Command) -> None:
    Path("inner").mkdir()
    Path("script.yaml").rename("inner/script.yaml")
    text = Path("understudy.toml").read_text().replace('"*.yaml"', '"inner/*.yaml"')
    Path("understudy.toml").write_text(text)
    Path("inner/script.yaml").chmod(0o444)
    done = command("run", "--update")
    if done.code == 1:  # root may write whatever the mode says
        assert Path("inner/script.yaml").read_text() == UPDATED
    else:
        assert done.code == 2
        assert "is read-only" in done.err
