"""The examples of the founding document run as they stand there, over rules like those that it speaks of.

But for one sign: where it writes `repos/*/branches` for a repository's owner and name, `*` is one segment here, so that
it reads `repos/*/*/branches`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.rule_folder import RuleFolder

PINNED = """\
version: v1
type: rule-type
name: actions_check_pinned_tags
def:
  in_entity: repository
  rule_schema: {}
  ingest: {type: git, git: {}}
  eval:
    type: rego
    rego:
      type: constraints
      def: |
        package minder
        import rego.v1
        violations contains {"msg": sprintf("unpinned action %s", [step.uses])} if {
          some name in file.ls(".github/workflows")
          some job in parse_yaml(file.read(name)).jobs
          some step in job.steps
          not regex.match(`@[0-9a-f]{40}$`, step.uses)
        }
"""
FORCE_PUSHES = """\
version: v1
type: rule-type
name: branch_protection_allow_force_pushes
short_failure_message: Force pushes are allowed
context: {provider: github}
def:
  in_entity: repository
  rule_schema: {}
  ingest:
    type: rest
    rest:
      endpoint: '/repos/{{.Entity.Owner}}/{{.Entity.Name}}/branches/{{.Entity.DefaultBranch}}/protection'
      parse: json
      fallback: [{http_code: 404, body: '{}'}]
  eval:
    type: rego
    data_sources: [{name: baselineghapi}]
    rego:
      type: deny-by-default
      def: |
        package minder
        import rego.v1
        default allow := false
        allow if input.ingested.allow_force_pushes.enabled == false
        allow if {
          answer := minder.datasource.baselineghapi.branch_protection_status({"owner": "acme-corp", "repo": "widgets"})
          answer.status == 200
          some ruleset in answer.body
          ruleset.type == "non_fast_forward"
        }
"""
SOURCE = """\
version: v1
type: data-source
name: baselineghapi
rest:
  def:
    branch_protection_status:
      endpoint: https://api.github.com/repos/{owner}/{repo}/rules/branches/main
      parse: json
      input_schema: {type: object, properties: {owner: {type: string}, repo: {type: string}}}
"""
WORKFLOW = """\
-- .github/workflows/ci.yml --
name: CI
on: [push]
jobs:
  build:
    steps:
      - uses: actions/checkout@{ref}
"""
RESPONSES = """\
-- main-protected.json --
{"allow_force_pushes": {"enabled": false}}
"""
SHARED = """\
DEFAULT_ENTITY = {"owner": "acme-corp", "name": "widgets", "default_branch": "main"}
PINNED_SHA = "11bd71901bbe5b1630ceea73d27597364c9af683"
FLOATING_TAG = "v4"
ENDPOINT = "GET https://api.github.com/repos/*/*/branches/*/protection"
"""

WRAPPER_FUNCTIONS = """\
# Default arguments carry shared setup.
# Tests only specify what varies.
def workflow_rule(ref, files="check_pinned.txtar",
                  entity=DEFAULT_ENTITY):
    fs = {}
    if files != None:
        fs = {k: v.format(ref=ref)
              for k, v in txtar(read_file(files)).items()}
    return eval(
        rule = "actions_check_pinned_tags",
        entity = entity,
        files = fs,
    )

# One template txtar, two test variants.
def test_pinned():
    check.eq(workflow_rule(PINNED_SHA).status, "pass")

def test_floating():
    check.eq(workflow_rule("v4").status, "fail")
"""
DATA_SOURCES = """\
def result_of(mocks):
    return eval(
        rule = "branch_protection_allow_force_pushes",
        entity = DEFAULT_ENTITY,
        datasources = ["path/to/baselineghapi.yaml"],
        mocks = mocks,
    )

# Test: classic branch protection blocks force pushes
def test_classic():
    mocks = {
        "GET https://api.github.com/repos/acme-corp/widgets"
        "/branches/main/protection":
            body({"allow_force_pushes": {"enabled": False}}),
        "GET https://api.github.com/repos/acme-corp/widgets"
        "/rules/branches/main":
            body([{"ruleset_source_type": "Repository",
                   "type": "non_fast_forward"}]),
    }
    check.eq(result_of(mocks).status, "pass")

def test_fixture():
    mocks = {
        "GET https://api.github.com/repos/*/*/branches/*/protection":
            body(txtar(read_file("api_responses.txtar"))["main-protected.json"]),
        "/repos/*/*/rules/**": code(404),
    }
    check.eq(result_of(mocks).status, "pass")

# Test: branch not protected
# (different mock for same endpoint)
def test_not_protected():
    mocks = {
        "GET https://api.github.com/repos/acme-corp/widgets"
        "/branches/main/protection":
            code(404),
        "/repos/*/*/rules/**": body([]),
    }
    check.eq(result_of(mocks).status, "fail")

def test_ruleset():
    mocks = {
        "GET https://api.github.com/repos/*/*/branches/*/protection": code(404),
        "/repos/*/*/rules/**": body([{"type": "non_fast_forward"}]),
    }
    check.eq(result_of(mocks).status, "pass")
"""
TABLE = """\
def workflow_files(ref):
    return {k: v.format(ref=ref) for k, v in txtar(read_file("check_pinned.txtar")).items()}

cases = [
    {"name": "pinned", "ref": PINNED_SHA, "expect": "pass"},
    {"name": "floating", "ref": FLOATING_TAG, "expect": "fail"},
]

def test_workflow_refs():
    for case in cases:
        result = eval(
            rule = "actions_check_pinned_tags",
            entity = DEFAULT_ENTITY,
            files = workflow_files(case["ref"]),
        )
        check.eq(result.status, case["expect"],
                 label=case["name"])
"""
EXPECTATIONS = """\
def workflow_files(ref):
    return {k: v.format(ref=ref) for k, v in txtar(read_file("check_pinned.txtar")).items()}

# In a test file:
load("checks.star", "violations_count", "violation_contains")

def test_unpinned_action():
    result = eval(rule = "actions_check_pinned_tags", entity = DEFAULT_ENTITY, files = workflow_files("v4"))
    violations_count(result, 1)
    violation_contains(result, "unpinned")
    check.eq(len(result.violations), 1)
    check.contains(result.violations[0].msg, "unpinned")
"""


@pytest.fixture
def written(tmp_path: Path) -> RuleFolder:
    folder = RuleFolder(tmp_path)
    for name, text in {
        "actions_check_pinned_tags.yaml": PINNED,
        "branch_protection_allow_force_pushes.yaml": FORCE_PUSHES,
        "path/to/baselineghapi.yaml": SOURCE,
        "check_pinned.txtar": WORKFLOW,
        "api_responses.txtar": RESPONSES,
    }.items():
        folder.write(name, text)
    return folder


@pytest.mark.parametrize(
    ("text", "cases"),
    [
        (WRAPPER_FUNCTIONS, {"test_pinned", "test_floating"}),
        (DATA_SOURCES, {"test_classic", "test_fixture", "test_not_protected", "test_ruleset"}),
        (TABLE, {"test_workflow_refs", "test_workflow_refs/pinned", "test_workflow_refs/floating"}),
        (EXPECTATIONS, {"test_unpinned_action"}),
    ],
    ids=["wrapper functions", "data sources", "table", "expectations"],
)
def test_an_example_passes(written: RuleFolder, text: str, cases: set[str]) -> None:
    ran = written.run(SHARED + text)
    assert ran.statuses == dict.fromkeys(cases, "passed"), ran.outcomes


def test_all_failures_of_a_function_are_reported_together_and_touch_no_other(written: RuleFolder) -> None:
    ran = written.run(
        SHARED
        + EXPECTATIONS.replace('workflow_files("v4")', "workflow_files(PINNED_SHA)")
        + "\ndef test_unknown_rule():\n    eval(rule = 'nothing', entity = DEFAULT_ENTITY)\n"
        "\ndef test_unmocked():\n    eval(rule = 'visibility', entity = DEFAULT_ENTITY)\n"
        "\ndef test_other():\n    check.ne(1, 2)\n"
    )
    assert ran.statuses == {
        "test_unpinned_action": "errored",
        "test_unknown_rule": "errored",
        "test_unmocked": "errored",
        "test_other": "passed",
    }
    assert len(ran["test_unpinned_action"].failures) == 3, (
        "the index of a violation that is not there ends it"
    )
    assert "rule 'nothing' not found" in ran["test_unknown_rule"].reason
    assert "no mock matches GET https://api.github.com/repos/acme-corp/widgets" in ran["test_unmocked"].reason
