"""Tests that a cell runs without coming back for each: a hostile one costs nobody else, and a stop hides the rest."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rules.rule_folder import RuleFolder
from understudy.cli.main import invoke

COUNT = 40
GOOD = 'check.eq(eval("licence", {}, files = {"LICENSE": ""}).status, "pass")'
WRONG = 'check.eq(eval("licence", {}, files = {}).status, "pass")'
HOSTILE = {
    3: ("for _ in range(1000000000): pass", "longer than the 2 s allowed"),
    4: ("[0] * 1000000000", "512 MiB of memory"),
    9: ("for _ in range(1000000000): pass", "longer than the 2 s allowed"),
}


def run(folder: RuleFolder, bodies: dict[int, str], *options: str) -> tuple[int, dict[str, Any]]:
    """The exit code and the report of a run of so many tests, all good but those given."""
    tests = [f"def test_{number:02}():\n    {bodies.get(number, GOOD)}\n" for number in range(COUNT)]
    folder.write("a.star", "".join(tests))
    report = folder.root / "report.json"
    code = invoke(["rules", "test", "--dir", str(folder.root), *options, "--json", str(report)])
    return code, json.loads(report.read_text("utf-8"))


@pytest.fixture(autouse=True)
def _here(folder: RuleFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.root)


@pytest.mark.parametrize("options", [(), ("--concurrency", "2")], ids=["serial", "concurrent"])
def test_hostile_tests_end_alone_and_nothing_of_the_others_is_lost(
    folder: RuleFolder, options: tuple[str, ...]
) -> None:
    bodies = {number: body for number, (body, _) in HOSTILE.items()}
    code, report = run(folder, bodies, "--test-timeout", "2", *options)
    assert code == 1
    assert [outcome["name"] for outcome in report["outcomes"]] == [f"test_{n:02}" for n in range(COUNT)]
    for number, outcome in enumerate(report["outcomes"]):
        _, reason = HOSTILE.get(number, ("", ""))
        assert outcome["status"] == ("errored" if reason else "passed")
        assert reason in outcome.get("reason", "")
    assert report["evidence"]["rules"]["rules"] == {"licence.yaml": COUNT - len(HOSTILE)}


def test_a_stop_at_the_first_failure_shows_nothing_of_what_ran_behind_it(folder: RuleFolder) -> None:
    code, report = run(folder, {2: WRONG}, "-x")
    assert code == 1
    statuses = [outcome["status"] for outcome in report["outcomes"]]
    assert statuses == ["passed", "passed", "failed"]
    assert report["evidence"]["rules"]["rules"] == {"licence.yaml": 3}


def test_coverage_is_measured_though_foreseen_tests_hold_the_only_cell(
    folder: RuleFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    code, report = run(folder, {}, "--coverage", "1", "--executor", "serial", "--unit-timeout", "60")
    assert code == 0
    assert {outcome["status"] for outcome in report["outcomes"]} == {"passed"}
    assert report["evidence"]["rules"]["coverageWanted"] == [1]
