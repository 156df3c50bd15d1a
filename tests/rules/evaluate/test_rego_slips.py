"""A builtin that fails makes its expression undefined, wherever it stands, and is told with its place."""

from __future__ import annotations

from typing import Any

import pytest

from understudy.rules.evaluate.policy import PolicyEngine, PolicyText, Slip
from understudy.rules.evaluate.rego_engine import open_engine


@pytest.fixture(scope="module")
def engine() -> PolicyEngine:
    return open_engine()


UNDEFINED = object()
DOCUMENT = {"words": ["1", "z", "3"], "null": None, "zero": 0, "text": "q", "list": [1]}


@pytest.mark.parametrize(
    ("rego", "expected", "failing"),
    [
        ("x := count(null)", UNDEFINED, "count"),
        ("x if not count(null)", True, "count"),
        ('x := to_number("x")', UNDEFINED, "to_number"),
        ('x := regex.match("(", "a")', UNDEFINED, "regex.match"),
        ('x := json.unmarshal("x")', UNDEFINED, "json.unmarshal"),
        ('x := time.parse_rfc3339_ns("x")', UNDEFINED, "time.parse_rfc3339_ns"),
        ('x := time.parse_ns("2006-01-02", "x")', UNDEFINED, "time.parse_ns"),
        ('x := time.parse_duration_ns("x")', UNDEFINED, "time.parse_duration_ns"),
        ("x := 1 / input.zero", UNDEFINED, "div"),
        ("x := 5 % input.zero", UNDEFINED, "rem"),
        ("x := 5.5 % 2", UNDEFINED, "rem"),
        ("x := 1 + input.text", UNDEFINED, "plus"),
        ("x := input.list - 1", UNDEFINED, "minus"),
        ("x := {1} | input.list", UNDEFINED, "or"),
        ("x := [u | some v in [1, set(), {{2}}]; u := union(v)]", [[], [2]], "union"),
        ("x := input.list & {1}", UNDEFINED, "and"),
        ('x := sprintf("%d", input.text)', UNDEFINED, "sprintf"),
        ('x := base64.decode("!")', UNDEFINED, "base64.decode"),
        ('x := net.cidr_expand("x")', UNDEFINED, "net.cidr_expand"),
        ("x := lower(input.list)", UNDEFINED, "lower"),
        ("x := crypto.sha256(input.list)", UNDEFINED, "crypto.sha256"),
        ("x = y { y := plus(1, input.text) }", UNDEFINED, "plus"),
        # in what else may stand there
        ("x := [n | some w in input.words; n := to_number(w)]", [1, 3], "to_number"),
        ("x := {w: to_number(w) | some w in input.words}", {"1": 1, "3": 3}, "to_number"),
        ("x contains n if { some w in input.words; n := to_number(w) }", [1, 3], "to_number"),
        ("x if { every w in input.words { to_number(w) > 0 } }", UNDEFINED, "to_number"),
        ("x if { some w in input.words; to_number(w) == 3 }", True, "to_number"),
        ("x if { some w in input.words; not to_number(w) }", True, "to_number"),
        ("x if 3 in [to_number(w) | some w in input.words]", True, "to_number"),
        ('x := f("q")\nf(a) := to_number(a)', UNDEFINED, "to_number"),
        ('x := f("q")\nf(a) := b if { b := to_number(a) } else := "else"', "else", "to_number"),
        ("x := 1 if to_number(input.text) > 0\nelse := 2", 2, "to_number"),
        ('x := 1 if false\nelse := to_number("q") if true\nelse := 3', 3, "to_number"),
        ('x := y if { y := input.a with input as {"a": to_number("q")} }', UNDEFINED, "to_number"),
        ("default x := 4\nx := to_number(input.text)", 4, "to_number"),
        ("x := count(to_number(input.text))", UNDEFINED, "to_number"),
        ("x := count(sum(input.words))", UNDEFINED, "sum"),
        ("x := count(sum(input.list))", UNDEFINED, "count"),
        ('x := sprintf("%v and %v", [1, to_number("q")])', UNDEFINED, "to_number"),
        ('x := {"a": {"b": [to_number("q")]}}', UNDEFINED, "to_number"),
        ("x := (1 + 2) / (input.zero)", UNDEFINED, "div"),
        ("x := 6/input.zero/2 - 1*(2+1)", UNDEFINED, "div"),
        ('x := 2 + 1 - "b" * 2', UNDEFINED, "mul"),
        ("x if { not 1 / input.zero > 0 }", True, "div"),
        ("x := n if count(input.null, n)", UNDEFINED, "count"),
        ('x := object.get(input.null, "a", 1)', UNDEFINED, "object.get"),
        ("x if { print(to_number(input.text)); true }", True, "to_number"),
        ("x { not to_number(input.text) }", True, "to_number"),
        ('x := concat(", ", [upper(w) | some w in input.words; to_number(w) > 1])', "3", "to_number"),
        ("x := count({{1}, {2}} | {to_number(input.text)})", UNDEFINED, "to_number"),
        ('x := max([{"a": {1}}, {}])', {"a": [1]}, ""),
        (
            "x := count(\n\tto_number( # a comment with ( and é\n\t\tinput.text\n\t)\n)",
            UNDEFINED,
            "to_number",
        ),
        ('x if { y := "é\té"; y != "a"; not to_number("é")  }'.replace("\t", "\\t"), True, "to_number"),
        ('x if { y := `é\té`; y != "a"; not to_number(`\té`)  }', True, "to_number"),
    ],
)
def test_a_failing_builtin_is_undefined(engine: PolicyEngine, rego: str, expected: Any, failing: str) -> None:
    policy = engine.compile(PolicyText("r.rego", f"package minder\n{rego}"))
    for _ in range(2):
        result = policy.evaluate(DOCUMENT, {}, ["x"])
        assert result.values.get("x", UNDEFINED) == expected
        assert [slip.function for slip in result.slips] == ([failing] if failing else [])


def test_all_that_fails_is_told_with_the_places_of_the_file(engine: PolicyEngine) -> None:
    rego = (
        "package minder\n"
        "x if not count(input.null)\n"
        "\ty := {1, 2}\n"
        'z := "é" if { 1 / input.zero } else := to_number("é") if true\n'
        "w := [to_number(a) | some a in input.words; sum(input.words)]\n"
    )
    policy = engine.compile(PolicyText("r.yaml", rego, line=20, indent=6))
    first = policy.evaluate(DOCUMENT, {}, ["x", "y", "z", "w"])
    assert set(first.slips) == {
        Slip("count", "`count` requires array/object/set/string argument. Got `null`.", 21, 16),
        Slip("div", "divide by zero", 23, 21),
        Slip("to_number", "could not parse string as number", 23, 46),
        Slip("sum", '`sum` expects numeric argument. Got `"1"` instead', 24, 51),
    }
    assert first == policy.evaluate(DOCUMENT, {}, ["x", "y", "z", "w"])
    assert first.values == {"x": True, "y": [1, 2], "w": []}


def test_what_does_not_fail_with_another_document_has_its_value(engine: PolicyEngine) -> None:
    policy = engine.compile(PolicyText("r.rego", "package minder\nx := to_number(input.a) / input.b"))
    assert policy.evaluate({"a": "q", "b": 0}, {}, ["x"]).values == {}
    assert policy.evaluate({"a": "6", "b": 0}, {}, ["x"]).values == {}
    result = policy.evaluate({"a": "6", "b": 2}, {}, ["x"])
    assert (result.values, result.slips) == ({"x": 3}, ())


def test_sets_and_large_numbers_survive_a_site_that_failed(engine: PolicyEngine) -> None:
    rego = (
        "package minder\nx := [s | some v in input.vs; s := union({{v}, {[v]}})]\n"
        "n := [m | some v in input.vs; m := v + 1]"
    )
    policy = engine.compile(PolicyText("r.rego", rego + '\ny := union({{{1}, {"a": {}}}, input.bad})'))
    result = policy.evaluate({"vs": [1, 12345678901234567890]}, {}, ["x", "y", "n"])
    assert result.values["n"] == [2, 12345678901234567891]
    assert policy.evaluate({"vs": [1], "bad": 1}, {}, ["x", "y"]).values == {"x": [[1, [1]]]}


def test_prints_are_those_of_one_evaluation(engine: PolicyEngine) -> None:
    rego = 'package minder\nx if {\n\tprint("before")\n\tto_number("q") > 1\n\tprint("never")\n}'
    assert engine.compile(PolicyText("r.rego", rego)).evaluate({}, {}, ["x"]).prints == ("before",)


def test_many_failing_sites_are_found(engine: PolicyEngine) -> None:
    rego = "package minder\n" + "\n".join(
        f"x contains {i} if {{ not to_number(input.text) }}" for i in range(40)
    )
    assert len(engine.compile(PolicyText("r.rego", rego)).evaluate(DOCUMENT, {}, ["x"]).slips) == 40
