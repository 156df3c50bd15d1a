"""A policy that cannot be evaluated is refused, with every place in the line and column of the rule file."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from endless import ends
from understudy.core.errors import InputError
from understudy.rules.evaluate.policy import PolicyText
from understudy.rules.evaluate.rego_engine import open_engine


def problems_of(rego: str, *, line: int = 1, indent: int = 0, functions: Sequence[str] = ()) -> list[str]:
    with pytest.raises(InputError) as caught:
        open_engine().compile(PolicyText("rule.yaml", rego, line, indent), functions)
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("rego", "problem"),
    [
        ("x := {", "rule.yaml:11:11: is not valid Rego: expecting expression"),
        ('x if {\n\tinput.a == "é"; count(]\n}', "rule.yaml:12:28: is not valid Rego: expecting expression"),
        ("x := nosuch.fn(1)", "rule.yaml:11:10: could not find function nosuch.fn"),
        ("x := cuont([1])", "rule.yaml:11:10: could not find function cuont (did you mean 'count'?)"),
        (
            'x := fil.read("a")',
            "rule.yaml:11:10: could not find function fil.read (did you mean 'file.read'?)",
        ),
        (
            'x if { "é" == "é"; isok(1) }\nis_ok(a) := a',
            "rule.yaml:11:24: could not find function isok (did you mean 'is_ok'?)",
        ),
        ("x := data.lib.f(1)", "rule.yaml:11:10: could not find function data.lib.f"),
        (
            "x := minder.datasource.gh.get({})",
            "rule.yaml:11:10: could not find function minder.datasource.gh.get",
        ),
        ("x := count(1, 2, 3)", "rule.yaml:11:10: count takes 1 argument, and 3 are given"),
        ("x := split(1)", "rule.yaml:11:10: split takes 2 arguments, and 1 are given"),
        ("x := file.read()", "rule.yaml:11:10: file.read takes 1 argument, and 0 are given"),
        ("x := f(1)\nf(a, b) := a + b", "rule.yaml:11:10: f takes 2 arguments, and 1 are given"),
        (
            "x := y",
            (
                "rule.yaml:11:10: var y is unsafe: nothing gives it a value"
                " (give it a value, or define a rule of that name)"
            ),
        ),
        (
            'message := "m"\nx := mesage',
            "rule.yaml:12:10: var mesage is unsafe: nothing gives it a value (did you mean 'message'?)",
        ),
        ("x if { input.a > y }", "rule.yaml:11:22: var y is unsafe: nothing gives it a value"),
        ("x if not input.a[_] == 1", "rule.yaml:11:22: var _ is unsafe: 'not' cannot iterate"),
        ("x if not input.a[i] == 1", "rule.yaml:11:22: var i is unsafe: nothing gives it a value"),
        ("x if { startswith(input.a, y) }", "rule.yaml:11:32: use of undefined variable `y` is unsafe"),
        (
            'x := re_match("a", "b")\ny if true',
            "rule.yaml:11:10: deprecated built-in function re_match is not in Rego v1",
        ),
        (
            'x := graphql.parse("a", "b")',
            "rule.yaml:11:10: could not find function graphql.parse: OPA has it, but it cannot be evaluated here",
        ),
        ("f(a) := f(a)", "rule.yaml:11:5: function f is recursive, which Rego does not allow"),
        ("f(a) := g(a)\ng(a) := b if { b := f(a) }", "rule.yaml:11:5: function f is recursive"),
        ("default x := count(null)", "rule.yaml:11:18: the value of a default must be constant"),
        ("x if { y := 1; y := 2 }", "rule.yaml:11:12: var `y` used before definition below"),
    ],
)
def test_what_is_wrong_and_where(rego: str, problem: str) -> None:
    found = problems_of(f"package minder\n{rego}", line=10, indent=4)
    assert found[0].startswith(problem)


def test_everything_that_is_wrong_is_told_at_once() -> None:
    rego = "package minder\nx := cuont(1)\ny := nosuch(2)\nz := w"
    assert [problem.split(": ")[0] for problem in problems_of(rego)] == [
        "rule.yaml:2:6",
        "rule.yaml:3:6",
        "rule.yaml:4:6",
    ]


def test_another_package_is_never_looked_up() -> None:
    assert problems_of("package other\nx := 1") == [
        "rule.yaml:1:9: the package is 'other', and rules are looked up in 'minder' (write 'package minder')"
    ]


@pytest.mark.parametrize(
    ("rego", "problem"),
    [
        ("import rego.v1\nx { true }", "2:3: is not valid Rego: `if` keyword is required before rule body"),
        ("x if {\n\ttrue", "2:6: is not valid Rego: expecting `}` while parsing query"),
        ("x contains 1 if {", "1:18: is not valid Rego"),
        ("x {\n\tcount( }", "1:3: is not valid Rego: expecting }"),
        ('x[m] {\n\tm := "a if b"\n\t)\n}', "3:2: is not valid Rego"),
    ],
)
def test_the_error_is_that_of_the_dialect_it_is_written_in(rego: str, problem: str) -> None:
    assert problems_of(f"package minder\n{rego}", line=0)[0].startswith(f"rule.yaml:{problem}")


def test_nothing_is_written_to_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    for rego in ("x if {", "x if { y := 1", 'x := any([true]) if { "a" }'):
        problems_of(f"package minder\n{rego}")
    assert capfd.readouterr() == ("", "")


def test_a_text_that_was_refused_is_refused_again() -> None:
    engine = open_engine()
    text = PolicyText("r.rego", "package minder\nx := {")
    found = []
    for _ in range(2):
        with pytest.raises(InputError) as caught:
            engine.compile(text)
        found.append(caught.value)
    assert str(found[0]) == str(found[1])
    assert found[0] is not found[1]


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("[" * 30 + "]" * 30, "arrays and objects are nested more than 12 deep"),
        ('{"a":' * 30 + "1" + "}" * 30, "arrays and objects are nested more than 12 deep"),
        ("(" * 5_000 + "1" + ")" * 5_000, "brackets are nested more than 100 deep"),
        ("1" + "+1" * 50_000, "an expression has more than 400 operators"),
        ("1" + "\n+ 1" * 50_000, "an expression has more than 400 operators"),
        ("input" + ".a" * 50_000, "an expression has more than 400 operators"),
        ("input" + "[0]" * 50_000, "an expression has more than 400 operators"),
        ('"' + "a" * (1 << 20) + '"', "the policy is longer than 1,048,576 characters"),
    ],
)
def test_what_the_engine_would_choke_on_is_refused(value: str, problem: str) -> None:
    with ends():
        assert problem in problems_of(f"package minder\nx := {value}")[0]


def test_what_only_looks_deep_is_not_refused() -> None:
    rego = "package minder\n" + "".join(
        f'x contains [{i}, [{{"a": [{{}}]}}]] if {{ input.a[{i}] }}\n' for i in range(400)
    )
    rego += 'y := "' + "[" * 500 + '" # ' + "{" * 500 + "\nz := `" + "(.*?)" * 500 + "`\n"
    open_engine().compile(PolicyText("r.rego", rego))
