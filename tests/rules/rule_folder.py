"""A folder of rules and tests, run in this process."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from understudy.core.events import Evidence
from understudy.core.ids import case_id
from understudy.core.outcome import Location, Outcome
from understudy.engine.act import CaseRef
from understudy.rules.listing import Listed
from understudy.rules.workbench import Workbench

VISIBILITY = """\
version: v1
type: rule-type
name: visibility
short_failure_message: The repository is public
context: {provider: github}
def:
  in_entity: repository
  rule_schema: {properties: {wanted: {type: string, default: private}}}
  param_schema: {properties: {api: {type: string, default: repos}}}
  ingest:
    type: rest
    rest:
      endpoint: "/{{ .Params.api }}/{{ .Entity.Owner }}/{{ .Entity.Name }}"
      parse: json
      fallback: [{http_code: 404, body: '{"visibility": "none"}'}]
  eval:
    type: rego
    rego:
      type: deny-by-default
      def: |
        package minder
        import rego.v1
        default allow := false
        allow if {
          print("it is", input.ingested.visibility)
          input.ingested.visibility == input.profile.wanted
        }
        skip if input.ingested.archived
        output := {"is": input.ingested.visibility}
"""

LICENCE = """\
version: v1
type: rule-type
name: licence
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
        violations contains {"msg": "there is no LICENSE"} if not file.exists("LICENSE")
        violations contains {"msg": sprintf("%v is empty", [name])} if {
          some name in file.ls("docs")
          file.read(name) == ""
        }
"""

ISSUES = """\
version: v1
type: rule-type
name: issues
def:
  in_entity: repository
  rule_schema: {properties: {enabled: {type: boolean}}}
  ingest: {type: rest, rest: {endpoint: "repos/{{.Entity.Owner}}/{{.Entity.Name}}", parse: json}}
  eval:
    type: jq
    jq:
      - ingested: {def: .has_issues}
        profile: {def: .enabled}
      - ingested: {def: .size}
        constant: 1
"""


@dataclass
class Ran:
    """What came of the tests of a file, by name; rows by `test/label`."""

    outcomes: dict[str, Outcome] = field(default_factory=dict)
    evidence: list[dict[str, Any]] = field(default_factory=list)

    def __getitem__(self, name: str) -> Outcome:
        return self.outcomes[name]

    @property
    def statuses(self) -> dict[str, str]:
        return {name: str(outcome.status) for name, outcome in self.outcomes.items()}


class RuleFolder:
    """A project of rules."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.cover = False
        for name, text in (("visibility", VISIBILITY), ("licence", LICENCE), ("issues", ISSUES)):
            self.write(f"{name}.yaml", text)

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), "utf-8")
        return path

    def run(self, text: str, name: str = "a.star") -> Ran:
        """Write a test file and run its tests."""
        self.write(name, text)
        bench = Workbench(str(self.root), cover=self.cover)
        listed: Listed
        (listed,) = bench.list_tests(name)
        assert listed.error is None, listed.error
        ran = Ran()
        for test, line in listed.tests.items():
            ref = CaseRef(case_id("rules", name, test), test, location=Location(name, line))
            for item in bench.run_test(name, ref):
                if isinstance(item, Outcome):
                    ran.outcomes[item.name] = item
                elif isinstance(item, Evidence):
                    ran.evidence.append(dict(item.data))
        return ran

    def run_body(self, *lines: str) -> Outcome:
        """Run one test of these lines, with an entity called E."""
        body = "".join(f"    {line}\n" for line in lines)
        return self.run(f'E = {{"owner": "acme", "name": "shop"}}\ndef test_it():\n{body}')["test_it"]
