"""The process of the tests may start before it is known which tests there are."""

from __future__ import annotations

import os
import signal

from rules.rule_folder import RuleFolder
from understudy.project.rules_project import project_of_rules
from understudy.rules.act import RulesAct
from understudy.rules.cells import started_early


def discovered(folder: RuleFolder, *, dies: bool) -> list[str]:
    started = started_early()
    if dies:
        os.kill(started.process.pid, signal.SIGKILL)
        started.process.wait()
    project = project_of_rules([str(folder.root)], str(folder.root), {})
    act = project.acts["rules"]
    assert isinstance(act, RulesAct)
    act.begin_in(started)
    return [unit.id for unit in act.discover(project)]


def test_files_are_loaded_in_the_process_that_was_started_early(folder: RuleFolder) -> None:
    folder.write("a.star", "def test_a(): check.eq(1, 1)\n")
    folder.write("b.star", "def test_b(): check.eq(1, 1)\n")
    assert discovered(folder, dies=False) == ["rules::a.star::test_a", "rules::b.star::test_b"]


def test_its_death_is_told_of_the_file_that_it_was_loading_and_another_one_takes_over(
    folder: RuleFolder,
) -> None:
    folder.write("a.star", "def test_a(): check.eq(1, 1)\n")
    folder.write("b.star", "def test_b(): check.eq(1, 1)\n")
    assert discovered(folder, dies=True) == ["rules::a.star::(load)", "rules::b.star::test_b"]
