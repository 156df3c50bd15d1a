"""Policies of every shape are explained: which statement did not hold, where, and what it saw."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from understudy.rules.evaluate.functions import HostError, HostFunction
from understudy.rules.evaluate.policy import PolicyResult, PolicyText
from understudy.rules.evaluate.rego_engine import open_engine
from understudy.rules.evaluate.verdicts import WANTED
from understudy.rules.explain.account import explain_policy
from understudy.rules.explain.instrument import Instrumented
from understudy.rules.explain.traces import Subject, trace
from understudy.rules.host import host_functions
from understudy.rules.syntax.module import parse
from understudy.trees import memory_tree

CASES: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("explained.yaml").read_text("utf-8"))
TREE = memory_tree({"README.md": "hello"})


def subject(policy: str, ingested: Any, functions: Mapping[str, HostFunction] | None = None) -> Subject:
    wanted = WANTED["constraints" if "violations" in policy else "deny-by-default"]
    document = {"profile": {"least": 3}, "ingested": ingested}
    own = dict(functions or {})
    text = PolicyText("rule.yaml", policy)
    return Subject(text, document, lambda: [own, host_functions(TREE, None)], sorted(own), wanted)


def evaluated(asked: Subject) -> PolicyResult:
    policy = open_engine().compile(asked.source, asked.names)
    own, host = asked.functions()
    return policy.evaluate(asked.document, {**host, **own}, asked.wanted)


def explained(asked: Subject) -> list[str]:
    return explain_policy(asked, evaluated(asked))


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_policy_is_explained(case: dict[str, Any]) -> None:
    assert explained(subject(case["policy"].rstrip("\n"), case["ingested"])) == case["told"].splitlines()


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_tracing_every_statement_changes_no_result(case: dict[str, Any]) -> None:
    asked = subject(case["policy"], case["ingested"])
    result = evaluated(asked)
    module = parse(asked.source)
    assert module is not None
    policy = Instrumented(module)
    _, traced = trace(open_engine(), asked, policy)
    for query in policy.queries:
        for position in range(query.length + 1):
            policy.look_at(query, position)
    events, seen = trace(open_engine(), asked, policy)
    assert (traced.values, traced.kinds) == (result.values, result.kinds)
    assert (seen.values, seen.kinds) == (result.values, result.kinds)
    assert events or not policy.queries


def test_places_are_those_of_the_rule_file() -> None:
    asked = subject("package minder\nallow if {\n  input.ingested.a\n}", {})
    text = PolicyText("rules/a.yaml", asked.source.text, 31, 8)
    asked = Subject(text, asked.document, asked.functions, (), asked.wanted)
    assert explained(asked)[1] == "  rules/a.yaml:33:11  input.ingested.a   was undefined"


def test_what_a_data_source_could_not_say_is_told_at_its_call() -> None:
    def ask(_: Any) -> Any:
        raise HostError("GET /x: no answer")

    functions = {"minder.datasource.api.ask": HostFunction("minder.datasource.api.ask", 1, ask)}
    policy = "package minder\nallow if minder.datasource.api.ask({}).body.ok"
    assert (
        "was undefined: minder.datasource.api.ask: GET /x: no answer"
        in explained(subject(policy, {}, functions))[1]
    )


def test_an_evaluation_that_is_too_long_says_so() -> None:
    policy = (
        "package minder\nallow if { some a, b in input.ingested; some c in input.ingested; a + b + c < 0 }"
    )
    (line,) = explained(subject(policy, list(range(300))))
    assert line.startswith("could not be explained: it takes more than ")


def test_an_evaluation_that_comes_out_otherwise_says_so() -> None:
    counted = iter(range(100))
    functions = {
        "minder.datasource.api.n": HostFunction("minder.datasource.api.n", 1, lambda _: next(counted))
    }
    policy = "package minder\nallow := minder.datasource.api.n({}) == 0"
    (line,) = explained(subject(policy, {}, functions))
    assert line == "could not be explained: evaluated again, it comes out otherwise"


def test_many_bodies_and_many_values_are_cut() -> None:
    bodies = "".join(f'allow if input.ingested.name == "{number}"\n' for number in range(30))
    lines = explained(subject(f"package minder\n{bodies}", {"name": "x" * 5_000}))
    assert len(lines) < 30
    assert max(len(line) for line in lines) < 300
    assert lines[-1] == "  … and more: allow has 30 bodies"
