"""From what a policy gave to a verdict, as the table of what a rule means has it."""

from __future__ import annotations

from typing import Any

import pytest

from understudy.rules.evaluate.policy import PolicyResult
from understudy.rules.evaluate.verdicts import Judgement, judge


def judged(kind: str, values: dict[str, Any], kinds: dict[str, str] | None = None, **more: str) -> Judgement:
    options = {"short_message": "", "violation_format": "text"} | more
    return judge(kind, PolicyResult(values, kinds or {}), **options)


@pytest.mark.parametrize(
    ("values", "status", "message", "output"),
    [
        ({"allow": True}, "pass", "", None),
        ({"allow": True, "message": "m", "output": 1}, "pass", "", None),
        ({"allow": False}, "fail", "denied", "denied"),
        ({"allow": False, "message": "m"}, "fail", "m", "m"),
        ({"allow": False, "message": "m", "output": {"a": 1}}, "fail", "m", {"a": 1}),
        ({"skip": True, "allow": False}, "skip", "rule not applicable", None),
        ({"skip": False, "allow": True}, "pass", "", None),
        ({}, "fail", "unable to get allow result", "unable"),
        ({"allow": "yes"}, "fail", 'allow result is not a bool, but "yes"', "allow"),
        ({"skip": 1, "allow": True}, "fail", "skip result is not a bool, but 1", "skip"),
        ({"allow": False, "message": 1}, "fail", "message result is not a string, but 1", "message"),
    ],
)
def test_deny_by_default(values: dict[str, Any], status: str, message: str, output: Any) -> None:
    found = judged("deny-by-default", values)
    assert found.status == status
    assert found.message.startswith(message)
    assert found.output == output or (isinstance(found.output, str) and found.output.startswith(output))
    assert list(found.violations) == ([{"msg": found.message}] if status == "fail" else [])


def test_the_rules_own_message_stands_in_for_one_of_the_policy() -> None:
    assert judged("deny-by-default", {"allow": False}, short_message="not pinned").message == "not pinned"
    assert (
        judged("deny-by-default", {"allow": False, "message": "m"}, short_message="not pinned").message == "m"
    )


@pytest.mark.parametrize(
    ("violations", "kind", "status", "message", "output"),
    [
        ([], "set", "pass", "", None),
        ([{"msg": "a"}, {"msg": "b", "more": 1}], "set", "fail", "a\nb", ["a", "b"]),
        ([{"msg": "a"}], "array", "fail", "violations result is not a set, but an array", None),
        ({"a": {"msg": "b"}}, "object", "fail", "violations result is not a set, but an object", None),
        (["a"], "set", "fail", 'a violation is not an object, but "a"', None),
        ([{"message": "a"}], "set", "fail", "missing msg in details", None),
        ([{"msg": 1}], "set", "fail", "msg is not a string, but 1", None),
    ],
)
def test_constraints(violations: Any, kind: str, status: str, message: str, output: Any) -> None:
    found = judged("constraints", {"violations": violations}, {"violations": kind})
    assert found.status == status
    assert found.message.startswith(message)
    if output is not None:
        assert found.output == output
        assert list(found.violations) == violations


def test_constraints_without_violations_say_so_and_may_skip() -> None:
    assert "`violations` is undefined" in judged("constraints", {}).message
    assert judged("constraints", {"skip": True}).status == "skip"


def test_violations_as_json_are_objects_out_of_their_messages() -> None:
    found = judged(
        "constraints",
        {"violations": [{"msg": '{"path": "a"}'}, {"msg": "plain"}, {"msg": "[1]"}]},
        {"violations": "set"},
        violation_format="json",
    )
    assert found.message == '[{"path": "a"}, {"msg": "plain"}, {"msg": "[1]"}]'
    assert found.output == [{"path": "a"}, {"msg": "plain"}, {"msg": "[1]"}]


def test_an_output_of_the_policy_stands_before_the_list_of_messages() -> None:
    values = {"violations": [{"msg": "a"}], "output": {"n": 1}}
    assert judged("constraints", values, {"violations": "set"}).output == {"n": 1}
