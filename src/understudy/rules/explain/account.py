"""An evaluation explained: which rules of the policy decided it, and why each came out as it did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from understudy.core.errors import InputError
from understudy.rules.evaluate.functions import HostFunction
from understudy.rules.evaluate.policy import PolicyEngine, PolicyResult
from understudy.rules.evaluation import Evaluation, Inputs
from understudy.rules.explain.instrument import Instrumented, Traced
from understudy.rules.explain.jq import explain_jq
from understudy.rules.explain.passage import Passage, passages
from understudy.rules.explain.probes import one_line, references
from understudy.rules.explain.replay import replayed
from understudy.rules.explain.sections import Teller
from understudy.rules.explain.traces import Subject, TooLong, trace
from understudy.rules.host import host_functions
from understudy.rules.prepared import PreparedRule
from understudy.rules.syntax.module import parse

_DEPTH = 3
_SECTIONS = 12
_LINES = 200


def explain(prepared: PreparedRule, inputs: Inputs, evaluation: Evaluation) -> str:
    """Why an evaluation came out as it did, in lines; '' if its message says all there is to say.

    The rule is evaluated again, without any request: what data sources answered is told again if their functions
    were `recorded`. It never raises: what cannot be explained says why.
    """
    if evaluation.judgement.status == "error":
        return ""
    if evaluation.assertions is not None:
        return "\n".join(explain_jq(prepared.source, evaluation.assertions))
    text, result = prepared.source.policy, evaluation.policy
    if text is None or result is None:
        return ""
    try:
        names = sorted(inputs.functions)
        subject = Subject(text, evaluation.document, lambda: _functions(inputs), names, prepared.wanted)
        return "\n".join(explain_policy(subject, result))
    except Exception as error:  # an explanation must never cost the outcome that it is for
        return f"could not be explained: {_first_line(error)}"


def _functions(inputs: Inputs) -> Sequence[Mapping[str, HostFunction]]:
    return replayed(inputs.functions), host_functions(inputs.tree, inputs.base)


def explain_policy(subject: Subject, result: PolicyResult) -> list[str]:
    """Why a policy gave what it gave. Raises InputError, TooLong."""
    from understudy.rules.evaluate.rego_engine import open_engine

    module = parse(subject.source)
    if module is None:
        return ["could not be explained: the policy cannot be parsed"]
    engine = open_engine()
    policy = Instrumented(module)
    try:
        events, again = trace(engine, subject, policy)
    except (TooLong, InputError) as error:
        return [f"could not be explained: {_first_line(error)}"]
    if _encoded(again.values) != _encoded(result.values):
        return ["could not be explained: evaluated again, it comes out otherwise"]
    found = passages(policy, events)
    plan = _Plan(policy, Teller(policy, found, result.slips), found)
    plan.begin(_deciding(result, subject.wanted))
    return _cut(plan.told(_with_values(engine, subject, plan), result))


def _deciding(result: PolicyResult, wanted: Sequence[str]) -> str:
    """The rule whose value was the verdict."""
    if result.values.get("skip") is True or not isinstance(result.values.get("skip", False), bool):
        return "skip"
    return "violations" if "violations" in wanted else "allow"


class _Plan:
    """Which rules are told of, and at which statements values are wanted."""

    def __init__(self, policy: Instrumented, teller: Teller, found: Mapping[int, Passage]) -> None:
        self.policy = policy
        self.found = found
        self._teller = teller
        self.names: dict[str, bool] = {}

    def begin(self, name: str) -> None:
        """Start with the rule that decided, and go on with what its statements refer to, level by level."""
        level = {name: True}
        for _ in range(_DEPTH):
            following: dict[str, bool] = {}
            for entry, is_wanted in level.items():
                if entry in self.names or len(self.names) >= _SECTIONS:
                    continue
                if not is_wanted and self._is_plain_value(entry):
                    continue
                self.names[entry] = is_wanted
                following |= self._look_into(entry)
            level = following

    def _is_plain_value(self, name: str) -> bool:
        """Whether a rule has a value that the statement which refers to it already shows."""
        kinds = {rule.kind for rule in self.policy.module.definitions(name)}
        return kinds <= {"Compr", "Default"} and self._teller.is_held(name)

    def _look_into(self, name: str) -> dict[str, bool]:
        """Ask for the values where a rule's bodies ended or held; what the statements there refer to."""
        following: dict[str, bool] = {}
        for query in self._teller.bodies(name):
            passage = self.found.get(query.first)
            if passage is None:
                continue
            if passage.held:
                self.policy.look_at(query, query.length)
                if not query.statements:
                    gives = query.rule.key or query.rule.value if query.body is None else query.body.assigned
                    following |= dict.fromkeys(references(self.policy.scope, gives), False) if gives else {}
            for position in self._teller.stopping(query):
                following |= self._stopped(query, position)
        return following

    def _stopped(self, query: Traced, position: int) -> dict[str, bool]:
        self.policy.look_at(query, position)
        statement = query.statements[position]
        is_wanted = statement.kind == "NotExpr"
        parts = statement.node if statement.kind != "Every" else statement.node["domain"]
        following = dict.fromkeys(references(self.policy.scope, parts), is_wanted)
        inner = query.inside.get(position)
        found = self.found.get(inner.first) if inner is not None else None
        if inner is not None and found is not None and found.furthest is not None:
            following |= self._stopped(inner, found.furthest)
        return following

    def told(self, seen: Mapping[int, Passage] | None, result: PolicyResult) -> Iterator[str]:
        """The sections, the deciding rule first."""
        teller = Teller(self.policy, self.found, result.slips, seen)
        for number, name in enumerate(self.names):
            values = result.values if number == 0 else None
            is_bare_success = number == 0 and teller.is_held(name) and bool(result.values.get(name))
            yield teller.title(name, values)
            yield from teller.lines(name, failed=not is_bare_success)


def _with_values(engine: PolicyEngine, subject: Subject, plan: _Plan) -> Mapping[int, Passage] | None:
    """The same with the values that the plan asks for; None if they cannot be had."""
    try:
        events, _ = trace(engine, subject, plan.policy)
    except (TooLong, InputError):
        for query in plan.policy.queries:
            query.probes.clear()
        return None
    return passages(plan.policy, events)


def _encoded(values: Mapping[str, Any]) -> str:
    import json

    return json.dumps(values, sort_keys=True, default=repr)


def _cut(lines: Iterator[str]) -> list[str]:
    kept: list[str] = []
    for line in lines:
        if len(kept) == _LINES:
            return [*kept, "…"]
        kept.append(line)
    return kept


def _first_line(error: BaseException) -> str:
    text = str(error) or type(error).__name__
    return one_line(text.splitlines()[0] if text.splitlines() else text, 300)
