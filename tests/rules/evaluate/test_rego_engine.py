"""Policies mean what they mean in OPA, on whatever implements the port."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from understudy.core.errors import InputError
from understudy.rules.evaluate.functions import HostFunction
from understudy.rules.evaluate.policy import PolicyEngine, PolicyResult, PolicyText
from understudy.rules.evaluate.rego_engine import open_engine


@pytest.fixture(scope="module")
def engine() -> PolicyEngine:
    return open_engine()


def evaluate(
    engine: PolicyEngine, rego: str, document: Mapping[str, Any] | None = None, wanted: Sequence[str] = ("x",)
) -> PolicyResult:
    policy = engine.compile(PolicyText("rule.rego", f"package minder\n{rego}"))
    return policy.evaluate(document or {}, {}, wanted)


DOCUMENT = {
    "n": None,
    "s": "text",
    "a": [3, 1, 2],
    "o": {"k": "v", "deep": {"list": [{"id": 1}, {"id": 2}]}},
    "yes": True,
    "no": False,
    "zero": 0,
    "matrix": [[1, 2], [3, 4]],
    "jobs": {"build": {"steps": [{"run": "make"}, {"uses": "a@v1"}]}, "lint": {"steps": [{"run": "ruff"}]}},
}
UNDEFINED = object()

POLICIES: list[tuple[str, Any]] = [
    # complete rules, defaults, else
    ("x := 1", 1),
    ("x if input.yes", True),
    ("x if input.no", UNDEFINED),
    ("default x := false\nx if input.no", False),
    ("x := 1 if input.no\nelse := 2 if input.yes\nelse := 3", 2),
    ("x := 1 if input.no else := 2", 2),
    ("x := 1 if input.yes\nx := 1 if input.s", 1),
    ("x := input.nothing.at.all", UNDEFINED),
    ("x := input.n", None),
    ("x := input.o.deep.list[1].id", 2),
    ('x := input["o"]["k"]', "v"),
    ("x := input.a[7]", UNDEFINED),
    ("x := input.n.a", UNDEFINED),
    ("x := data.minder.y\ny := 4", 4),
    ("x := y\ny := z\nz := 3", 3),
    # undefined, not, null and false are different
    ("x if not input.nothing", True),
    ("x if not input.no", True),
    ("x if not input.n", UNDEFINED),
    ("x if input.n", True),
    ("x if input.zero", True),
    ("x if not y\ny if false", True),
    ("x if input.nothing == input.nothing", UNDEFINED),
    ("x := input.no", False),
    ("x if not count([1 | input.a[_] > 5]) > 0", True),
    ("x := i if { some i; input.a[i]; not input.a[i] == 3; i > 1 }", 2),
    # partial sets and objects
    ("x contains v if some v in input.a", [1, 2, 3]),
    (
        'x contains {"msg": m} if { some i; m := sprintf("v%d", [input.a[i]]) }',
        [{"msg": f"v{i}"} for i in (1, 2, 3)],
    ),
    ("x contains 1 if false", []),
    ("x[k] := v if some k, v in input.o", {"k": "v", "deep": {"list": [{"id": 1}, {"id": 2}]}}),
    ("x.a := 1\nx.b := 2", {"a": 1, "b": 2}),
    # comprehensions
    ("x := [d | some v in input.a; d := v * 2]", [6, 2, 4]),
    ("x := {v | some v in input.a; v > 1}", [2, 3]),
    ("x := {k: count(v) | some k, v in input.jobs}", {"build": 1, "lint": 1}),
    ("x := [v | v := input.matrix[_][_]]", [1, 2, 3, 4]),
    ("x := [y | some row in input.matrix; y := [c | some c in row; c > 1]]", [[2], [3, 4]]),
    # iteration
    ("x contains s.run if { some job; s := input.jobs[job].steps[_]; s.run }", ["make", "ruff"]),
    ("x contains k if { some i, v in input.a; v == 1; k := i }", [1]),
    ("x if 2 in input.a", True),
    ("x if 9 in input.a", UNDEFINED),
    ('x if "k", "v" in input.o', True),
    ("x if every v in input.a { v > 0 }", True),
    ("x if every v in input.a { v > 1 }", UNDEFINED),
    ("x if every v in [] { v > 1 }", True),
    ("x if every k, v in input.o { is_string(k); v }", True),
    ("x := [p | walk(input.o.deep, [p, v]); v == 2]", [["list", 1, "id"]]),
    # null, text and numbers have no elements
    ("x := [v | some v in input.n]", []),
    ("x := [v | some v in input.s]", []),
    ("x contains v if some v in input.zero", []),
    ("x := input.n[_]", UNDEFINED),
    ("x if not y\ny if { some v in input.n; v }", True),
    ("x if every v in input.n { v }", UNDEFINED),
    ("x if 1 in input.n", UNDEFINED),
    # declarations behind loops
    ("x contains v if { some i; input.matrix[i]; some j; v := input.matrix[i][j] }", [1, 2, 3, 4]),
    (
        "x contains i if { input.matrix[i]\n every c in input.matrix[i] { [0][_]\n some k\n [1, 2][k] == c } }",
        [0],
    ),
    ("x := [v | input.matrix[i]; some j; v := input.matrix[i][j]]", [1, 2, 3, 4]),
    # functions
    ("x := f(2)\nf(a) := a * 2", 4),
    ("x := f(2)\nf(a) := 1 if a == 1\nf(a) := 2 if a == 2", 2),
    ("x := f(3)\nf(1) := 1\nf(2) := 2", UNDEFINED),
    ("x := f([1, 2])\nf([a, b]) := a + b", 3),
    ('x := f("q")\nf(a) := 1 if a == "z" else := 2', 2),
    ("x := g(f(1))\nf(a) := a + 1\ng(a) := a * 10", 20),
    ("x := data.minder.f(1)\nf(a) := a + 1", 2),
    ("default f(a) := 5\nf(a) := 6 if a > 1\nx := [f(1), f(2)]", [5, 6]),
    # assignment and unification
    ("x := a if { [a, b] := input.matrix[0]; b == 2 }", 1),
    ('x := v if {"k": v, "deep": _} = input.o', "v"),
    ("x := a if { a := 1; b := a; b == 1 }", 1),
    ("x := n if count(input.a, n)", 3),
    # values
    ("x := 1 + 2 * 3 - 4 / 2", 5),
    ("x := 7 % 4", 3),
    ("x := {1, 2} - {2}", [1]),
    ("x := {1, 2} & {2, 3}", [2]),
    ("x := {1} | {2}", [1, 2]),
    ('x := [1, "a", null, true, {}]', [1, "a", None, True, {}]),
    ("x := `raw \\n`", "raw \\n"),
    ('x := "tab\\tq\\u00e9"', "tab\tqé"),
    ("x if 1 == 1.0", True),
    ("x if [1] < [2]", True),
    ('x := "é" if true\n# a comment with é', "é"),
    # with
    ('x := y if { y := z with input as {"a": 5} }\nz := input.a', 5),
    ("x if y with input.yes as false\ny if not input.yes", True),
    ("x := y if { y := f(1) with f as g }\nf(a) := a\ng(a) := a + 100", 101),
    # imports
    ("import rego.v1\nx if true", True),
    ("import future.keywords.in\nx if 1 in [1]", True),
    ("import input.o as thing\nx := thing.k", "v"),
    # names that are functions of the host too
    ('file := {"read": 3}\nx := file.read', 3),
    ("x := y if { some file in input.a; y := file; y == 1 }", 1),
]

V0_POLICIES: list[tuple[str, Any]] = [
    ("x { input.yes }", True),
    ("default x = false\nx { input.no }", False),
    ("x = 3 { input.yes }", 3),
    ("x[v] { v := input.a[_] }", [1, 2, 3]),
    ("x[k] = v { v := input.a[k] }", {"0": 3, "1": 1, "2": 2}),
    ('x[{"msg": m}] { m := "a" }', [{"msg": "a"}]),
    ("import future.keywords\nx if { 1 in input.a }", True),
    ("import future.keywords.in\nx { 1 in input.a }", True),
    ("import future.keywords.every\nx { every v in input.a { v > 0 } }", True),
    ("x { f(1) }\nf(a) { a == 1 }", True),
    ("x { any([false, input.yes]) }", True),
    ("x { all([true, input.yes]) }", True),
    ("x { all([]); not any([]) }", True),
    ('x { re_match("^t.*t$", input.s) }', True),
    ("x = y { y := set_diff({1, 2}, {2}) }", [1]),
    ("x = y { y := cast_set([2, 1, 2]) }", [1, 2]),
    ("x { true } else = 3 { false }", True),
]


@pytest.mark.parametrize(("rego", "expected"), POLICIES + V0_POLICIES)
def test_the_value_of_a_rule(engine: PolicyEngine, rego: str, expected: Any) -> None:
    result = evaluate(engine, rego, DOCUMENT)
    assert result.values.get("x", UNDEFINED) == expected
    assert result.slips == ()


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("{1, 2}", "set"),
        ("set()", "set"),
        ('{{"a": 1}}', "set"),
        ("[1]", "array"),
        ("[]", "array"),
        ("{}", "object"),
        ('"a"', "string"),
        ('"<undefined>"', "string"),
        ("1.5", "number"),
        ("true", "boolean"),
        ("null", "null"),
    ],
)
def test_the_kind_of_a_value(engine: PolicyEngine, value: str, kind: str) -> None:
    assert evaluate(engine, f"x := {value}").kinds == {"x": kind}


def test_only_what_is_wanted_and_defined_is_there(engine: PolicyEngine) -> None:
    rego = "allow := true\nskip if input.nothing\nmessage := 1\nother := 2\nf(a) := a"
    result = evaluate(engine, rego, wanted=("allow", "skip", "message", "output", "f"))
    assert result.values == {"allow": True, "message": 1}


def test_a_policy_is_evaluated_anew_with_each_document(engine: PolicyEngine) -> None:
    policy = engine.compile(PolicyText("r.rego", "package minder\nx := input.a + 1"))
    assert [policy.evaluate({"a": number}, {}, ["x"]).values["x"] for number in (1, 5, 1)] == [2, 6, 2]
    assert policy.evaluate({}, {}, ["x"]).values == {}


def test_a_text_is_compiled_once(engine: PolicyEngine) -> None:
    text = PolicyText("r.rego", "package minder\nx := 1")
    assert engine.compile(text) is engine.compile(PolicyText("r.rego", "package minder\nx := 1"))
    assert engine.compile(text) is not engine.compile(text, ["minder.datasource.a.b"])


def test_what_is_printed_comes_in_order(engine: PolicyEngine) -> None:
    rego = (
        'x if {\n\tprint("a", 1, {2}, [1, "q"], {"k": null})\n\tprint(input.nothing, to_number("z"))\n\ty\n}\n'
        'y if {\n\tprint("two\\nlines")\n}'
    )
    expected = ('a 1 {2} [1, "q"] {"k": null}', "<undefined> <undefined>", "two\nlines")
    result = evaluate(engine, rego)
    assert result.prints == expected
    assert evaluate(engine, rego).prints == expected


def test_what_is_printed_is_bounded(engine: PolicyEngine) -> None:
    many = evaluate(engine, "x if { some i in numbers.range(1, 3000); print(i); false }").prints
    assert (len(many), many[-1]) == (1001, "… and 2,000 more")
    long = evaluate(engine, 'x if print(concat("", [s | numbers.range(1, 20000)[_]; s := "ab"]))')
    assert all(len(line) < 11_000 for line in long.prints)


def test_numbers_of_any_size_get_in(engine: PolicyEngine) -> None:
    assert evaluate(engine, "x if input.a > 9223372036854775807", {"a": 1 << 70}).values == {"x": True}


@pytest.mark.parametrize(
    ("rego", "message"),
    [
        ("x := 1 if input.a\nx := 2 if input.b", "rule.rego:3:1: rule conflicts with rule at rule.rego:2:1"),
        ("x := y\ny := x", "rule.rego:2:1: recursion detected when evaluating rule"),
    ],
)
def test_what_ends_an_evaluation_says_where(engine: PolicyEngine, rego: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        evaluate(engine, rego, {"a": 1, "b": 1})
    assert str(caught.value) == message


def test_an_evaluation_that_ended_leaves_nothing_behind(engine: PolicyEngine) -> None:
    rego = "x := 1 if input.a\nx := 2 if input.b"
    with pytest.raises(InputError):
        evaluate(engine, rego, {"a": 1, "b": 1})
    assert evaluate(engine, rego, {"b": 1}).values == {"x": 2}


@pytest.mark.parametrize(
    ("given", "seen"),
    [
        ("\ud800", "\ufffd"),
        ("a\udfffb", "a\ufffdb"),
        ("한글\u0000", "한글\u0000"),
        ("\U0001f600", "\U0001f600"),
    ],
)
def test_what_is_no_character_becomes_the_replacement_character(
    engine: PolicyEngine, given: str, seen: str
) -> None:
    """The engine would end the process."""
    read = HostFunction("file.read", 1, lambda path: [given, path])
    policy = engine.compile(PolicyText("r.rego", 'package minder\nx := input.a[0].b\ny := file.read("é")'))
    assert policy.evaluate({"a": [{"b": given}]}, {"file.read": read}, ["x", "y"]).values == {
        "x": seen,
        "y": [seen, "é"],
    }
    with pytest.raises(InputError, match="halves of characters"):
        engine.compile(PolicyText("r.rego", "package minder\nx := `\ud800`"))
    spelled = engine.compile(PolicyText("r.rego", 'package minder\nx := sprintf("%c", [55296])'))
    assert spelled.evaluate({}, {}, ["x"]).values == {"x": "\ufffd"}


def test_a_document_of_great_depth_is_refused(engine: PolicyEngine) -> None:
    document: dict[str, Any] = {}
    for _ in range(30_000):
        document = {"a": document}
    with pytest.raises(InputError, match="the input cannot be read"):
        evaluate(engine, "x := input.a", document)
    assert evaluate(engine, "x := input.a", {"a": 1}).values == {"x": 1}
