"""`understudy rules test` and `ruletest`: what they find, how they end, and what bad files cost."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from cli.command import understudy
from rules.rule_folder import RuleFolder
from understudy.cli.main import invoke

GOOD = """\
E = {"owner": "acme", "name": "shop"}
MOCKS = {"GET https://api.github.com/repos/acme/shop": body({"visibility": "private"})}
def test_private():
    check.eq(eval("visibility", E, MOCKS).status, "pass")
def test_licence():
    there = {"name": "there", "files": {"LICENSE": ""}, "want": "pass"}
    for row in [there, {"name": "missing", "files": {}, "want": "fail"}]:
        check.eq(eval("licence", E, files = row["files"]).status, row["want"], label = row["name"])
"""


@pytest.fixture
def rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RuleFolder:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules").mkdir()
    return RuleFolder(tmp_path / "rules")


class Command:
    """Runs the command in this process and reads its report."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys
        self.out = self.err = ""

    def __call__(self, *arguments: str, command: str = "test") -> int:
        report = self.folder / "report.json"
        report.unlink(missing_ok=True)
        code = invoke(["rules", command, *arguments, "--json", str(report)])
        self.out, self.err = self._capsys.readouterr()
        return code

    @property
    def outcomes(self) -> dict[str, dict[str, Any]]:
        report = json.loads((self.folder / "report.json").read_text("utf-8"))
        return {outcome["id"]: outcome for outcome in report["outcomes"]}

    @property
    def statuses(self) -> dict[str, str]:
        return {identifier: outcome["status"] for identifier, outcome in self.outcomes.items()}


@pytest.fixture
def command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(tmp_path, capsys)


def test_every_test_below_a_folder_runs_and_rows_have_outcomes_of_their_own(
    rules: RuleFolder, command: Command
) -> None:
    rules.write("a.star", GOOD)
    rules.write("deeper/still/visibility.yaml", (rules.root / "visibility.yaml").read_text())
    rules.write(
        "deeper/still/b.star",
        'def test_b():\n    check.eq(eval("visibility", {}, {"/**": code(404)}).status, "fail")',
    )
    assert command("--dir", "rules") == 0
    assert command.statuses == {
        "rules::rules/a.star::test_private": "passed",
        "rules::rules/a.star::test_licence": "passed",
        "rules::rules/a.star::test_licence/there": "passed",
        "rules::rules/a.star::test_licence/missing": "passed",
        "rules::rules/deeper/still/b.star::test_b": "passed",
    }
    assert (
        command.outcomes["rules::rules/a.star::test_licence/there"]["parent"]
        == "rules::rules/a.star::test_licence"
    )


def test_ruletest_is_the_same_command(rules: RuleFolder) -> None:
    rules.write("a.star", GOOD)
    script = Path(sys.executable).parent / "ruletest"
    done = subprocess.run([script, "--dir", "rules"], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert "4 passed" in done.stdout


@pytest.mark.parametrize(
    ("module", "library"),
    [("starlark", "starlark-pyo3"), ("regorus", "regorus"), ("jsonschema_rs", "jsonschema-rs")],
)
def test_a_library_that_is_not_installed_is_told_with_the_extra_that_brings_it(
    rules: RuleFolder, tmp_path: Path, module: str, library: str
) -> None:
    rules.write("a.star", GOOD)
    missing = f"raise ModuleNotFoundError({f'No module named {module!r}'!r}, name={module!r})\n"
    (tmp_path / "stubs").mkdir()
    (tmp_path / "stubs" / f"{module}.py").write_text(missing)
    done = understudy(["rules", "test", "--dir", "rules"], tmp_path, {"PYTHONPATH": str(tmp_path / "stubs")})
    assert done.code == 1
    assert f"{library} is not installed (install it with: pip install 'understudy[rules]')" in done.out
    assert "ModuleNotFoundError" not in done.text


def test_a_failing_test_says_everything_and_its_rerun_command_runs_it_again(
    rules: RuleFolder, command: Command
) -> None:
    rules.write("a.star", GOOD.replace('"private"', '"public"'))
    assert command("--dir", "rules") == 1
    outcome = command.outcomes["rules::rules/a.star::test_private"]
    (failure,) = outcome["failures"]
    assert failure["message"] == 'expected "pass", got "fail"'
    assert (failure["expected"], failure["actual"]) == ("pass", "fail")
    assert failure["location"] == {"file": "rules/a.star", "line": 4}
    assert outcome["rerun"] == "understudy rules test --dir rules --case rules::rules/a.star::test_private"
    assert '"visibility": "public"' in command.out
    assert command("--dir", "rules", "--case", "rules::rules/a.star::test_private") == 1
    assert list(command.outcomes) == ["rules::rules/a.star::test_private"]


def test_cases_are_listed_selected_and_run_in_two_cells(rules: RuleFolder, command: Command) -> None:
    rules.write("a.star", GOOD)
    rules.write("b.star", GOOD)
    assert invoke(["rules", "test", "--dir", "rules", "--list"]) == 0
    assert command("--dir", "rules", "-k", "private and b.star") == 0
    assert list(command.statuses) == ["rules::rules/b.star::test_private"]
    assert command("rules/a.star", "--concurrency", "2") == 0
    assert len(command.statuses) == 4
    assert command("--dir", "rules", "--workers", "2") == 0
    assert len(command.statuses) == 8


def test_a_mock_that_nothing_hits_fails_its_file_unless_it_is_optional(
    rules: RuleFolder, command: Command
) -> None:
    dead = GOOD.replace("MOCKS = {", 'MOCKS = {"GET /dead": code(1), "/spare": optional(body(1)), ').replace(
        "code(1)", "code(200)"
    )
    rules.write("a.star", dead)
    assert command("--dir", "rules") == 1
    bad = {
        identifier: outcome
        for identifier, outcome in command.outcomes.items()
        if outcome["status"] != "passed"
    }
    assert list(bad) == ["rules::rules/a.star::(mocks)"]
    (failure,) = bad["rules::rules/a.star::(mocks)"]["failures"]
    assert "the mock 'GET /dead' is dead" in failure["message"]
    assert command("--dir", "rules", "-k", "test_private") == 0, "a part of the tests cannot tell"
    rules.write(
        "a.star",
        dead + '\ndef test_dead():\n    check.fails(lambda: eval("visibility", {"owner": "x"}, MOCKS))\n',
    )
    assert command("--dir", "rules") == 1
    rules.write("a.star", dead.replace("code(200)", "optional(code(200))"))
    assert command("--dir", "rules") == 0


def test_mindevs_files_may_have_mocks_that_nothing_hits(rules: RuleFolder, command: Command) -> None:
    call = 'eval(rule = "licence", mock_fs = {}, mock_http = {"/dead": body("")})'
    rules.write("a_test.star", f'def test_it():\n    assert.eq({call}["status"], "fail")')
    assert command("--dir", "rules") == 0


ENDLESS = {
    "loops.star": "def test_it():\n    for _ in range(1000000000): pass\n",
    "rego_loops.star": 'def test_it(): eval("loops", {})\n',
}
HOSTILE = {
    "recurses.star": "def test_it():\n    def f(n): return f(n + 1)\n    f(0)\n",
    "allocates.star": "def test_it(): [0] * 1000000000\n",
    "fails_at_load.star": 'fail("no")\n',
    "brackets.star": f"x = {'[' * 100_000}{']' * 100_000}\n",
    "no_tests.star": "x = 1\n",
    "syntax.star": "def test_it(:\n",
    "unknown_rule.star": 'def test_it(): eval("nothing", {})\n',
    "archive.star": 'def test_it(): eval("licence", {}, files = txtar("-- ../x --\nboom\n"))\n',
    "twice.star": 'def test_it(): txtar("-- a --\n-- a --\n")\n',
    "outside.star": 'def test_it(): read_file("../../etc/passwd")\n',
}
# What ends first, time or memory, is up to the machine.
GREEDY = {
    "loads_forever.star": "x = [1 for _ in range(1000000000)]\ndef test_it(): pass\n",
    "sorts.star": "def test_it(): sorted(range(100000000))\n",
    "squares.star": "def test_it():\n    n = 3\n    for _ in range(100): n = n * n\n",
}
LOOPS = """\
type: rule-type
name: loops
def:
  in_entity: repository
  ingest: {type: builtin, builtin: {method: Passthrough}}
  eval:
    type: rego
    rego:
      def: |
        package minder
        import rego.v1
        default allow := false
        allow if {
          some a in numbers.range(1, 100000)
          some b in numbers.range(1, 100000)
          a * b == 7777777777
        }
"""


@pytest.mark.parametrize(
    ("files", "seconds"), [(ENDLESS | GREEDY, "1"), (HOSTILE, "60")], ids=["endless", "hostile"]
)
def test_each_hostile_file_is_one_clear_error_and_the_others_still_run(
    rules: RuleFolder, command: Command, files: dict[str, str], seconds: str
) -> None:
    rules.write("loops.yaml", LOOPS)
    rules.write("good.star", GOOD)
    for name, text in files.items():
        rules.write(name, text)
    (rules.root / "binary.star").write_bytes(b"\xff\xfe\x00")
    assert command("--dir", "rules", "--test-timeout", seconds) == 1
    bad = {
        identifier.split("::")[1].removeprefix("rules/"): outcome
        for identifier, outcome in command.outcomes.items()
        if outcome["status"] != "passed"
    }
    assert sorted(bad) == sorted([*files, "binary.star"])
    assert {outcome["status"] for outcome in bad.values()} == {"errored"}
    reasons = {name: outcome["reason"] for name, outcome in bad.items()}
    assert all(reason and "Traceback" not in reason for reason in reasons.values())
    wanted = {
        "allocates.star": "512 MiB of memory",
        "brackets.star": "too deeply",
        **dict.fromkeys(ENDLESS, "longer than the 1 s allowed"),
    }
    assert {name for name in wanted.keys() & reasons if wanted[name] not in reasons[name]} == set()
    assert command.statuses["rules::rules/good.star::test_private"] == "passed"


def test_what_is_printed_without_end_is_cut(rules: RuleFolder, command: Command) -> None:
    rules.write(
        "a.star", "def test_it():\n    for _ in range(2000): print('x' * 10000)\n    check.eq(1, 2)\n"
    )
    assert command("--dir", "rules") == 1
    (outcome,) = command.outcomes.values()
    assert len(outcome["attachments"][0]["text"]) < 100_000


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--dir", "nowhere"], 2, "no such file or folder"),
        (["--dir", "empty"], 5, "no case was found by rules"),
        (["rules/licence.yaml"], 2, "neither a folder nor a *.star file"),
        (["--dir", "rules", "--root", "rules/deeper"], 2, "outside of"),
        (["--root", "rules"], 2, "--root says"),
        ([], 2, "no understudy.toml"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(
    rules: RuleFolder, command: Command, arguments: list[str], code: int, words: str
) -> None:
    rules.write("a.star", GOOD)
    rules.write("deeper/b.star", GOOD)
    (command.folder / "empty").mkdir()
    assert command(*arguments) == code
    assert words in command.err


def test_data_sources_may_stand_beside_the_folder_but_not_out_of_the_project(
    rules: RuleFolder, command: Command
) -> None:
    source = """\
    version: v1
    type: data-source
    name: ghapi
    rest:
      def:
        repo:
          endpoint: "https://api.github.com/repos/{owner}"
          parse: json
          input_schema: {type: object, properties: {owner: {type: string}}, required: [owner]}
    """
    RuleFolder(rules.root.parent / "other").write("ghapi.yaml", source)
    outside = rules.root.parent.parent / "ghapi.yaml"
    outside.write_text("type: data-source")
    rules.write(
        "licence.yaml",
        (rules.root / "licence.yaml")
        .read_text()
        .replace('not file.exists("LICENSE")', 'minder.datasource.ghapi.repo({"owner": "a"}).body.bad'),
    )
    call = 'eval("licence", {}, files = {}, mocks = {"/repos/a": body({"bad": True})}, datasources = ["%s"])'
    rules.write("a.star", f'def test_it(): check.eq({call % "../other/ghapi.yaml"}.status, "fail")\n')
    assert command("--dir", "rules") == 0, command.out
    rules.write("a.star", f"def test_it(): {call % '../../ghapi.yaml'}\n")
    assert command("--dir", "rules") == 1
    (outcome,) = command.outcomes.values()
    assert "outside" in outcome["reason"]


def test_a_project_file_says_where_rules_are_and_what_tests_may_use(
    rules: RuleFolder, command: Command
) -> None:
    rules.write("a.star", GOOD)
    rules.write("loops.star", ENDLESS["loops.star"])
    (command.folder / "understudy.toml").write_text('[rules]\ndirs = ["rules"]\ntest_timeout = 0.5\n')
    assert invoke(["run", "--json", str(command.folder / "report.json")]) == 1
    assert "longer than the 0.5 s" in command.outcomes["rules::rules/loops.star::test_it"]["reason"]
    assert command() == 1
    (command.folder / "understudy.toml").write_text('[rules]\ndir = ["rules"]\n')
    for arguments in [(), ("--dir", "rules")]:
        assert command(*arguments) == 2
        assert "did you mean 'dirs'?" in command.err


def test_a_project_file_says_where_the_api_of_a_provider_is(rules: RuleFolder, command: Command) -> None:
    rule = (rules.root / "visibility.yaml").read_text()
    rules.write("visibility.yaml", rule.replace("provider: github", "provider: forge"))
    mocks = '{"GET https://forge.example/api/v1/repos/acme/shop": body({"visibility": "private"})}'
    call = f'eval("visibility", {{"owner": "acme", "name": "shop"}}, {mocks})'
    rules.write("a.star", f'def test_it(): check.eq({call}.status, "pass")\n')
    project = '[rules]\ndirs = ["rules"]\n[rules.providers]\nforge = "https://forge.example/api/v1"\n'
    (command.folder / "understudy.toml").write_text(project)
    assert command() == 0, command.out
    (command.folder / "understudy.toml").write_text('[rules]\ndirs = ["rules"]\n')
    assert command() == 1
    assert "no mock matches GET https://api.github.com/repos/acme/shop" in command.out


def test_rows_and_failures_stand_in_junit(rules: RuleFolder, command: Command) -> None:
    rules.write("a.star", GOOD.replace('"want": "fail"', '"want": "skip"'))
    assert command("--dir", "rules", "--junit", "junit.xml") == 1
    cases = {
        case.get("name"): [child.get("message") for child in case.iter("failure")]
        for case in ElementTree.parse("junit.xml").iter("testcase")
    }
    assert cases == {
        "test_private": [],
        "test_licence": ['row \'missing\': expected "skip", got "fail"'],
        "test_licence/there": [],
        "test_licence/missing": ['expected "skip", got "fail"'],
    }


def test_a_project_in_which_one_act_finds_nothing_is_not_green(rules: RuleFolder, command: Command) -> None:
    (command.folder / "empty").mkdir()
    (command.folder / "suite.json").write_text(
        json.dumps(
            {
                "schema": "anvil.testbed.v1",
                "http": {"routes": [{"operation": "a", "path": "/a", "cases": [{"name": "x"}]}]},
            }
        )
    )
    (command.folder / "understudy.toml").write_text(
        '[rules]\ndirs = ["empty"]\n[testbed]\nsuites = ["suite.json"]\n[environments.x]\nbase_url = "http://127.0.0.1:1"\n'
    )
    assert invoke(["run"]) == 5
