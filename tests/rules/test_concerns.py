"""Which test files a change concerns, from what runs told."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.rule_folder import RuleFolder
from understudy.core.events import CaseFinished, Evidence, RunFinished
from understudy.core.file_changes import FileChanges
from understudy.core.ids import case_id
from understudy.core.outcome import Outcome, Status
from understudy.core.report import Report, Summary
from understudy.rules.concerns import Concerns, identity


def outcome(file: str, name: str, status: Status) -> CaseFinished:
    return CaseFinished(Outcome(id=case_id("rules", file, name), act="rules", name=name, status=status))


def report(stopped: str = "") -> RunFinished:
    return RunFinished(Report(Summary(), (), stopped=stopped))


def needs(file: str, *needed: str, followed: bool = True) -> Evidence:
    told = {"needed": {file: [file, *needed]}, "tests": {file: ["test_it"]}}
    return Evidence(told | ({"followed": {file: ["test_it"]}} if followed else {}))


@pytest.fixture
def concerns(folder: RuleFolder) -> Concerns:
    """Two test files in one folder, one of each rule, and one in a folder of its own."""
    folder.write("deep/c.star", "")
    concerns = Concerns(folder.root)
    concerns.begin(None)
    for file, needed in {
        "a.star": ("licence.yaml", "testdata/a.txtar"),
        "b.star": ("visibility.yaml", "lib.star"),
        "deep/c.star": ("../sources/s.yaml",),
    }.items():
        concerns.hear(needs(file, *needed))
        concerns.hear(outcome(file, "test_it", Status.PASSED))
    concerns.hear(report())
    return concerns


def changed(*paths: str) -> FileChanges:
    return FileChanges(changed=frozenset(paths))


@pytest.mark.parametrize(
    ("changes", "files"),
    [
        (changed("licence.yaml"), ["a.star"]),
        (changed("visibility.yaml", "testdata/a.txtar"), ["a.star", "b.star"]),
        (changed("issues.yaml"), []),
        (changed("notes.txt"), []),
        (changed("lib.star"), ["b.star"]),
        (changed("../sources/s.yaml"), ["deep/c.star"]),
        (changed("b.star"), ["b.star"]),
        (FileChanges(new=frozenset(["deep/testdata/x.txt"])), ["a.star", "b.star", "deep/c.star"]),
        (FileChanges(new=frozenset(["e.yaml"])), ["a.star", "b.star"]),
        (FileChanges(gone=frozenset(["licence.yaml"])), ["a.star", "b.star"]),
        (FileChanges(new=frozenset(["e.star"])), None),
        (FileChanges(gone=frozenset(["a.star"])), None),
    ],
)
def test_a_change_concerns_what_needed_it(
    concerns: Concerns, changes: FileChanges, files: list[str] | None
) -> None:
    assert concerns.of(changes) == files


def test_a_rule_that_takes_another_name_concerns_its_whole_folder(
    concerns: Concerns, folder: RuleFolder
) -> None:
    text = (folder.root / "issues.yaml").read_text()
    folder.write("issues.yaml", text.replace("constant: 1", "constant: 2"))
    assert concerns.of(changed("issues.yaml")) == []
    folder.write("issues.yaml", text.replace("name: issues", "name: licence"))
    assert concerns.of(changed("issues.yaml")) == ["a.star", "b.star"]


def test_what_could_not_tell_all_that_it_needs_runs_after_every_change(concerns: Concerns) -> None:
    concerns.begin(["a.star"])
    concerns.hear(needs("a.star", followed=False))
    concerns.hear(outcome("a.star", "test_it", Status.ERRORED))
    concerns.hear(report())
    assert concerns.of(changed("notes.txt")) == ["a.star"]
    concerns.begin(["b.star"])
    concerns.hear(outcome("b.star", "(load)", Status.ERRORED))
    concerns.hear(report())
    assert concerns.of(changed("notes.txt")) == ["a.star", "b.star"]
    assert concerns.bad_beside(["b.star"]) == ["a.star"]


def test_a_new_file_anywhere_concerns_what_is_bad(concerns: Concerns) -> None:
    concerns.begin(["a.star"])
    concerns.hear(needs("a.star"))
    concerns.hear(outcome("a.star", "test_it", Status.FAILED))
    concerns.hear(report())
    assert concerns.of(FileChanges(new=frozenset(["../elsewhere/x.yaml"]))) == ["a.star"]


def test_after_a_run_that_was_broken_off_all_is_run(concerns: Concerns) -> None:
    concerns.begin(["a.star"])
    concerns.hear(report(stopped="stopped at the first failure (-x)"))
    assert concerns.of(changed("notes.txt")) is None


def test_the_identity_of_a_rule_is_what_its_neighbours_see(tmp_path: Path) -> None:
    rule = tmp_path / "a.yaml"
    rule.write_text("type: rule-type\nname: a\ndef: {}\n")
    same = identity(rule)
    rule.write_text("type: rule-type\nname: a\ndef: {in_entity: repository}\n")
    assert identity(rule) == same != ""
    rule.write_text("{type: rule-type, name: a}\n")
    assert identity(rule) == "{type: rule-type, name: a}\n", "what is not plain may mean anything"
    rule.write_text("a: fixture\n")
    assert identity(rule) == ""
    policy = tmp_path / "a.rego"
    policy.write_text("# METADATA\n# name: a\npackage minder\nallow := true\n")
    same = identity(policy)
    policy.write_text("# METADATA\n# name: a\npackage minder\nallow := false\n")
    assert identity(policy) == same
