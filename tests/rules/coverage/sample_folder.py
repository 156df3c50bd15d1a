"""A folder of rules whose tests reach a part of them, and the command over it."""

from __future__ import annotations

from pathlib import Path

# The line of each statement matters: tests name them.
VISIBILITY = """\
version: v1
type: rule-type
name: visibility
def:
  in_entity: repository
  rule_schema: {properties: {wanted: {type: string, default: private}}}
  ingest: {type: rest, rest: {endpoint: "/repos/{{.Entity.Owner}}", parse: json}}
  eval:
    type: rego
    rego:
      type: deny-by-default
      def: |
        package minder
        import rego.v1

        default allow := false

        allow if input.ingested.visibility == input.profile.wanted

        allow if {
          input.ingested.archived
          count(input.ingested.topics) > 2
        }
        message := sprintf("it is %v",
          [input.ingested.visibility])
"""
ISSUES = """\
type: rule-type
name: issues
def:
  in_entity: repository
  rule_schema: {properties: {enabled: {type: boolean}}}
  ingest: {type: rest, rest: {endpoint: "/repos/{{.Entity.Owner}}", parse: json}}
  eval:
    type: jq
    jq:
      - ingested: {def: .has_issues}
        profile: {def: .enabled}
      - ingested: {def: .size}
        constant: 1
"""
UNTESTED = """\
# METADATA
# custom:
#   def:
#     in_entity: repository
#     ingest: {type: git}
#     eval: {rego: {type: constraints}}
package minder
import rego.v1
violations contains {"msg": "<none>"} if not file.exists("a")
"""
BROKEN = UNTESTED.replace('"<none>"', "")
TESTS = """\
E = {"owner": "a"}
def see(rule, profile = {}, **answer):
    return eval(rule, E, {"/repos/a": body(answer)}, profile = profile)
def test_private():
    check.eq(see("visibility", visibility = "private").status, "pass")
    check.eq(see("visibility", visibility = "public").status, "fail")
def test_issues():
    check.eq(see("issues", {"enabled": True}, has_issues = False).status, "fail")
"""


def write_sample(root: Path) -> Path:
    """The folder `rules` below a root, with three rules and their tests."""
    folder = root / "rules"
    folder.mkdir()
    for name, text in {
        "visibility.yaml": VISIBILITY,
        "issues.yaml": ISSUES,
        "untested.rego": UNTESTED,
        "a.star": TESTS,
    }.items():
        (folder / name).write_text(text, "utf-8")
    return folder
