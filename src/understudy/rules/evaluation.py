"""One evaluation of a rule from start to end: fill in defaults, ingest, judge, remediate and alert."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from understudy.core.errors import InputError
from understudy.rules.data_sources.http_send import http_send_function
from understudy.rules.evaluate.functions import HostFunction
from understudy.rules.evaluate.policy import PolicyResult, Slip
from understudy.rules.evaluate.verdicts import Judgement, failing, judge
from understudy.rules.host import host_functions
from understudy.rules.ingest.builtin import ingest_builtin, is_meant
from understudy.rules.ingest.git import files_of_rule
from understudy.rules.prepared import PreparedRule
from understudy.rules.schemas import BreaksSchema
from understudy.rules.web import UnmatchedRequest, Web, WebError
from understudy.trees.tree import Tree


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a rule is evaluated with. `tree` and `base` are the files after and before a change.

    `only_files` says that the files stand for whatever the rule would ingest, as in mindev's tests. Without
    `checks_params` parameters are not held to their schema.
    """

    entity: Mapping[str, Any]
    web: Web
    profile: Mapping[str, Any] = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)
    tree: Tree | None = None
    base: Tree | None = None
    functions: Mapping[str, HostFunction] = field(default_factory=dict)
    only_files: bool = False
    profile_name: str = ""
    checks_params: bool = True


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What came of it, and what explains it: the document that was judged, and how it was judged."""

    judgement: Judgement
    document: Mapping[str, Any] = field(default_factory=dict)
    prints: Sequence[str] = ()
    slips: Sequence[Slip] = ()
    policy: PolicyResult | None = None
    assertions: Any = None


class _Broken(Exception):
    """The rule ran into something: the status of the evaluation is `error`."""


def evaluate(prepared: PreparedRule, inputs: Inputs, *, cover: bool = False) -> Evaluation:
    """Evaluate a rule. What the rule itself runs into is the status `error`; an unmatched request is raised."""
    try:
        prepared.refuse_unsupported()
        profile = prepared.profile_schema.completed(inputs.profile)
        params = _params(prepared, inputs)
        if prepared.definition.ingest.type == "builtin" and not is_meant(inputs.entity, params):
            return Evaluation(Judgement("skip", "the rule's params are about other entities"))
        ingested = _ingested(prepared, inputs, params)
        document = {
            "profile": profile,
            "ingested": ingested,
            "properties": inputs.entity.get("properties"),
            "output_format": _output_format(prepared),
        }
        if prepared.definition.eval.type == "jq":
            return _judged_by_jq(prepared, document)
        return _judged_by_rego(prepared, inputs, document, cover=cover)
    except UnmatchedRequest:
        raise
    except (_Broken, BreaksSchema, WebError, InputError) as error:
        return Evaluation(Judgement("error", str(error)))


def _params(prepared: PreparedRule, inputs: Inputs) -> dict[str, Any]:
    if inputs.checks_params or inputs.params:
        return prepared.param_schema.completed(inputs.params)
    return prepared.param_schema.filled(inputs.params)


def _output_format(prepared: PreparedRule) -> str:
    rego = prepared.definition.eval.rego
    return rego.violation_format if rego is not None else "text"


def _ingested(prepared: PreparedRule, inputs: Inputs, params: Mapping[str, Any]) -> Any:
    if inputs.only_files and inputs.tree is not None:
        return None
    ingest = prepared.definition.ingest
    if ingest.type == "rest":
        return prepared.rest.ingest(inputs.entity, params, inputs.web, prepared.definition.in_entity)
    if ingest.type == "builtin":
        return ingest_builtin(ingest.builtin, inputs.entity)
    if inputs.tree is None:
        raise _Broken(f"the rule ingests {ingest.type}, and there are no files: give files={{...}}")
    if ingest.type == "git":
        return None
    if inputs.base is None:
        raise _Broken("the rule ingests diff, and there are no files from before: give base_files={...}")
    from understudy.rules.ingest.diff import ingest_diff  # late: it brings in what reads dependencies

    return ingest_diff(ingest.diff, inputs.entity, inputs.tree, inputs.base)


def _judged_by_jq(prepared: PreparedRule, document: Mapping[str, Any]) -> Evaluation:
    found = prepared.assertions.evaluate(document["ingested"], document["profile"])
    if found.status == "error":
        judgement = Judgement("error", found.message)
    else:
        judgement = failing(found.message) if found.status == "fail" else Judgement("pass")
    return Evaluation(judgement, document, assertions=found)


def _judged_by_rego(
    prepared: PreparedRule, inputs: Inputs, document: Mapping[str, Any], *, cover: bool
) -> Evaluation:
    policy = prepared.policy(inputs.functions)
    definition = prepared.definition
    kind = "git" if inputs.only_files else definition.ingest.type
    files = files_of_rule(kind, definition.in_entity, inputs.tree, inputs.base)
    send = http_send_function(inputs.web)
    functions = ChainMap({**inputs.functions, send.name: send}, host_functions(files.tree, files.base))  # type: ignore[arg-type]  # only read
    result = policy.evaluate(document, functions, prepared.wanted, cover=cover)
    rego = prepared.definition.eval.rego
    judgement = judge(
        rego.type if rego is not None else "deny-by-default",
        result,
        short_message=prepared.rule.short_failure_message,
        violation_format=_output_format(prepared),
    )
    return Evaluation(judgement, document, result.prints, result.slips, result)
