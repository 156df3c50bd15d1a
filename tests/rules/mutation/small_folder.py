"""A small rule, and tests that notice all of its mutants but one."""

from __future__ import annotations

RULE = """\
version: v1
type: rule-type
name: small
def:
  in_entity: repository
  rule_schema: {properties: {most: {type: integer, default: 3}}}
  ingest: {type: rest, rest: {endpoint: "/repos/{{.Entity.Owner}}", parse: json}}
  eval:
    type: rego
    rego:
      type: deny-by-default
      def: |
        package minder
        import rego.v1
        default allow := false
        allow if {
          input.ingested.count < input.profile.most
          not input.ingested.archived
        }
"""
TESTS = """\
def status(**answer):
    return eval("small", {"owner": "a"}, {"/repos/a": body(answer)}).status
def test_few():
    check.eq(status(count = 2), "pass")
    check.eq(status(count = 3), "fail")
"""
LOOPS = RULE.replace(
    "not input.ingested.archived",
    "input.ingested.small\n          some a in numbers.range(1, 50000)\n"
    "          some b in numbers.range(1, 50000)\n          a * b < 0",
)
ENDLESS = """\
def test_big():
    check.eq(eval("small", {"owner": "a"}, {"/repos/a": body({"count": 1})}).status, "fail")
"""
