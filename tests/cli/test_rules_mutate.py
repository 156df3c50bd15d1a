"""`understudy rules mutate`, and the mutation score of a run: what they tell, and how they end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from cli.command import UNDERSTUDY, Command, environment
from rules.mutation.small_folder import RULE, TESTS
from understudy.rules.mutation.ledger import FILE
from waiting import wait_for

PATIENCE = 60
SLOW = """\
def test_slow():
    for _ in range(300000): pass
    check.eq(eval("small", {"owner": "a"}, {"/repos/a": body({"count": 1})}).status, "pass")
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "small.yaml").write_text(RULE)
    (tmp_path / "rules" / "small.star").write_text(TESTS)
    return tmp_path


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(capsys)


def test_survivors_are_listed_with_their_place_and_the_tests_that_came_nearest(
    folder: Path, command: Command
) -> None:
    done = command("rules", "mutate", "--dir", "rules", "--json", "m.json")
    assert done.code == 0
    assert done.out.splitlines() == [
        "   85.7%  small (rules/small.yaml): 7 mutants: 6 noticed, 1 survived",
        "  rules/small.yaml:18:11  statement: not input.ingested.archived -> (dropped)  [small-81cf259c]",
        "      -  not input.ingested.archived",
        "      +  true",
        "      no test noticed it; nearest: small.star::test_few",
        "mutation score 85.7%: 7 mutants: 6 noticed, 1 survived",
    ]
    data = json.loads((folder / "m.json").read_text())
    assert (data["schema"], data["score"], data["survived"]) == ("understudy.mutation.v1", 85.7, 1)
    (rule,) = data["rules"]
    assert rule["tests"] == ["rules/small.star::test_few"]
    by_result = {mutant["result"]: mutant for mutant in rule["mutants"]}
    assert by_result["survived"]["nearest"] == ["rules/small.star::test_few"]
    assert (by_result["noticed"]["noticedBy"], by_result["noticed"]["how"]) == (
        "rules/small.star::test_few",
        "failed",
    )
    # The same again, from what is known: the same words.
    assert command("rules", "mutate", "--dir", "rules").out == done.out
    survivor = by_result["survived"]["id"]
    alone = command("rules", "mutate", "--dir", "rules", "--mutant", survivor, "--threshold", "1")
    assert alone.code == 1
    assert "fewer than the 1% wanted were noticed" in alone.err


def test_what_can_be_tried_is_listed_and_chosen(folder: Path, command: Command) -> None:
    listed = command("rules", "mutate", "--dir", "rules", "--list").out.splitlines()
    assert len(listed) == 7
    assert listed[0].startswith("rules/small.yaml:6:")
    assert not (folder / FILE).exists()
    fewer = command("rules", "mutate", "--dir", "rules", "--list", "--skip", "comparison").out.splitlines()
    assert len(fewer) == 5


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--rule", "smal"], 2, "no rule is called 'smal' (did you mean 'small'?)"),
        (["--mutant", "small-0"], 2, "no mutant is called 'small-0'"),
        (["--list", "--threshold", "9"], 2, "--list tries nothing"),
        (["--skip", "everything"], 2, "everything"),
        (["--threshold", "85.8"], 1, "fewer than the 85.8% wanted"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(
    folder: Path, command: Command, arguments: list[str], code: int, words: str
) -> None:
    done = command("rules", "mutate", "--dir", "rules", *arguments)
    assert (done.code, words in done.err) == (code, True), done.text


def test_rules_without_tests_and_folders_without_rules_are_not_green(folder: Path, command: Command) -> None:
    (folder / "rules" / "small.star").unlink()
    done = command("rules", "mutate", "--dir", "rules")
    assert done.code == 5
    assert "no test evaluates any of these rules" in done.err
    assert "small (rules/small.yaml): no test evaluates this rule" in done.out
    (folder / "rules" / "small.yaml").unlink()
    assert command("rules", "mutate", "--dir", "rules").code == 5


def test_a_run_judges_the_score_that_the_project_demands(folder: Path, command: Command) -> None:
    project = folder / "understudy.toml"
    project.write_text('[rules]\ndirs = ["rules"]\nmutation = 85\ncoverage = 100\n')
    done = command("run", "--json", "r.json")
    assert done.code == 0, done.text
    outcomes = {outcome["id"]: outcome for outcome in json.loads(Path("r.json").read_text())["outcomes"]}
    score = outcomes["rules::rules::mutation"]
    assert score["details"] == {
        "score": 85.7,
        "mutants": 7,
        "noticed": 6,
        "overdue": 0,
        "survived": 1,
        "invalid": 0,
        "rules": {"rules/small.yaml": 85.7},
    }
    assert outcomes["rules::rules::coverage"]["details"]["percent"] == 100
    project.write_text('[rules]\ndirs = ["rules"]\nmutation = 90\n')
    done = command("run")
    assert done.code == 1
    assert "mutation score 85.7%, 90% wanted: 7 mutants: 6 noticed, 1 survived" in done.out
    assert "at rules/small.yaml:18:11" in done.out
    assert "no test notices this change (statement, small-" in done.out
    project.write_text('[rules]\ndirs = ["rules"]\nmutation = 85\nmutation_budget = 0.001\n')
    (folder / FILE).unlink()
    done = command("run")
    assert done.code == 1
    assert "the budget of 0.001 s was spent" in done.out


def test_ctrl_c_tells_what_is_known_and_keeps_it(folder: Path, command: Command) -> None:
    (folder / "rules" / "small.star").write_text(SLOW)
    arguments = [UNDERSTUDY, "rules", "mutate", "--dir", "rules", "--workers", "1", "--json", "m.json"]
    process = subprocess.Popen(
        arguments, cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_for((folder / FILE).exists)
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, err
    assert "not tried (interrupted)" in out.splitlines()[-1]
    data = json.loads((folder / "m.json").read_text())
    assert 0 < data["notTried"] < data["mutants"]
    assert data["notTriedBecause"] == "interrupted"
    kept = json.loads((folder / FILE).read_text())["verdicts"]
    assert len(kept) == data["mutants"] + data["invalid"] - data["notTried"]
