"""The example of a security baseline: its tests pass, reach everything, and notice when a rule is changed."""

from __future__ import annotations

import json
import shutil
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cli.command import Done, understudy
from understudy.core.events import Evidence
from understudy.engine.act import CaseRef
from understudy.rules.rule_files import SUFFIXES, RuleFile, read_rule_file
from understudy.rules.workbench import Workbench

EXAMPLES = Path(__file__).parents[2] / "examples"
BASELINE = EXAMPLES / "baseline"
POLICIES = EXAMPLES / "storefront" / "policies"
RULES_AT_LEAST = 27
TESTS_AT_LEAST = 3


@dataclass(frozen=True, slots=True)
class Break:
    """A change of a rule, and what the test that notices it says."""

    rule: str
    old: str
    new: str
    test: str
    says: str


# One of each kind of rule: a condition, a constant, a comparison, an assertion of jq, a place, a body, a message.
BREAKS = (
    Break(
        "actions/actions_pinned.rego",
        "[0-9a-f]{40}$",
        "[0-9a-f]{40}",
        "test_what_a_step_uses/a tag that begins like a commit",
        'expected "fail", got "pass"',
    ),
    Break(
        "actions/workflow_permissions.rego",
        'not "permissions" in',
        '"permissions" in',
        "test_the_top_of_a_workflow/not said",
        "says no permissions at its top",
    ),
    Break(
        "artifacts/artifact_versions.rego",
        "version.created_at >= input.profile.since",
        "version.created_at > input.profile.since",
        "test_old_versions_are_let_be/the first day",
        "version 1 has no tag that stays",
    ),
    Break(
        "branches/branch_protected.yaml",
        "constant: true",
        "constant: false",
        "test_a_protected_branch",
        'expected "pass", got "fail"',
    ),
    Break(
        "branches/branch_linear_history.yaml",
        'input.properties["github/is_fork"]',
        'input.properties["github/fork"]',
        "test_forks_are_let_be",
        'expected "skip", got "fail"',
    ),
    Break(
        "branches/branch_rules_for_admins.yaml",
        ".enforce_admins.enabled",
        ".enforce_admins",
        "test_rules_that_hold_for_everyone",
        'expected "pass", got "fail"',
    ),
    Break(
        "secrets/secret_scanning.yaml",
        '"secret_scanning": {"status"',
        '"secret_scan": {"status"',
        "test_the_remediation",
        "secret_scanning",
    ),
    Break(
        "licences/licence_file.rego",
        "There is no file LICENSE",
        "No licence",
        "test_without_any_file",
        'expected "There is no file LICENSE", got "No licence"',
    ),
)


def copied(folder: Path, to: Path) -> Path:
    """A copy of an example, which a test may write to."""
    return Path(
        shutil.copytree(folder, to / folder.name, ignore=shutil.ignore_patterns(".understudy", "__pycache__"))
    )


def run_tests(folder: Path, *arguments: str | Path) -> tuple[Done, dict[str, Any]]:
    """The command over a folder, and the report that it wrote."""
    report = folder / "report.json"
    done = understudy(["rules", "test", *arguments, "--json", report], cwd=folder)
    return done, json.loads(report.read_text("utf-8"))


def not_passed(report: dict[str, Any]) -> dict[str, str]:
    """Every outcome that is not as it should be, with what it says."""
    return {
        outcome["id"]: outcome.get("reason") or str([failure["message"] for failure in outcome["failures"]])
        for outcome in report["outcomes"]
        if outcome["status"] != "passed"
    }


def rules_below(root: Path) -> dict[str, RuleFile]:
    """The rule types of an example by their file."""
    found = {}
    for path in sorted(path for path in root.rglob("*") if path.suffix in SUFFIXES):
        rule = read_rule_file(path, path.relative_to(root).as_posix())
        if rule is not None:
            found[rule.shown] = rule
    return found


def evaluated_by(root: Path) -> dict[str, set[str]]:
    """Which test functions evaluate which rule."""
    bench = Workbench(str(root))
    found: dict[str, set[str]] = defaultdict(set)
    for path in sorted(root.rglob("*.star")):
        file = path.relative_to(root).as_posix()
        (listed,) = bench.list_tests(file)
        for name in listed.tests:
            for item in bench.run_test(file, CaseRef(f"{file}::{name}", name)):
                if isinstance(item, Evidence):
                    for rule in item.data["rules"]:
                        found[rule].add(f"{file}::{name}")
    return found


@pytest.fixture(scope="module", name="report")
def _report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The report of the whole baseline, every line of whose rules must be reached."""
    done, report = run_tests(copied(BASELINE, tmp_path_factory.mktemp("run")))
    assert done.code == 0, done.text
    return report


def test_every_test_of_the_baseline_passes(report: dict[str, Any]) -> None:
    assert not_passed(report) == {}
    assert report["summary"]["passed"] == report["summary"]["total"] > 500


def test_a_run_reports_what_the_tests_reach_and_which_changes_they_notice(tmp_path: Path) -> None:
    """The rules of one folder, so that it takes a second: all of them are as good, and 99 in 100 are demanded."""
    baseline = copied(BASELINE, tmp_path)
    project = baseline / "understudy.toml"
    text = project.read_text("utf-8")
    assert "coverage = 100\nmutation = 99\n" in text
    project.write_text(text.replace('dirs = ["rules"]', 'dirs = ["rules/branches"]'), "utf-8")

    done = understudy(["run", "--json", "report.json", "--html", "report.html"], cwd=baseline)
    report = json.loads((baseline / "report.json").read_text("utf-8"))
    outcomes = {outcome["id"]: outcome for outcome in report["outcomes"]}

    assert (done.code, not_passed(report)) == (0, {})
    assert outcomes["rules::rules::coverage"]["details"]["percent"] == 100
    assert outcomes["rules::rules::mutation"]["details"]["mutants"] > 50
    assert outcomes["rules::rules::mutation"]["details"]["score"] >= 99
    page = (baseline / "report.html").read_text("utf-8")
    assert "mutation score 100%, 99% wanted: 58 mutants" in page
    assert "lines and assertions of the rules were reached (100%), 100% wanted" in page


def test_every_line_of_the_policies_is_reached(report: dict[str, Any]) -> None:
    lines = report["evidence"]["rules"]["lines"]
    in_rego = {file for file, rule in rules_below(BASELINE).items() if rule.policy is not None}

    assert set(lines) == in_rego
    assert {file: set(found["all"]) - set(found["covered"]) for file, found in lines.items()} == {
        file: set() for file in in_rego
    }


def test_every_rule_is_evaluated_by_several_tests() -> None:
    rules = rules_below(BASELINE)
    tests = evaluated_by(BASELINE)

    assert len(rules) >= RULES_AT_LEAST
    assert {file: len(tests[file]) for file in rules if len(tests[file]) < TESTS_AT_LEAST} == {}


def test_the_rules_show_everything_that_a_rule_may_say() -> None:
    """The example is where an author looks how something is written: it may not lose a part of the language."""
    rules = [rule.rule for rule in rules_below(BASELINE).values()]
    definitions = [rule.definition for rule in rules]
    policies = [definition.eval.rego for definition in definitions if definition.eval.rego]
    assertions = [entry for definition in definitions for entry in definition.eval.jq]
    repairs = [definition.remediate["type"] for definition in definitions if definition.remediate]
    alerts = [definition.alert["type"] for definition in definitions if definition.alert]
    sources = {source.name for definition in definitions for source in definition.eval.data_sources}

    assert {file[file.rindex(".") :] for file in rules_below(BASELINE)} == {".yaml", ".rego"}
    assert {definition.eval.type for definition in definitions} == {"jq", "rego"}
    assert {policy.type for policy in policies} == {"deny-by-default", "constraints"}
    assert {policy.violation_format for policy in policies} == {"text", "json"}
    assert (
        Counter("import rego.v1" in policy.definition for policy in policies if policy.definition)[False] == 2
    )
    assert {"constant" in entry for entry in assertions} == {True, False}
    assert {definition.ingest.type for definition in definitions} == {"rest", "git", "builtin", "diff"}
    assert {definition.in_entity for definition in definitions} == {
        "repository",
        "pull_request",
        "release",
        "artifact",
    }
    assert set(repairs) == {"rest", "gh_branch_protection", "pull_request"}
    assert set(alerts) == {"security_advisory", "pull_request_comment"}
    assert sources == {"github", "licence-register", "advisories", "repository-files"}


@pytest.mark.parametrize("change", BREAKS, ids=lambda change: Path(change.rule).stem)
def test_a_rule_that_is_changed_makes_a_test_fail(change: Break, tmp_path: Path) -> None:
    baseline = copied(BASELINE, tmp_path)
    rule = baseline / "rules" / change.rule
    text = rule.read_text("utf-8")
    assert change.old in text
    rule.write_text(text.replace(change.old, change.new), "utf-8")

    done, report = run_tests(baseline, "--dir", rule.parent)

    failed = not_passed(report)
    noticed = [said for name, said in failed.items() if name.endswith(f"::{change.test}")]
    assert done.code == 1
    assert len(noticed) == 1, failed
    assert change.says in noticed[0]
    assert change.says in done.out
    # What other rules of the same folder are tested for has nothing to do with it.
    assert {name.split("::")[1].split("/")[-1] for name in failed} <= {
        f"{rule.stem}.star",
        f"{rule.stem}_test.star",
    }


def test_the_policies_of_the_storefront_pass_and_are_each_tested(tmp_path: Path) -> None:
    copy = copied(POLICIES, tmp_path)
    (copy / "understudy.toml").write_text('[rules]\ndirs = ["."]\n', "utf-8")

    done, report = run_tests(copy)
    tests = evaluated_by(copy)

    assert (done.code, not_passed(report)) == (0, {})
    assert len(rules_below(copy)) == 5
    assert {file for file in rules_below(copy) if len(tests[file]) < TESTS_AT_LEAST} == set()
