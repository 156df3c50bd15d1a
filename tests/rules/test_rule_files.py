"""Rule files: YAML and Rego with METADATA become rule types, and every fault is told at its place in the file."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from understudy.core.errors import InputError
from understudy.rules.rule_files import RuleFile, read_rule_file
from understudy.rules.rulebook import Rulebook

YAML_RULE = """\
version: v1
type: rule-type
name: pinned
display_name: Actions are pinned
short_failure_message: An action is not pinned
context: {provider: github}
severity: {value: high}
def:
  in_entity: repository
  rule_schema: {properties: {limit: {type: integer, default: 3}}}
  ingest:
    type: git
    git: {}
  eval:
    type: rego
    rego:
      type: constraints
      def: |
        package minder

        import rego.v1
        violations contains {"msg": "x"} if false
    data_sources: [{name: ghapi}]
"""

REGO_RULE = """\
# SPDX-License-Identifier: Apache-2.0

# METADATA
# title: Actions are pinned
# description: |
#   Two
#   lines
# short_failure_message: top level
# custom:
#   name: pinned-rego
#   severity:
#     value: high
#   def:
#     in_entity: repository
#     ingest: {type: git, git: {}}
#     eval:
#       data_sources: [{name: ghapi}]

package minder

default allow := false
"""


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(textwrap.dedent(text), "utf-8")
    return path


def read(folder: Path, name: str, text: str) -> RuleFile:
    found = read_rule_file(write(folder, name, text), name)
    assert found is not None
    return found


def problems(folder: Path, name: str, text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        read_rule_file(write(folder, name, text), name)
    return [str(problem) for problem in caught.value.problems]


def test_a_yaml_rule_knows_where_its_policy_stands(tmp_path: Path) -> None:
    found = read(tmp_path, "a.yaml", YAML_RULE)
    assert found.rule.name == "pinned"
    assert found.rule.definition.rule_schema["properties"]["limit"]["default"] == 3
    assert [source.name for source in found.rule.definition.eval.data_sources] == ["ghapi"]
    assert found.policy is not None
    assert (found.policy.line, found.policy.indent) == (19, 8)
    assert found.policy.text.startswith("package minder\n\nimport rego.v1\n")
    lines = YAML_RULE.splitlines()
    for number, line in enumerate(found.policy.text.splitlines()):
        assert lines[found.policy.line - 1 + number].strip() == line


@pytest.mark.parametrize(
    ("block", "line", "indent"),
    [
        ("def: |\n\n          package minder\n", 11, 10),
        ("def: |2\n          package minder\n", 11, 8),
        ("def: |-  # comment\n        package minder", 11, 8),
        ('def: "package minder"', 10, 12),
        ("def: package minder", 10, 11),
        ("def: >\n        package minder\n", 11, 8),
    ],
)
def test_every_way_to_write_a_block_keeps_its_place(
    tmp_path: Path, block: str, line: int, indent: int
) -> None:
    text = f"""\
type: rule-type
name: a
def:
  ingest: {{type: git}}
  eval:
    type: rego
    # a comment
    rego:
      type: deny-by-default
      {block}
"""
    found = read_rule_file(_raw(tmp_path, text), "a.yaml")
    assert found is not None
    assert found.policy is not None
    assert (found.policy.line, found.policy.indent) == (line, indent)


def _raw(folder: Path, text: str) -> Path:
    path = folder / "a.yaml"
    path.write_text(text, "utf-8")
    return path


def test_a_rego_rule_has_its_fields_in_metadata(tmp_path: Path) -> None:
    found = read(tmp_path, "file-name.rego", REGO_RULE)
    rule = found.rule
    assert (rule.name, rule.display_name, rule.description) == (
        "pinned-rego",
        "Actions are pinned",
        "Two\nlines\n",
    )
    assert (rule.severity.value, rule.short_failure_message) == ("high", "top level")
    assert rule.definition.eval.type == "rego"
    assert rule.definition.eval.rego is not None
    assert rule.definition.eval.rego.type == "deny-by-default"
    assert rule.definition.rule_schema == {}
    assert found.policy is not None
    assert (found.policy.text, found.policy.line, found.policy.indent) == (REGO_RULE, 1, 0)


def test_a_rego_rule_is_called_like_its_file_and_may_have_all_keys_at_the_top(tmp_path: Path) -> None:
    text = """\
package minder
# METADATA
#
# display_name: Top
# def:
#   in_entity: release
#   ingest: {type: builtin}
#   eval: {rego: {type: constraints}}
import rego.v1
"""
    found = read(tmp_path, "from-file.rego", text)
    assert (found.rule.name, found.rule.display_name) == ("from-file", "Top")
    assert found.rule.definition.eval.rego is not None
    assert found.rule.definition.eval.rego.type == "constraints"


@pytest.mark.parametrize(
    "text",
    ["", "a: 1", "type: data-source\nname: x", "- 1\n- 2", "type: profile", "not: [closed", "{{ template }}"],
)
def test_yaml_that_is_no_rule_type_is_passed_over(tmp_path: Path, text: str) -> None:
    assert read_rule_file(write(tmp_path, "a.yaml", text), "a.yaml") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (YAML_RULE.replace("name: pinned", "name: 7"), "a.yaml:3:7: 'name' must be text"),
        (YAML_RULE.replace("in_entity: repository", "in_entity: repo"), "a.yaml:9:14: 'in_entity'"),
        (YAML_RULE.replace("type: constraints", "type: constraint"), "did you mean 'constraints'?"),
        (YAML_RULE.replace("    type: git\n", ""), "'type' is missing"),
        (YAML_RULE.replace("      def: |", "      deff: |"), "'def.eval.rego.def' is missing"),
        (YAML_RULE.replace("    type: rego\n", "    type: jq\n"), "'def.eval.jq' is missing"),
        (YAML_RULE.replace("severity: {value: high}", "severity: {value: high"), "is not valid YAML"),
    ],
)
def test_a_broken_yaml_rule_is_told_at_its_place(tmp_path: Path, text: str, expected: str) -> None:
    assert any(expected in problem for problem in problems(tmp_path, "a.yaml", text)), problems(
        tmp_path, "a.yaml", text
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "has no METADATA comment"),
        ("package minder\n", "has no METADATA comment"),
        ("# METADATA\n# - a\npackage minder\n", "holds no keys"),
        (REGO_RULE.replace("in_entity: repository", "in_entity: repo"), "a.rego:14:18: 'in_entity'"),
        (REGO_RULE.replace("severity:", "severity: high #"), "a.rego:12"),
        (REGO_RULE.replace("{type: git, git: {}}", "{type: git, git: {}"), "a.rego:1"),
        (REGO_RULE.replace("ingest: {type: git, git: {}}", "other: 1"), "'ingest' is missing"),
    ],
)
def test_a_broken_rego_rule_is_told_at_its_place(tmp_path: Path, text: str, expected: str) -> None:
    found = problems(tmp_path, "a.rego", text)
    assert any(expected in problem for problem in found), found


def test_a_folder_is_its_rules_by_name(tmp_path: Path) -> None:
    write(tmp_path, "a.yaml", YAML_RULE)
    write(tmp_path, "b.yml", YAML_RULE.replace("name: pinned", 'name: "quoted name" # comment'))
    write(tmp_path, "c.rego", REGO_RULE)
    write(tmp_path, "source.yaml", "type: data-source\nname: pinned\n")
    write(
        tmp_path,
        "flow.yaml",
        "{type: rule-type, name: flow, def: {ingest: {type: git}, eval: {type: trusty}}}",
    )
    (tmp_path / "sub").mkdir()
    write(tmp_path, "sub/d.yaml", YAML_RULE)
    book = Rulebook(tmp_path, tmp_path)
    assert book.names == ["flow", "pinned", "pinned-rego", "quoted name"]
    assert book.rule("quoted name").shown == "b.yml"


def test_two_rules_of_one_name_and_broken_rego_are_errors_of_the_folder(tmp_path: Path) -> None:
    write(tmp_path, "a.yaml", YAML_RULE)
    write(tmp_path, "b.rego", REGO_RULE.replace("pinned-rego", "pinned"))
    write(tmp_path, "c.rego", "package minder")
    with pytest.raises(InputError) as caught:
        Rulebook(tmp_path, tmp_path)
    assert [str(problem) for problem in caught.value.problems] == [
        "b.rego: the rule 'pinned' is in this folder twice: also in a.yaml (give one of the two another name)",
        (
            "c.rego:1: has no METADATA comment, so it is no rule type "
            "(write '# METADATA' and the rule's fields as YAML in the comment lines below it)"
        ),
    ]


def test_an_unknown_rule_is_told_with_the_nearest_and_with_what_could_not_be_read(tmp_path: Path) -> None:
    write(tmp_path, "a.yaml", YAML_RULE)
    write(tmp_path, "b.yaml", "type: rule-type\nnot: [closed")
    with pytest.raises(InputError) as caught:
        Rulebook(tmp_path, tmp_path).rule("pined")
    first, second = [str(problem) for problem in caught.value.problems]
    assert "rule 'pined' not found" in first
    assert "did you mean 'pinned'?" in first
    assert second.startswith("b.yaml:")
