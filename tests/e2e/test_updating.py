"""`--update`: scripts get what was observed, diff first, and keep every other character."""

from __future__ import annotations

import os
import pty
import subprocess
from pathlib import Path

import pytest

from e2e.small_project import COMMAND, SmallProject, case, route
from testbed.recording_server import Answer

BEFORE = """\
# What the shop answers.   (trailing spaces stay)   \n
http:
  - operation: item     # the first one
    name: "first"
    expect: {status: 201, json: {'$.name': tea, "$.price": 100, $.tags: [a, b]}}   # all on one line

  - operation: item
    name: second
    expect:
      status: 404   # what we thought
      headers:
          X-Kind: 'old'
      json:
        $.name:
          equals: |
            a tea
            of two lines
        $.price: {equals: 7}   # with a comment
        $.nested:
          a: 1
          b:
            - x
            - y
        $.open: true
        $.nothing: "something"

  # A comment between cases.
  - operation: item
    name: fine
    expect: {status: 200}
"""
ANSWER = {
    "name": "green: tea",
    "price": 250,
    "tags": ["b", "é"],
    "nested": {"a": 2},
    "open": False,
    "nothing": None,
}


@pytest.fixture
def scripted(small: SmallProject) -> SmallProject:
    small.project(testbed='scripts = ["scripts/*.yaml"]')
    small.suite(route("item"))
    small.answers(item=Answer(ANSWER, headers={"X-Kind": "new"}))
    small.write("scripts/item.yaml", BEFORE)
    return small


def outside_of_values(text: str) -> list[str]:
    """Comments, blank lines and keys: what an update has to leave alone."""
    return [
        line for line in text.splitlines() if not line.strip() or "#" in line or line.rstrip().endswith(":")
    ]


def test_an_update_settles_every_expectation_and_a_second_run_is_green(scripted: SmallProject) -> None:
    first = scripted.run("--update", "--yes")
    assert first.code == 1
    after = scripted.read("scripts/item.yaml")
    second = scripted.run("--update", "--yes")
    assert second.code == 0, second.out
    assert "--update: no expectation" in second.out
    assert scripted.read("scripts/item.yaml") == after


def test_an_update_keeps_comments_and_formatting(scripted: SmallProject) -> None:
    scripted.run("--update", "--yes")
    after = scripted.read("scripts/item.yaml")
    assert after.splitlines()[:5] == BEFORE.splitlines()[:5]
    one_line = (
        '    expect: {status: 200, json: {\'$.name\': "green: tea", "$.price": 250, $.tags: ["b", "é"]}}'
    )
    assert one_line + "   # all on one line" in after
    assert "      status: 200   # what we thought\n" in after
    assert "        $.price: {equals: 250}   # with a comment\n" in after
    assert "          X-Kind: new\n" in after
    assert "        $.open: false\n" in after
    assert "        $.nothing: null\n" in after
    assert after.endswith(BEFORE[BEFORE.index("\n  # A comment between cases.") :])


def test_the_diff_is_shown_before_anything_is_written(scripted: SmallProject) -> None:
    result = scripted.run("--update", "--yes")
    diff = result.out[result.out.index("--- scripts/item.yaml") :]
    assert "-      status: 404   # what we thought" in diff
    assert "+      status: 200   # what we thought" in diff
    assert diff.index("+      status: 200") < diff.index("--update: wrote scripts/item.yaml")


def test_without_update_no_script_is_changed(scripted: SmallProject) -> None:
    scripted.run()
    assert scripted.read("scripts/item.yaml") == BEFORE


@pytest.mark.parametrize("ends", ["\r\n", "\n"])
def test_line_ends_stay_as_they_are(scripted: SmallProject, ends: str) -> None:
    scripted.path("scripts/item.yaml").unlink()
    text = "http:\n  - operation: item\n    name: x\n    expect: {status: 201}\n".replace("\n", ends)
    file = scripted.write("scripts/plain.yaml", text)
    scripted.run("--update", "--yes")
    assert file.read_bytes() == text.replace("201", "200").encode()


def test_several_files_are_written_at_once(scripted: SmallProject) -> None:
    scripted.write("scripts/other.yaml", "http:\n  - {operation: item, name: o, expect: {status: 500}}\n")
    result = scripted.run("--update", "--yes")
    assert "wrote scripts/item.yaml, scripts/other.yaml" in result.out
    assert "expect: {status: 200}}" in scripted.read("scripts/other.yaml")


def test_a_redacted_secret_is_never_written(scripted: SmallProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_TOKEN", "correct-horse-battery")
    scripted.project(
        environment='[environments.here.variables]\ntoken = {env = "SHOP_TOKEN"}',
        testbed='scripts = ["scripts/*.yaml"]',
    )
    scripted.answers(item=Answer({"echo": "correct-horse-battery", "n": 1}))
    before = "http:\n  - operation: item\n    name: x\n    expect: {json: {$.echo: mine, $.n: 2}}\n"
    scripted.path("scripts/item.yaml").unlink()
    scripted.write("scripts/s.yaml", before)
    result = scripted.run("--update", "--yes")
    assert scripted.read("scripts/s.yaml") == before.replace("$.n: 2", "$.n: 1")
    assert "correct-horse" not in result.out


def test_a_known_failure_is_not_made_the_expectation(scripted: SmallProject) -> None:
    text = (
        "http:\n  - operation: item\n    name: x\n    known: {reason: ticket 3}\n    expect: {status: 201}\n"
    )
    scripted.path("scripts/item.yaml").unlink()
    scripted.write("scripts/known.yaml", text)
    assert scripted.run("--update", "--yes").code == 0
    assert scripted.read("scripts/known.yaml") == text


def test_cases_of_a_suite_file_are_left_alone(small: SmallProject) -> None:
    small.project()
    small.suite(route("item", case("x", 201)))
    small.answers(item=200)
    before = small.read("suite.json")
    assert "no expectation of a script" in small.run("--update", "--yes").out
    assert small.read("suite.json") == before


@pytest.mark.parametrize(("answer", "is_written"), [("y\n", True), ("n\n", False), ("\n", False)])
def test_somebody_at_a_terminal_is_asked(scripted: SmallProject, answer: str, is_written: bool) -> None:
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "w") as keyboard, os.fdopen(theirs) as terminal:
        keyboard.write(answer)
        keyboard.flush()
        done = subprocess.run(
            [*COMMAND, "run", str(scripted.folder), "--update"],
            stdin=terminal,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
    assert "write 1 file(s)?" in done.stdout
    assert ("status: 200   # what" in scripted.read("scripts/item.yaml")) is is_written
    assert ("nothing was written" in done.stdout) is not is_written


def test_scripts_outside_of_the_project_stay_as_they_are(scripted: SmallProject, tmp_path: Path) -> None:
    outside = tmp_path / "outside.yaml"
    outside.write_text("http:\n  - {operation: item, name: o, expect: {status: 500}}\n")
    scripted.path("scripts/link.yaml").symlink_to(outside)
    result = scripted.run("--update", "--yes")
    assert result.code == 2
    assert "500" in outside.read_text()
