"""All mutants of a rule, each once, in the order of its file."""

from __future__ import annotations

from collections.abc import Collection

from understudy.rules.mutation.declared import assertion_mutants, schema_mutants
from understudy.rules.mutation.mutant import KINDS, Mutant
from understudy.rules.mutation.policy import policy_mutants
from understudy.rules.rule_files import RuleFile

_ORDER = {kind: number for number, kind in enumerate(KINDS)}


def mutants(source: RuleFile, skip: Collection[str] = ()) -> list[Mutant]:
    """The mutants of a rule without those of the kinds to skip; none is the rule itself, no two are equal.

    Some may not compile: only an engine can tell.
    """
    is_rego = source.rule.definition.eval.type == "rego" and source.policy is not None
    found = policy_mutants(source.policy) if is_rego and source.policy is not None else []
    found += [*assertion_mutants(source), *schema_mutants(source)]
    found.sort(key=lambda mutant: (mutant.line, mutant.column, _ORDER[mutant.kind], mutant.after))
    known = {source.policy.text} if source.policy is not None else set()
    kept: list[Mutant] = []
    for mutant in found:
        same = mutant.changed.policy if mutant.changed.policy is not None else mutant.changed.digest
        if mutant.kind not in skip and same not in known:
            known.add(same)
            kept.append(mutant)
    return kept
