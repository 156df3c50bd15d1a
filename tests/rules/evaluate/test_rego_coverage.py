"""Coverage tells which lines of the rule file an evaluation reached, whatever was changed in the text for it."""

from __future__ import annotations

from understudy.rules.evaluate.functions import HostFunction
from understudy.rules.evaluate.policy import PolicyText
from understudy.rules.evaluate.rego_engine import open_engine

REGO = """package minder
import rego.v1
default x := false
x if {
	some i
	input.a[i]
	some j
	file.read(input.a[i][j]) == "1"
	to_number(file.read("a")) > 0
	input.b
}
y if {
	input.c
}
message := sprintf("%d", [
	count(null),
	input.a,
])
"""


def test_lines_are_those_of_the_rule_file() -> None:
    policy = open_engine().compile(PolicyText("r.yaml", REGO, line=31, indent=8))
    functions = {"file.read": HostFunction("file.read", 1, lambda path: path)}
    plain = policy.evaluate({"a": [["1"]]}, functions, ["x"])
    assert (plain.covered, plain.uncovered) == (frozenset(), frozenset())
    for _ in range(2):
        covered = policy.evaluate({"a": [["1"]]}, functions, ["x"], cover=True)
        assert covered.values == {"x": False}
        assert {36, 38, 39} <= covered.covered
        assert {40, 43, 45, 46, 47} <= covered.uncovered
        assert max(covered.covered | covered.uncovered) <= 47
    more = policy.evaluate({"a": [["1"]], "c": 1}, functions, ["x", "y", "message"], cover=True)
    assert {43, 45, 46} <= more.covered
    assert policy.evaluate({}, functions, ["x"]).covered == frozenset()


def test_each_evaluation_has_its_own_lines() -> None:
    policy = open_engine().compile(PolicyText("r.rego", "package minder\nx if {\n\tinput.a\n\tinput.b\n}\n"))
    assert policy.evaluate({"a": 1}, {}, ["x"], cover=True).covered == {3, 4}
    assert policy.evaluate({}, {}, ["x"], cover=True).covered == {3}
    assert policy.evaluate({}, {}, ["x"], cover=True).uncovered == {4}
