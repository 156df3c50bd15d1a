"""A jq rule passes if every assertion holds; the first that does not is named with what was expected and found."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.errors import InputError
from understudy.rules.evaluate.jq_assertions import compile_assertions, same

INGESTED = {
    "private": True,
    "count": 2,
    "ratio": 0.5,
    "zero": 0,
    "branch": {"name": "main", "rules": ["deletion", "update"]},
    "nothing": None,
}


def constant(path: str, value: Any) -> dict[str, Any]:
    return {"ingested": {"def": path}, "constant": value}


def from_profile(path: str, profile_path: str) -> dict[str, Any]:
    return {"ingested": {"def": path}, "profile": {"def": profile_path}}


# A filter over what is ingested, what it equals, and whether that holds.
COMPARED: list[tuple[str, Any, bool]] = [
    (".private", True, True),
    (".private", False, False),
    (".count", 2.0, True),
    (".count", "2", False),
    (".private", 1, False),
    (".zero", False, False),
    (".ratio", 0.5, True),
    (".branch.name", "main", True),
    (" .branch.name ", "main", True),
    (".branch.rules", ["deletion", "update"], True),
    (".branch.rules", ["update", "deletion"], False),
    (".branch.rules[]", ["deletion", "update"], True),
    (".branch.rules | length", 2, True),
    ('.branch.rules | contains(["update"])', True, True),
    (".branch", {"rules": ["deletion", "update"], "name": "main"}, True),
    (".nothing", None, True),
    (".missing", None, True),
    (".missing.deeper", None, True),
    (".missing", False, False),
    ('.["branch"]["name"]', "main", True),
    ('.missing // "main"', "main", True),
    ('if .private then "yes" else "no" end', "yes", True),
    ("[.count, 1.0]", [2, 1], True),
    (".branch\n  | .name # a comment", "main", True),
]


@pytest.mark.parametrize(("path", "value", "holds"), COMPARED)
def test_an_assertion_compares_what_was_ingested(path: str, value: Any, holds: bool) -> None:
    by_constant = compile_assertions([constant(path, value)]).evaluate(INGESTED, {})
    by_profile = compile_assertions([from_profile(path, ".wanted")]).evaluate(INGESTED, {"wanted": value})
    assert by_constant.status == by_profile.status == ("pass" if holds else "fail")


@pytest.mark.parametrize(
    ("assertion", "message"),
    [
        (constant(".private", False), 'Expected ".private" to equal false, but was true.'),
        (constant(".missing", True), 'Expected ".missing" to equal true, but was not set.'),
        (
            constant(".branch.rules", []),
            'Expected ".branch.rules" to equal [], but was ["deletion", "update"].',
        ),
        (from_profile(".count", ".least"), 'Expected ".count" to equal 3, but was 2.'),
    ],
)
def test_a_failure_names_path_expected_and_actual(assertion: dict[str, Any], message: str) -> None:
    result = compile_assertions([assertion]).evaluate(INGESTED, {"least": 3})
    assert (result.status, result.message) == ("fail", message)


def test_the_first_mismatch_fails_and_the_rest_is_not_reached() -> None:
    rule = compile_assertions([constant(".private", True), constant(".count", 9), constant("error", 1)])
    result = rule.evaluate(INGESTED, {})
    assert [(compared.index, compared.held) for compared in result.reached] == [(0, True), (1, False)]
    last = result.reached[-1]
    assert (last.path, last.expected, last.actual, last.source) == (".count", 9, 2, "")
    assert result.reason == "data does not match profile: for assertion 1, got 2, want 9"


def test_what_was_expected_is_explained_by_its_filter() -> None:
    (compared,) = (
        compile_assertions([from_profile(".count", ".least")]).evaluate(INGESTED, {"least": 2}).reached
    )
    assert (compared.held, compared.expected, compared.source) == (True, 2, ".least")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (".branch.name.first", "Cannot index string"),
        (".private[]", "Cannot iterate over boolean"),
        ("empty", "no values found"),
        ('error("not today")', "not today"),
        ("range(20000)", "more than 10,000 values"),
        ("repeat(1)", "more than 10,000 values"),
        ("input", "break"),
    ],
)
def test_a_filter_that_fails_is_an_error_of_the_evaluation(path: str, message: str) -> None:
    for assertion, side in ((constant(path, 1), "data"), (from_profile(".count", path), "profile")):
        result = compile_assertions([assertion]).evaluate(INGESTED, INGESTED)
        assert result.status == "error"
        assert message in result.message
        assert f"cannot get values from {side} accessor" in result.message
        assert result.reached == ()


def test_nothing_ingested_is_an_error() -> None:
    result = compile_assertions([constant(".", None)]).evaluate(None, {})
    assert result.status == "error"
    assert "nothing was ingested" in result.message


def test_a_filter_sees_no_environment_and_imports_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNDERSTUDY_SECRET", "hidden")
    rule = compile_assertions([constant("[$ENV, env]", [{}, {}])])
    assert rule.evaluate({}, {}).status == "pass"
    with pytest.raises(InputError, match="unexpected import"):
        compile_assertions([constant('import "a" as a; .', 1)])


@pytest.mark.parametrize(
    ("assertions", "problem"),
    [
        ([], "rule.yaml:1:1: missing jq assertions"),
        ([7], "rule.yaml:10:1: a jq assertion must be an object, not 7"),
        ([constant(".a |", 1)], 'rule.yaml:10:3: ".a |" is no jq: syntax error, unexpected end of file'),
        ([constant("foo(.)", 1)], "look at 'foo(.)'"),
        ([constant(".a\n| foo", 1)], "is no jq in line 2: foo/0 is not defined"),
        ([constant(".a\n| foo\n| .b", 1)], "is no jq in line 2: foo/0 is not defined (look at 'foo')"),
        ([constant("# nothing", 1)], "is no jq: syntax error"),
        ([constant("  ", 1)], "rule.yaml:10:2: 'ingested.def' of a jq assertion is missing"),
        ([{"constant": 1}], "rule.yaml:10:1: 'ingested.def' of a jq assertion is missing"),
        ([{"ingested": {"def": "."}}], "has no 'profile' or 'constant'"),
        ([{**constant(".", 1), "profile": {"def": "."}}], "has both 'profile' and 'constant'"),
        ([{**constant(".", 1), "ingestd": 1}], "no key 'ingestd' (did you mean 'ingested'?)"),
        ([constant(".", 1), {"ingested": {"def": "."}, "profile": {}}], "rule.yaml:11:2: 'profile.def'"),
        ([constant("x" * 70_000, 1)], "longer than 65,536 characters"),
    ],
)
def test_assertions_that_cannot_be_are_errors_of_the_rule_at_their_place(
    assertions: list[Any], problem: str
) -> None:
    def place(*path: str | int) -> tuple[int, int]:
        return (10 + int(path[0]), len(path)) if path else (1, 1)

    with pytest.raises(InputError) as caught:
        compile_assertions(assertions, "rule.yaml", place)
    assert problem in str(caught.value)


def test_every_problem_is_told_at_once() -> None:
    with pytest.raises(InputError) as caught:
        compile_assertions([constant("{", 1), constant("}", 1)])
    assert len(caught.value.problems) == 2


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**50), 2**50) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(json_values)
def test_a_value_equals_itself_also_after_jq(value: Any) -> None:
    assert same(value, value)
    assert compile_assertions([constant(".a", value)]).evaluate({"a": value}, {}).status == "pass"
    assert compile_assertions([constant('.["a"]', value)]).evaluate({"a": value}, {}).status == "pass"


@given(json_values, json_values)
def test_being_the_same_has_no_direction(left: Any, right: Any) -> None:
    assert same(left, right) == same(right, left)
