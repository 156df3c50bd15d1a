"""sprintf writes what Go's fmt does, for integers, floats and texts, which is what OPA hands it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.rules.evaluate.policy import PolicyText
from understudy.rules.evaluate.rego_engine import open_engine
from understudy.rules.evaluate.rego_sprintf import rego_text, sprintf


@pytest.mark.parametrize(
    ("template", "values", "expected"),
    [
        ("%v %v %v", [1, "a", 1.5], "1 a 1.5"),
        ("%v", [100000000.0], "1e+08"),
        ("%v", [123456.0], "123456"),
        ("%v", [1234567.5], "1.2345675e+06"),
        ("%v", [0.00001], "1e-05"),
        ("%v", [0.0001], "0.0001"),
        ("%v", [-2.0], "-2"),
        ("%v", [10**30], "1" + "0" * 30),
        ("%v %v %v", [None, True, [1, {"a": "b"}]], 'null true [1, {"a": "b"}]'),
        ("%s", [{"b": 1, "a": [{"c": None}]}], '{"a": [{"c": null}], "b": 1}'),
        ("%d %d", [3, -4], "3 -4"),
        ("%d", ["a"], "%!d(string=a)"),
        ("%d", [1.5], "%!d(float64=1.5)"),
        ("%d", [True], "%!d(string=true)"),
        ("%s", [1], "%!s(int=1)"),
        ("%s", [1.5], "%!s(float64=1.5)"),
        ("%t", [True], "%!t(string=true)"),
        ("%s %s", ["a"], "a %!s(MISSING)"),
        ("%s", ["a", 1, "b"], "a%!(EXTRA int=1, string=b)"),
        ("100%", [], "100%!(NOVERB)"),
        ("%z", [1], "%!z(int=1)"),
        ("%%|%5%", [], "%|%"),
        ("%5d|%-5d|%05d|%+d|% d", [1, 2, 3, 4, 5], "    1|2    |00003|+4| 5"),
        ("%05d", [-3], "-0003"),
        ("%5s|%-5s|%.2s|%5.1s|", ["ab", "cd", "efg", "hij"], "   ab|cd   |ef|    h|"),
        ("%q %q", ['a"b\n', 65], '"a\\"b\\n" \'A\''),
        ("%x %X %#x", [255, 255, 255], "ff FF 0xff"),
        ("%x %X % x", ["ab", "jk", "ab"], "6162 6A6B 61 62"),
        ("%b %o %O %c %U", [5, 8, 8, 233, 233], "101 10 0o10 é U+00E9"),
        ("%f %.2f %8.3f| %.0f", [1.5, 2.345, 3.14159, 2.5], "1.500000 2.35    3.142| 2"),
        ("%e %.1e %g %G", [12345.678, 12345.678, 1e21, 1e-7], "1.234568e+04 1.2e+04 1e+21 1E-07"),
        ("%5.2f", [1.234], " 1.23"),
        ("%f", [3], "%!f(int=3)"),
        ("%[2]d %[1]d", [1, 2], "2 1"),
        ("%[3]d", [1, 2], "%!d(BADINDEX)"),
        ("%*d|%-*d|", [4, 1, 3, 2], "   1|2  |"),
        ("%*d", ["a", 1], "%!(BADWIDTH)1"),
        ("%T %T %T", [1, "a", 1.5], "int string float64"),
        ("é%vé", ["é"], "éée".replace("e", "é")),
        ("no verbs", [], "no verbs"),
    ],
)
def test_what_is_written(template: str, values: list[Any], expected: str) -> None:
    assert sprintf(template, values) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ('sprintf("%v|%v", [input.o, {3, 1}])', '{"k": [1]}|{1, 3}'),
        ('sprintf("%s|%d", [input.o, 5])', '{"k": [1]}|5'),
        ('sprintf("%s|%d", [{{"b": 1}, {"a": 1}}, 5])', '{{"a": 1}, {"b": 1}}|5'),
        ('sprintf("%d", [count(input.o)])', "1"),
        ('sprintf("%d", [input.s])', "%!d(string=text)"),
        ('sprintf("%s and %s", ["a", lower("B")])', "a and b"),
        ('sprintf("%s", [input.n])', "%!s(int=12)"),
        ("sprintf(input.template, [input.n])", "n is 12"),
        ('sprintf("%v", [set()])', "set()"),
        ('sprintf("%s", [set()])', "set()"),
        ('sprintf("%d", [12345678901234567890])', "12345678901234567890"),
        ('sprintf("%s: %v", ["a", [sprintf("%05.1f", [input.f])]])', 'a: ["002.5"]'),
    ],
)
def test_in_a_policy(expression: str, expected: str) -> None:
    document = {"o": {"k": [1]}, "s": "text", "n": 12, "f": 2.5, "template": "n is %d"}
    policy = open_engine().compile(PolicyText("r.rego", f"package minder\nx := {expression}"))
    for _ in range(2):
        result = policy.evaluate(document, {}, ["x"])
        assert (result.values, result.slips) == ({"x": expected}, ())


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.text(st.characters(codec="utf-8", categories=["L", "N"])),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=2), inner, max_size=3)
    ),
    max_leaves=8,
)
ENGINE = open_engine().compile(PolicyText("r.rego", 'package minder\nx := sprintf("%v", [[input.v]])'))


@given(values)
def test_a_value_is_written_as_the_engine_writes_it(value: Any) -> None:
    assert ENGINE.evaluate({"v": value}, {}, ["x"]).values["x"] == rego_text([value])
