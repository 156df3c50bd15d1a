"""One small change of a rule: what it is in words, where it stands, and how the rule becomes the mutant."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import Any

from understudy.rules.prepared import with_policy
from understudy.rules.rule_files import RuleFile

KINDS = {
    "negate": "a condition that holds is made to fail, and one that fails to hold",
    "statement": "a line of a body is dropped",
    "comparison": "one comparison is put for another",
    "constant": "a constant is changed",
    "default": "the default of a rule is changed",
    "else": "an else is dropped, or trades its value with the branch above it",
    "body": "one of several bodies of a rule is dropped",
    "message": "the text of a message is changed",
    "path": "a path of a jq assertion is changed",
    "assertion": "a jq assertion is dropped",
    "schema-default": "the default of a parameter or of a part of the profile is changed",
}
"""Every kind of change, in the order in which changes of one place are listed."""


@dataclass(frozen=True, slots=True)
class Changed:
    """What takes the place of something in the rule: the policy's text, or the value at a path of its definition."""

    policy: str | None = None
    path: tuple[str, ...] = ()
    value: Any = None

    def apply(self, source: RuleFile) -> RuleFile:
        """The rule with the change."""
        if self.policy is not None:
            return with_policy(source, self.policy)
        written = source.rule.model_dump(by_alias=True)
        holder: dict[str, Any] = written
        for step in self.path[:-1]:
            holder = holder[step]
        holder[self.path[-1]] = self.value
        return replace(source, rule=type(source.rule).model_validate(written))

    @property
    def digest(self) -> str:
        """The same for equal changes of one rule, and for no others."""
        text = self.policy if self.policy is not None else json.dumps([self.path, self.value], sort_keys=True)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A change of a rule. `before` and `after` are the texts in the file, `after` is '' for what is dropped."""

    kind: str
    line: int
    column: int
    before: str
    after: str
    changed: Changed

    @property
    def words(self) -> str:
        """The change in words.

        >>> Mutant("statement", 7, 3, "input.ok", "", Changed("")).words
        'input.ok -> (dropped)'
        """
        return f"{self.before} -> {self.after or '(dropped)'}"

    def apply(self, source: RuleFile) -> RuleFile:
        """The rule with the change."""
        return self.changed.apply(source)
