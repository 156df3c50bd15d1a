"""`understudy rules test --watch` as a user sees it: a process that stays, and files that really change."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cli.command import UNDERSTUDY, environment
from rules.rule_folder import RuleFolder
from understudy.cli.main import invoke

PATIENCE = 60
LICENCE = """\
def test_licence():
    check.eq(eval("licence", {}, files = {"LICENSE": ""}).status, "pass")
    check.eq(eval("licence", {}, files = txtar(read_file("testdata/none.txtar"))).status, "fail")
"""
VISIBILITY = """\
load("lib.star", "WANTED")
def test_visibility():
    answer = {"/**": body({"visibility": WANTED})}
    check.eq(eval("visibility", {"owner": "a", "name": "b"}, answer).status, "pass")
"""
SOURCED = """\
load("checks.star", "violations_count")
def test_sourced():
    result = eval("sourced", {}, {"/names": body(["a"])}, datasources = ["../../sources/names.yaml"])
    violations_count(result, 1)
"""
SOURCE = """\
version: v1
type: data-source
name: names
rest: {def: {all: {endpoint: "https://names.example/names", parse: json, input_schema: {}}}}
"""
RULE = """\
version: v1
type: rule-type
name: sourced
def:
  in_entity: repository
  rule_schema: {}
  ingest: {type: builtin, builtin: {method: Passthrough}}
  eval:
    type: rego
    data_sources: [{name: names}]
    rego:
      type: constraints
      def: |
        package minder
        import rego.v1
        violations contains {"msg": name} if some name in minder.datasource.names.all({}).body
"""


class Watching:
    """The command, left running, and what it says."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self._lines: queue.Queue[str] = queue.Queue()
        self.said: list[str] = []
        self.process = subprocess.Popen(
            [UNDERSTUDY, "rules", "test", "--watch", *arguments],
            cwd=folder,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)

    def wait_for(self, words: str) -> str:
        """All that is said until a line holds these words."""
        heard: list[str] = []
        while not heard or words not in heard[-1]:
            try:
                heard.append(self._lines.get(timeout=PATIENCE))
            except queue.Empty:
                pytest.fail(f"{words!r} was never said, only {''.join([*self.said, *heard])}")
        self.said += heard
        return "".join(heard)

    def end(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)


@pytest.fixture
def rules(tmp_path: Path) -> RuleFolder:
    folder = RuleFolder(tmp_path / "project" / "rules")
    folder.write("licence.star", LICENCE)
    folder.write("testdata/none.txtar", "-- README --\nhello\n")
    folder.write("visibility.star", VISIBILITY)
    folder.write("lib.star", 'WANTED = "private"\n')
    folder.write("deep/sourced.yaml", RULE)
    folder.write("deep/sourced.star", SOURCED)
    folder.write("../sources/names.yaml", SOURCE)
    folder.write("../understudy.toml", '[rules]\ndirs = ["rules"]\n')
    return folder


@pytest.fixture
def watch(rules: RuleFolder) -> Iterator[Callable[..., Watching]]:
    started: list[Watching] = []

    def start(*arguments: str) -> Watching:
        started.append(Watching(rules.root.parent, *arguments))
        return started[-1]

    yield start
    for watching in started:
        watching.process.kill()
        watching.process.wait()
        assert watching.process.stdout is not None
        watching.process.stdout.close()


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_only_what_a_change_concerns_runs_again(rules: RuleFolder, watch: Callable[..., Watching]) -> None:
    watching = watch("--dir", "rules")
    assert "3 passed" in watching.wait_for("watching ")
    # A rule of one test file, its fixture, the library of another one, and a data source outside of the folder.
    edit(rules.root / "licence.yaml", "there is no LICENSE", "none")
    said = watching.wait_for("watching ")
    assert said.startswith("changed: rules/licence.yaml; running rules/licence.star\n")
    assert "1 passed" in said
    edit(rules.root / "testdata/none.txtar", "README", "LICENSE")
    said = watching.wait_for("watching ")
    assert said.startswith("changed: rules/testdata/none.txtar; running rules/licence.star\n")
    assert "1 failed" in said
    assert "understudy rules test --dir rules --case rules::rules/licence.star::test_licence" in said
    edit(rules.root / "lib.star", "private", "public")
    said = watching.wait_for("watching ")
    assert said.startswith("changed: rules/lib.star; running rules/visibility.star\n")
    assert "still bad since an earlier run: rules/licence.star\n" in said
    edit(rules.root.parent / "sources/names.yaml", "/names", "/other")
    said = watching.wait_for("watching ")
    assert said.startswith("changed: sources/names.yaml; running rules/deep/sourced.star\n")
    assert "no mock matches" in said
    # What no test needs, and what needs nothing else.
    rules.write("issues.yaml", (rules.root / "issues.yaml").read_text() + "# more\n")
    assert watching.wait_for("changed: ") == "changed: rules/issues.yaml; that concerns no test\n"
    edit(rules.root.parent / "sources/names.yaml", "/other", "/names")
    assert "1 passed" in watching.wait_for("watching ")
    assert watching.end() == 130


def test_files_come_and_go_and_broken_ones_are_shown_and_recovered_from(
    rules: RuleFolder, watch: Callable[..., Watching]
) -> None:
    watching = watch()
    watching.wait_for("watching ")
    rules.write("new.star", "def test_new():\n    check.eq(1, 2)\n")
    said = watching.wait_for("watching ")
    assert said.startswith("changed: rules/new.star; running all tests\n")
    assert "test_new" in said
    assert "3 passed" in said
    rules.write("new.star", "def test_new(:\n")
    assert "rules/new.star:1" in watching.wait_for("watching ")
    rules.write("new.star", "def test_new():\n    check.eq(2, 2)\n")
    assert "1 passed" in watching.wait_for("watching ")
    edit(rules.root / "licence.yaml", "import rego.v1", "import rego.v1 !")
    said = watching.wait_for("watching ")
    assert said.startswith("changed: rules/licence.yaml; running rules/licence.star\n")
    assert "rules/licence.yaml:14:24: is not valid Rego" in said
    edit(rules.root / "licence.yaml", "import rego.v1 !", "import rego.v1")
    assert "1 passed" in watching.wait_for("watching ")
    rules.write("twice.yaml", (rules.root / "licence.yaml").read_text())
    assert "in this folder twice" in watching.wait_for("watching ")
    (rules.root / "twice.yaml").unlink()
    assert "3 passed" in watching.wait_for("watching ")
    (rules.root / "new.star").unlink()
    said = watching.wait_for("watching ")
    assert said.startswith("changed: rules/new.star; running all tests\n")
    assert "3 passed" in said
    assert watching.end() == 130


def test_a_project_file_that_is_broken_for_a_while_is_waited_for(
    rules: RuleFolder, watch: Callable[..., Watching]
) -> None:
    watching = watch()
    watching.wait_for("watching ")
    rules.write("../understudy.toml", "[rules\n")
    assert "error: " in watching.wait_for("watching ")
    rules.write("../understudy.toml", '[rules]\ndirs = ["rules/deep"]\n')
    said = watching.wait_for("watching ")
    assert said.startswith("changed: understudy.toml; running all tests\n")
    assert "1 passed" in said
    assert watching.end() == 130


def test_a_test_that_is_stopped_runs_again_after_any_change(
    rules: RuleFolder, watch: Callable[..., Watching]
) -> None:
    rules.write("endless.star", "def test_endless():\n    for _ in range(1000000000): pass\n")
    watching = watch("--dir", "rules", "--test-timeout", "0.5")
    assert "longer than the 0.5 s" in watching.wait_for("watching ")
    rules.write("issues.yaml", (rules.root / "issues.yaml").read_text() + "# more\n")
    assert "running rules/endless.star\n" in watching.wait_for("watching ")
    assert watching.end() == 130


def test_reports_are_those_of_the_last_run_and_cause_none_themselves(
    rules: RuleFolder, watch: Callable[..., Watching]
) -> None:
    watching = watch("--dir", "rules", "--json", "rules/report.json")
    watching.wait_for("watching ")
    edit(rules.root / "lib.star", "private", "public")
    assert watching.wait_for("watching ").startswith("changed: rules/lib.star; ")
    report = json.loads((rules.root / "report.json").read_text())
    assert [entry["id"] for entry in report["outcomes"]] == ["rules::rules/visibility.star::test_visibility"]
    assert watching.end() == 130


def test_what_is_measured_is_measured_whole(rules: RuleFolder, watch: Callable[..., Watching]) -> None:
    watching = watch("--dir", "rules", "--coverage", "10")
    watching.wait_for("watching ")
    edit(rules.root / "lib.star", "private", "public")
    assert watching.wait_for("watching ").startswith("changed: rules/lib.star; running all tests\n")
    assert watching.end() == 130


def test_a_run_that_is_interrupted_ends_the_watch(rules: RuleFolder, watch: Callable[..., Watching]) -> None:
    rules.write("endless.star", "print('begun')\ndef test_endless():\n    for _ in range(1000000000): pass\n")
    watching = watch("--dir", "rules", "-v", "--test-timeout", "60")
    watching.wait_for("test_sourced")
    os.kill(watching.process.pid, signal.SIGINT)
    assert watching.process.wait(PATIENCE) == 130


@pytest.mark.parametrize(
    "option", [["--list"], ["--workers", "2"], ["--update"], ["--shard", "1/2"], ["--rerun-failed"]]
)
def test_what_watching_makes_meaningless_is_refused(
    rules: RuleFolder, option: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert invoke(["rules", "test", "--watch", "--dir", str(rules.root), *option]) == 2
    assert f"--watch and {option[0]} contradict each other" in capsys.readouterr().err


def test_a_call_that_is_wrong_ends_at_once(rules: RuleFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["rules", "test", "--watch", "--dir", str(rules.root / "nowhere")]) == 2
    assert "no such file or folder" in capsys.readouterr().err
