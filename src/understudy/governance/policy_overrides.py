"""The overrides that a governor begins with, in each of the shapes that they are written in."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from understudy.core.brief import brief
from understudy.core.errors import InputError, Problem

Override = tuple[Any, Any, Any]
Overrides = Mapping[str, Mapping[str, bool | Collection[str]]] | Mapping[tuple[str, str], bool]

_ALLOW, _DENY = "allow", "deny"
_SHAPE = (
    'write {"agent": {"action_type": True or False}}, {"agent": {"allow": [...], "deny": [...]}} '
    'or {("agent", "action_type"): True or False}'
)


def each_override(given: Any) -> Iterator[Override]:
    """Every override as agent, action type, and whether it permits; what is no override at all is refused.

    >>> list(each_override({"ann": {"export": True, "deny": ["enrich"]}, ("bob", "ingest"): False}))
    [('ann', 'export', True), ('ann', 'enrich', False), ('bob', 'ingest', False)]
    >>> list(each_override({"ann": ["export"]}))
    Traceback (most recent call last):
    understudy.core.errors.InputError: policy_overrides: "ann" has no overrides in ["export"] (write ...
    """
    if not isinstance(given, Mapping):
        raise _unclear(f"they are {brief(given)}")
    said: dict[Any, Any] = {}
    for agent_id, action_type, allowed in _read(given):
        pair = (brief(agent_id), brief(action_type))
        if said.setdefault(pair, allowed) is not allowed:
            raise _unclear(f"{pair[0]} is both permitted and forbidden {pair[1]}")
        yield agent_id, action_type, allowed


def _read(given: Mapping[Any, Any]) -> Iterator[Override]:
    for key, value in given.items():
        if isinstance(key, tuple) and len(key) == 2:
            yield key[0], key[1], value
        elif isinstance(value, Mapping):
            yield from _of_agent(key, value)
        else:
            raise _unclear(f"{brief(key)} has no overrides in {brief(value)}")


def _of_agent(agent_id: Any, overrides: Mapping[Any, Any]) -> Iterator[Override]:
    for name, value in overrides.items():
        if name in (_ALLOW, _DENY) and isinstance(value, list | tuple | set | frozenset):
            yield from ((agent_id, action_type, name == _ALLOW) for action_type in value)
        else:
            yield agent_id, name, value


def _unclear(what: str) -> InputError:
    return InputError([Problem(f"policy_overrides: {what}", hint=_SHAPE)])
