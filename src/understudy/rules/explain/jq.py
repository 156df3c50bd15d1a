"""Why a rule of type jq came out as it did: its assertions, each with what was compared."""

from __future__ import annotations

from collections.abc import Iterator

from understudy.core.brief import brief_pair
from understudy.rules.evaluate.jq_assertions import Compared, JqResult
from understudy.rules.rule_files import RuleFile

_SHOWN = 20


def explain_jq(source: RuleFile, result: JqResult) -> Iterator[str]:
    """The assertions that were reached, in order: what failed in full, what held in one line."""
    total = len(source.rule.definition.eval.jq)
    reached = result.reached
    if len(reached) > _SHOWN:
        yield f"  … {len(reached) - _SHOWN} assertions before held"
    for compared in reached[-_SHOWN:]:
        yield from _assertion(source, compared)
    left = total - len(reached)
    if result.status == "fail" and left:
        yield f"  {left} more {'assertion was' if left == 1 else 'assertions were'} not compared"


def _assertion(source: RuleFile, compared: Compared) -> Iterator[str]:
    line, column = source.place("def", "eval", "jq", compared.index, "ingested", "def")
    place = f"{source.shown}:{line}:{column}"
    expected, actual = brief_pair(compared.expected, compared.actual)
    if compared.held:
        yield f"  {place}  {compared.path}   is {actual}, as expected"
        return
    yield f"  {place}  {compared.path}   is not what was expected (assertion {compared.index + 1})"
    yield f"      {compared.path} = {'not set' if compared.actual is None else actual}"
    where = f"{compared.source} of the profile" if compared.source else "the constant"
    yield f"      expected {expected} ({where})"
