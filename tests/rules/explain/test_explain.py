"""Evaluations of whole rules are explained, whatever they are judged by, and asking nothing twice."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest

from understudy.rules.evaluate.functions import HostError, HostFunction
from understudy.rules.evaluate.rego_engine import open_engine
from understudy.rules.evaluation import Evaluation, Inputs, evaluate
from understudy.rules.explain.account import explain
from understudy.rules.explain.replay import recorded, replayed
from understudy.rules.mocks import MockTable, MockWeb
from understudy.rules.prepared import PreparedRule
from understudy.rules.rule_files import read_rule_file

HEAD = """\
type: rule-type
name: a
def:
  in_entity: repository
  ingest: {type: builtin, builtin: {method: Passthrough}}
"""
REGO = """\
  eval:
    type: rego
    rego:
      type: deny-by-default
      def: |
        package minder
"""
JQ = """\
  eval:
    type: jq
    jq:
      - ingested: {def: .name}
        constant: widgets
      - ingested: {def: .private}
        profile: {def: .private}
      - ingested: {def: .fork}
        constant: false
"""


def prepared(folder: Path, text: str, policy: str = "") -> PreparedRule:
    path = folder / "a.yaml"
    path.write_text(text + textwrap.indent(policy, "        "), "utf-8")
    source = read_rule_file(path, "a.yaml")
    assert source is not None
    return PreparedRule(source, open_engine)


def inputs(entity: dict[str, Any], **more: Any) -> Inputs:
    return Inputs(entity=entity, web=MockWeb(MockTable.first_dialect({})), **more)


def told(rule: PreparedRule, given: Inputs) -> list[str]:
    return explain(rule, given, evaluate(rule, given)).splitlines()


def test_a_rego_rule_is_explained_in_the_lines_of_its_file(tmp_path: Path) -> None:
    rule = prepared(tmp_path, HEAD + REGO, "default allow := false\nallow if input.ingested.private")
    assert told(rule, inputs({"private": False})) == [
        "allow is false (default, a.yaml:12)",
        "  a.yaml:13:18  input.ingested.private   was false",
    ]


def test_an_assertion_of_jq_that_does_not_hold_is_told_with_both_sides(tmp_path: Path) -> None:
    rule = prepared(tmp_path, HEAD + JQ)
    assert told(rule, inputs({"name": "widgets"}, profile={"private": True})) == [
        '  a.yaml:9:25  .name   is "widgets", as expected',
        "  a.yaml:11:25  .private   is not what was expected (assertion 2)",
        "      .private = not set",
        "      expected true (.private of the profile)",
        "  1 more assertion was not compared",
    ]


def test_assertions_that_all_hold_are_told_in_a_line_each(tmp_path: Path) -> None:
    rule = prepared(tmp_path, HEAD + JQ)
    lines = told(rule, inputs({"name": "widgets", "private": True, "fork": False}, profile={"private": True}))
    assert lines[-1] == "  a.yaml:13:25  .fork   is false, as expected"


def test_a_status_that_is_an_error_has_its_message_and_no_explanation(tmp_path: Path) -> None:
    rule = prepared(tmp_path, HEAD + REGO, "allow if nothing_like_it(1)")
    given = inputs({})
    evaluation = evaluate(rule, given)
    assert (evaluation.judgement.status, explain(rule, given, evaluation)) == ("error", "")


def test_data_sources_are_not_asked_a_second_time(tmp_path: Path) -> None:
    asked: list[str] = []

    def ask(name: str) -> dict[str, Any]:
        asked.append(name)
        return {"status": 500 + len(asked)}

    name = "minder.datasource.api.ask"
    rule = prepared(
        tmp_path,
        HEAD + REGO,
        f'default allow := false\nallow if {{\n  x := {name}("a").status\n  y := {name}("a").status\n  x == y - 2\n}}',
    )
    given = inputs({}, functions=recorded({name: HostFunction(name, 1, ask)}))
    lines = told(rule, given)
    assert asked == ["a", "a"]
    assert lines[1:] == ["  a.yaml:16:11  x == y - 2   was false", "      x = 501", "      y = 502"]


def test_answers_are_told_again_in_their_order_and_errors_too() -> None:
    answers: list[Any] = [1, HostError("gone"), 3]

    def ask(_: str) -> Any:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    functions = recorded({"ask": HostFunction("ask", 1, ask)})
    first, again = functions["ask"], replayed(functions)["ask"]
    assert first.call("a") == 1
    with pytest.raises(HostError, match="gone"):
        first.call("a")
    assert first.call("a") == 3
    assert again.call("a") == 1
    with pytest.raises(HostError, match="gone"):
        again.call("a")
    assert (again.call("a"), again.call("a")) == (3, 3)
    with pytest.raises(HostError, match="it was not asked for this"):
        again.call("b")


def test_whatever_goes_wrong_is_said_instead_of_raised(tmp_path: Path) -> None:
    rule = prepared(tmp_path, HEAD + REGO, "allow if minder.datasource.api.x({})")

    class Broken(dict[str, HostFunction]):
        def __iter__(self) -> Any:
            raise RuntimeError("broken\nsecond line")

    name = "minder.datasource.api.x"
    good = inputs({}, functions={name: HostFunction(name, 1, lambda _: False)})
    evaluation: Evaluation = evaluate(rule, good)
    assert explain(rule, inputs({}, functions=Broken()), evaluation) == "could not be explained: broken"
