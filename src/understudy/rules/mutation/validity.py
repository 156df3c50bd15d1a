"""Whether a mutant is a rule at all: one that does not compile says nothing about tests."""

from __future__ import annotations

import re

from understudy.core.errors import InputError
from understudy.rules.evaluate.policy import PolicyEngine
from understudy.rules.prepared import PreparedRule
from understudy.rules.rule_files import RuleFile

_SOURCES = re.compile(r"\bminder\.datasource\.\w+\.\w+")
# What the engine finds out about a policy only when it first evaluates it.
_NO_RULE = re.compile("is unsafe|used before definition|could not schedule|recursion|could not find function")


def is_rule(source: RuleFile, engine: PolicyEngine) -> bool:
    """Whether a changed rule compiles, with whatever data sources it names."""
    prepared = PreparedRule(source, lambda: engine)
    try:
        if source.rule.definition.eval.type == "jq":
            return len(prepared.assertions) > 0
        text = source.policy.text if source.policy is not None else ""
        policy = prepared.policy(sorted(set(_SOURCES.findall(text))))
    except InputError:
        return False
    try:
        policy.evaluate({}, {}, prepared.wanted)
    except InputError as error:
        return _NO_RULE.search(str(error)) is None
    return True
