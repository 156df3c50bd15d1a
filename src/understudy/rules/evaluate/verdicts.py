"""From what a policy's rules gave to a verdict: pass, fail or skip, with its violations, message and output."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from understudy.core.brief import brief
from understudy.rules.evaluate.policy import PolicyResult

Verdict = Literal["pass", "fail", "skip", "error"]
WANTED = {
    "deny-by-default": ("skip", "allow", "message", "output"),
    "constraints": ("skip", "violations", "output"),
}
_NOT_APPLICABLE = "rule not applicable"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What came of an evaluation. There is a violation for every reason to fail, and none otherwise."""

    status: Verdict
    message: str = ""
    violations: Sequence[Mapping[str, Any]] = field(default_factory=tuple)
    output: Any = None


def failing(message: str, output: Any = None) -> Judgement:
    """A failure with one violation, whose message is that of the whole."""
    return Judgement("fail", message, ({"msg": message},), message if output is None else output)


def judge(kind: str, result: PolicyResult, *, short_message: str, violation_format: str) -> Judgement:
    """The judgement of a policy of a kind (`deny-by-default` or `constraints`).

    >>> judge("deny-by-default", PolicyResult({"allow": False}), short_message="", violation_format="text").message
    'denied'
    """
    skip = result.values.get("skip")
    if skip is not None and not isinstance(skip, bool):
        return failing(f"skip result is not a bool, but {brief(skip)}")
    if skip:
        return Judgement("skip", _NOT_APPLICABLE)
    if kind == "constraints":
        return _constraints(result, as_json=violation_format == "json")
    return _deny_by_default(result, short_message)


def _deny_by_default(result: PolicyResult, short_message: str) -> Judgement:
    values = result.values
    if "allow" not in values:
        return failing("unable to get allow result: `allow` is undefined; write `default allow := false`")
    if not isinstance(values["allow"], bool):
        return failing(f"allow result is not a bool, but {brief(values['allow'])}")
    if values["allow"]:
        return Judgement("pass")
    message = values.get("message", short_message or "denied")
    if not isinstance(message, str):
        return failing(f"message result is not a string, but {brief(message)}")
    return failing(message, values.get("output"))


def _constraints(result: PolicyResult, *, as_json: bool) -> Judgement:
    values = result.values
    if "violations" not in values:
        return failing(
            "unable to get violations: `violations` is undefined; write `violations contains ... if ...`"
        )
    if result.kinds.get("violations") != "set":
        kind = result.kinds.get("violations", "another type")
        shown = brief(values["violations"])
        return failing(f"violations result is not a set, but {_with_article(kind)}: {shown}")
    violations: list[Mapping[str, Any]] = []
    for violation in values["violations"]:
        if not isinstance(violation, Mapping):
            return failing(f"a violation is not an object, but {brief(violation)}")
        if "msg" not in violation:
            return failing(f"missing msg in details: the violation {brief(violation)} has no msg")
        if not isinstance(violation["msg"], str):
            return failing(f"msg is not a string, but {brief(violation['msg'])}")
        violations.append(violation)
    if not violations:
        return Judgement("pass")
    messages = [str(violation["msg"]) for violation in violations]
    details: list[Any] = [_as_object(message) for message in messages] if as_json else messages
    message = json.dumps(details, ensure_ascii=False) if as_json else "\n".join(messages)
    return Judgement("fail", message, tuple(violations), values.get("output", details))


def _as_object(message: str) -> Any:
    """A violation's message as the object that it is the JSON of; plain text becomes one with a `msg`."""
    try:
        value = json.loads(message)
    except ValueError:
        value = None
    return value if isinstance(value, dict) else {"msg": message}


def _with_article(kind: str) -> str:
    return f"an {kind}" if kind[:1] in "aeiou" else f"a {kind}"
