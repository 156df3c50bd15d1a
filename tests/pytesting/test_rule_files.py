"""`pytest --understudy-rules`: test files of rules as pytest's own, in a pytest of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from rules.rule_folder import RuleFolder

GOOD = """\
load("shared.star", "E")
def test_licence():
    for row in [("there", {"LICENSE": ""}, "pass"), ("missing", {}, "fail")]:
        check.eq(eval("licence", E, files = row[1]).status, row[2], label = row[0])
def test_visibility():
    check.eq(eval("visibility", E, {"/repos/acme/shop": body({"visibility": "private"})}).status, "pass")
"""
SHARED = 'E = {"owner": "acme", "name": "shop"}\n'
BAD = """\
def test_wrong():
    print("so far so good")
    check.eq(eval("licence", {}, files = {}).status, "pass")
def test_broken():
    fail("oh no")
"""
DEAD = """\
def test_dead():
    check.eq(eval("licence", {}, {"/nobody/asks": body({})}, files = {}).status, "fail")
"""
LOOPS = "def test_loops():\n    for _ in range(1000000000): pass\ndef test_after(): check.eq(1, 1)\n"


@pytest.fixture
def project(tmp_path: Path) -> RuleFolder:
    (tmp_path / "understudy.toml").write_text('[rules]\ndirs = ["rules"]\ntest_timeout = 1\ncoverage = 100\n')
    (tmp_path / "rules").mkdir()
    folder = RuleFolder(tmp_path / "rules")
    folder.write("shared.star", SHARED)
    folder.write("good.star", GOOD)
    return folder


def run(folder: RuleFolder, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Without the other plugins that are installed here, which take long to load."""
    plugins = ["-p", "understudy.pytest_plugin", *(["-p", "xdist.plugin"] if "-n" in arguments else [])]
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "no:cacheprovider",
            *plugins,
            "--understudy-rules",
            *arguments,
        ],
        cwd=folder.root.parent,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COLUMNS": "200"},
    )


def results(done: subprocess.CompletedProcess[str]) -> dict[str, str]:
    """Item to result, from `-v`."""
    lines = re.findall(
        r"^(?:\[gw\d\] +\[.*?\] )?(\S+\.star::\S+) (\S+)|^\[gw\d\] .*?(PASSED|FAILED|SKIPPED) (\S+)",
        done.stdout,
        re.M,
    )
    return {item or late_item: result or late for item, result, late, late_item in lines}


def test_every_test_function_is_an_item_and_a_library_is_none(project: RuleFolder) -> None:
    done = run(project, "-v")
    assert results(done) == {
        "rules/good.star::test_licence": "PASSED",
        "rules/good.star::test_visibility": "PASSED",
        "rules/good.star::(mocks)": "PASSED",
    }
    assert done.returncode == 0, done.stdout


def test_a_failure_is_told_in_starlark_and_each_file_answers_for_its_own_mocks(project: RuleFolder) -> None:
    project.write("bad.star", BAD)
    project.write("dead.star", DEAD)
    project.write("syntax.star", "def test_it(:\n")
    done = run(project, "-v", "--junit-xml", "junit.xml")
    bad = {item: result for item, result in results(done).items() if result != "PASSED"}
    assert bad == {
        "rules/bad.star::test_wrong": "FAILED",
        "rules/bad.star::test_broken": "FAILED",
        "rules/dead.star::(mocks)": "FAILED",
        "rules/syntax.star::(load)": "FAILED",
    }
    assert done.returncode == 1
    assert "at rules/bad.star:3" in done.stdout
    assert "expected: pass" in done.stdout
    assert "so far so good" in done.stdout
    assert '5 |     fail("oh no")' in done.stdout
    assert "the mock '/nobody/asks' is dead" in done.stdout
    assert "Parse error" in done.stdout
    assert "Traceback (most recent call last):\n  File" not in done.stdout
    cases = ElementTree.parse(project.root.parent / "junit.xml").iter("testcase")
    assert sum(case.find("failure") is not None for case in cases) == 4
    command = re.search(r"rerun: understudy (.*bad\.star.*test_wrong)$", done.stdout, re.M)
    assert command is not None
    again = subprocess.run(
        [str(Path(sys.executable).with_name("understudy")), *command[1].split()],
        cwd=project.root.parent,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert again.returncode == 1
    assert "1 failed" in again.stdout


def test_a_part_of_a_file_says_nothing_of_its_mocks(project: RuleFolder) -> None:
    project.write("dead.star", DEAD + "def test_other(): check.eq(1, 1)\n")
    done = run(project, "-v", "rules/dead.star", "-k", "test_other or mocks")
    assert results(done) == {"rules/dead.star::test_other": "PASSED", "rules/dead.star::(mocks)": "SKIPPED"}
    assert done.returncode == 0


def test_a_file_without_tests_that_nothing_loads_is_an_error(project: RuleFolder) -> None:
    done = run(project, "rules/shared.star")
    assert done.returncode == 1
    assert "no test was found in it" in done.stdout


def test_a_test_that_never_ends_is_stopped_and_the_others_run(project: RuleFolder) -> None:
    project.write("loops.star", LOOPS)
    done = run(project, "-v")
    assert "longer than the 1 s allowed" in done.stdout
    assert {item for item, result in results(done).items() if result != "PASSED"} == {
        "rules/loops.star::test_loops",
    }


def test_workers_of_xdist_judge_the_mocks_of_the_files_that_they_run_whole(project: RuleFolder) -> None:
    project.write("dead.star", DEAD)
    done = run(project, "-v", "-n", "2", "--dist", "loadfile")
    assert results(done)["rules/dead.star::(mocks)"] == "FAILED"
    assert done.returncode == 1
    assert "1 failed, 4 passed" in done.stdout


def test_what_stands_outside_of_the_project_is_an_error_of_its_collection(
    project: RuleFolder, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "far.star"
    elsewhere.write_text(DEAD)
    done = run(project, str(elsewhere), "rules", "--rootdir", str(project.root.parent))
    assert done.returncode == 2
    assert "outside" in done.stdout
