"""Policies call the functions of the host by their names, and what those cannot give is undefined."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from understudy.rules.evaluate.functions import HostError, HostFunction
from understudy.rules.evaluate.policy import PolicyEngine, PolicyResult, PolicyText, Slip
from understudy.rules.evaluate.rego_engine import open_engine

PROTECTION = "minder.datasource.ghapi.branch_protection"


@pytest.fixture(scope="module")
def engine() -> PolicyEngine:
    return open_engine()


class Host:
    """Functions that remember what they were called with."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[Any, ...]]] = []

    def function(
        self, name: str, call: Callable[..., Any], arity: int = 1, gives_set: bool = False
    ) -> HostFunction:
        def remembered(*arguments: Any) -> Any:
            self.calls.append((name, arguments))
            return call(*arguments)

        return HostFunction(name, arity, remembered, gives_set)

    def functions(self) -> Mapping[str, HostFunction]:
        def read(path: str) -> str:
            if path.startswith("missing"):
                raise HostError(f"{path} does not exist")
            return f"content of {path}"

        functions = [
            self.function("file.read", read),
            self.function("base_file.exists", lambda path: path == "old"),
            self.function("file.ls", lambda path: None if path == "nowhere" else [f"{path}/a", f"{path}/b"]),
            self.function("github_workflow.ls_actions", lambda path: ["b", "a", "b"], gives_set=True),
            self.function("jq.is_true", lambda value, query: query == "." and bool(value), arity=2),
            self.function("parse_yaml", lambda text: {"on": text, "deep": [1, {"null": None, "float": 1.5}]}),
            self.function("http.send", lambda request: {"status_code": 200, "n": len(self.calls)}),
            self.function(PROTECTION, lambda arguments: {"body": arguments, "status": 200}),
        ]
        return {function.name: function for function in functions}


def evaluate(
    engine: PolicyEngine, rego: str, host: Host | None = None, wanted: Sequence[str] = ("x",), line: int = 1
) -> PolicyResult:
    policy = engine.compile(PolicyText("r.yaml", f"package minder\n{rego}", line), [PROTECTION])
    return policy.evaluate({}, (host or Host()).functions(), wanted)


UNDEFINED = object()


@pytest.mark.parametrize(
    ("rego", "expected"),
    [
        ('x := file.read("a")', "content of a"),
        ('x if base_file.exists("old")', True),
        ('x if not base_file.exists("new")', True),
        ('x := file.ls("nowhere")', None),
        ('x := [f | f := file.ls("d")[_]]', ["d/a", "d/b"]),
        ('x := [f | some f in file.ls("d")]', ["d/a", "d/b"]),
        ('x := {file.read(f) | some f in file.ls("d")}', ["content of d/a", "content of d/b"]),
        ('x if github_workflow.ls_actions("d") == {"a", "b"}', True),
        ('x := github_workflow.ls_actions("d") - {"a"}', ["b"]),
        ('x := count({a | some a in github_workflow.ls_actions("d"); a == "a"})', 1),
        ('x := jq.is_true({"a": {1, 2}}, ".")', True),
        ('x := parse_yaml("push").on', "push"),
        ('x := parse_yaml("push").deep[1]', {"null": None, "float": 1.5}),
        ('x := parse_yaml(file.read("a")).on', "content of a"),
        (f'x := {PROTECTION}({{"branch": "main"}}).body.branch', "main"),
        (f'x := {PROTECTION}({{{{"a": 1}}}}).body', [{"a": 1}]),
        (f'x := {PROTECTION}({{"n": 12345678901234567890}}).body.n == 12345678901234567890', True),
        ('x := http.send({"method": "GET", "url": "u"}).status_code', 200),
        # what gives nothing
        ('x := file.read("missing")', UNDEFINED),
        ('x if not file.read("missing")', True),
        ('x := [file.read(f) | some f in ["a", "missing", "b"]]', ["content of a", "content of b"]),
        ('x := f("missing")\nf(p) := c if c := file.read(p)\nelse := "none"', "none"),
        ('x if { every f in ["a", "missing"] { file.read(f) } }', UNDEFINED),
        ('x := object.get({}, file.read("missing"), 1)', UNDEFINED),
        # written in other ways
        ('x if { file.read("a", c); c == "content of a" }', True),
        ('x := file.read(\n\t"a" # why\n)', "content of a"),
        ('x = c { c := file.read("a") }', "content of a"),
        ('x := y if { y := file.read(input.p) with input as {"p": "a"} }', "content of a"),
        # names that are the policy's own
        ('file := "mine"\nx := [file, file.read("a")]', ["mine", "content of a"]),
        ('x := y if { file := "a"; y := file.read(file) }', "content of a"),
        ('x := y if { some file in ["a"]; y := file.read(file) }', "content of a"),
        ('file.read(p) := "own"\nx := file.read("a")', "own"),
        ('parse_yaml(t) := "own"\nx := parse_yaml("a")', "own"),
    ],
)
def test_the_value_of_a_call(engine: PolicyEngine, rego: str, expected: Any) -> None:
    assert evaluate(engine, rego).values.get("x", UNDEFINED) == expected


def test_what_could_not_be_given_is_told_with_its_place(engine: PolicyEngine) -> None:
    rego = 'x if not file.read("missing")\ny := [file.read("a"), file.read("missing too")]'
    slips = evaluate(engine, rego, wanted=("x", "y"), line=11).slips
    assert slips == (
        Slip("file.read", "missing does not exist", 12, 10),
        Slip("file.read", "missing too does not exist", 13, 23),
    )


def test_a_slip_that_repeats_is_told_once(engine: PolicyEngine) -> None:
    slips = evaluate(engine, 'x := [1 | numbers.range(1, 500)[_]; file.read("missing")]').slips
    assert len(slips) == 1
    many = evaluate(
        engine, 'x := [1 | some i in numbers.range(1, 500); file.read(sprintf("missing%d", [i]))]'
    )
    assert len(many.slips) == 100


def test_each_evaluation_has_functions_of_its_own(engine: PolicyEngine) -> None:
    policy = engine.compile(PolicyText("r.rego", 'package minder\nx := file.read("a")'))
    for content in ("one", "two"):
        functions = {"file.read": HostFunction("file.read", 1, lambda path, content=content: content)}
        assert policy.evaluate({}, functions, ["x"]).values == {"x": content}
    result = policy.evaluate({}, {}, ["x"])
    assert (result.values, result.slips[0].message) == ({}, "file.read is not available to this rule")


def test_rules_that_need_one_value_ask_for_it_once(engine: PolicyEngine) -> None:
    host = Host()
    evaluate(engine, 'c := file.read("a")\nx := c\ny := c\nz if c', host, ("x", "y", "z"))
    assert host.calls == [("file.read", ("a",))]


def test_a_function_is_not_called_again_when_a_builtin_fails(engine: PolicyEngine) -> None:
    host = Host()
    rego = (
        'x contains f if { some f in ["1", "q", "2"]; file.read(f); to_number(f) > 0; count(to_number(f)) }\n'
        'y := file.read("z")'
    )
    for _ in range(2):
        host.calls.clear()
        result = evaluate(engine, rego, host, ("x", "y"))
        assert (result.values, {slip.function for slip in result.slips}) == (
            {"x": [], "y": "content of z"},
            {"to_number", "count"},
        )
        assert [arguments[0] for _, arguments in host.calls] == ["1", "q", "2", "z"]


def test_equal_requests_of_one_evaluation_are_sent_once(engine: PolicyEngine) -> None:
    host = Host()
    rego = 'x := [r.n | some u in ["a", "b", "a"]; r := http.send({"method": "get", "url": u})]'
    assert evaluate(engine, rego, host).values == {"x": [1, 2, 1]}
    assert evaluate(engine, rego, host).values == {"x": [3, 4, 3]}


def test_a_builtin_can_be_the_hosts(engine: PolicyEngine) -> None:
    policy = engine.compile(PolicyText("r.rego", "package minder\nx := time.now_ns()"), ["time.now_ns"])
    assert policy.evaluate({}, {"time.now_ns": HostFunction("time.now_ns", 0, lambda: 7)}, ["x"]).values == {
        "x": 7
    }


def test_what_is_raised_on_purpose_comes_through(engine: PolicyEngine) -> None:
    class UnmatchedError(Exception):
        pass

    def fail(path: str) -> str:
        raise UnmatchedError(path)

    policy = engine.compile(PolicyText("r.rego", 'package minder\nx if not file.read("a")'))
    with pytest.raises(UnmatchedError):
        policy.evaluate({}, {"file.read": HostFunction("file.read", 1, fail)}, ["x"])
    assert policy.evaluate({}, Host().functions(), ["x"]).values == {}
