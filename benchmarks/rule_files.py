"""The rules and tests that the benchmarks of the rules room measure with."""

from __future__ import annotations

from pathlib import Path

POLICY = """\
package minder

import rego.v1

default allow := false

allow if input.ingested.allow_force_pushes.enabled == false

message := sprintf("force pushes are allowed on %v", [input.ingested.name])
"""

ENTITY = '{"type": "repository", "owner": "acme-corp", "name": "widgets", "default_branch": "main"}'
URL = "https://api.github.com/repos/acme-corp/widgets/branches/main/protection"


def rule(name: str) -> str:
    """A small rule: one request, one policy."""
    policy = "".join(f"        {line}\n" if line else "\n" for line in POLICY.splitlines())
    return f"""\
version: v1
type: rule-type
name: {name}
context: {{provider: github}}
def:
  in_entity: repository
  rule_schema: {{}}
  ingest:
    type: rest
    rest:
      endpoint: "/repos/{{{{.Entity.Owner}}}}/{{{{.Entity.Name}}}}/branches/{{{{.Entity.DefaultBranch}}}}/protection"
      parse: json
  eval:
    type: rego
    rego:
      type: deny-by-default
      def: |
{policy}"""


def write_rules(folder: Path, rules: int, tests_each: int) -> None:
    """Rules, each with a test file beside it."""
    for number in range(rules):
        name = f"rule_{number:03}"
        (folder / f"{name}.yaml").write_text(rule(name), "utf-8")
        tests = "".join(
            f"""
def test_{index}():
    result = eval(rule = "{name}", entity = ENTITY, mocks = MOCKS)
    check.eq(result.status, "pass")
"""
            for index in range(tests_each)
        )
        mocks = f'{{"GET {URL}": body({{"allow_force_pushes": {{"enabled": False}}, "name": "main"}})}}'
        (folder / f"{name}.star").write_text(f"ENTITY = {ENTITY}\nMOCKS = {mocks}\n{tests}", "utf-8")
