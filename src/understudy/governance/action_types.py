"""What agents can do, by name, how much harm it can do, and who may do it: the policy before any override."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any

from understudy.context.trust import TrustLevel
from understudy.core.brief import brief
from understudy.core.errors import InputError, Problem
from understudy.core.nearness import closest_name

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")


class AgentActionType(StrEnum):
    """The kinds of action that every governor knows.

    >>> AgentActionType.write_stix
    <AgentActionType.write_stix: 'write_stix'>
    """

    read_stix = "read_stix"
    write_stix = "write_stix"
    delete_stix = "delete_stix"
    enrich = "enrich"
    ingest = "ingest"
    export = "export"
    trigger_playbook = "trigger_playbook"
    manage_workspace = "manage_workspace"
    escalate = "escalate"
    hypothesize = "hypothesize"


class ImpactLevel(StrEnum):
    """How much harm an action can do: from `high` on, a person decides; of `critical`, somebody is told at once."""

    low = "low"
    medium = "medium"
    high = "high"
    critical = "critical"


_Type = AgentActionType
_EXTERNAL = frozenset({_Type.read_stix, _Type.enrich, _Type.escalate, _Type.hypothesize})
_SEMI = _EXTERNAL | {_Type.write_stix, _Type.ingest}
_MATRIX: dict[TrustLevel, frozenset[AgentActionType]] = {
    TrustLevel.UNTRUSTED_EXTERNAL: _EXTERNAL,
    TrustLevel.SEMI_TRUSTED: _SEMI,
    TrustLevel.TRUSTED_INTERNAL: frozenset(AgentActionType),
}
_IMPACTS = {level.value: level for level in ImpactLevel}


class ActionTypes:
    """The action types that one governor and its gateway know: the ten of every governor, and those registered here.

    >>> types = ActionTypes()
    >>> types.register("refund_order", allowed_to=["trusted_internal"])
    'refund_order'
    >>> types.permits("semi_trusted", "refund_order"), types.permits("trusted_internal", "refund_order")
    (False, True)
    >>> types.known("refund_ordre")
    Traceback (most recent call last):
    understudy.core.errors.InputError: unknown action type "refund_ordre" (did you mean 'refund_order'?)
    """

    def __init__(self) -> None:
        self._known: dict[str, str] = {kind.value: kind for kind in AgentActionType}
        self._permitted: dict[str, set[str]] = {level.value: {*kinds} for level, kinds in _MATRIX.items()}

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._known))

    def register(self, name: str, allowed_to: Iterable[str] = ("trusted_internal",)) -> str:
        """Make one more action type known, and say which trust levels may do it without an override."""
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            hint = "use up to 64 lower-case letters, digits and underscores, beginning with a letter"
            raise InputError([Problem(f"{brief(name)} is no name for an action type", hint=hint)])
        if name in self._known:
            raise InputError(
                [Problem(f"the action type {name!r} is known already", hint="choose another name")]
            )
        if not isinstance(allowed_to, Iterable):
            raise InputError(f"allowed_to names trust levels; it is {brief(allowed_to)}")
        levels = [allowed_to] if isinstance(allowed_to, str) else list(allowed_to)
        for level in levels:
            if not self.is_level(level):
                raise unknown("trust level", level, self._permitted)
        # Known last: whoever reads in another thread sees it with its permissions or not at all.
        for level in levels:
            self._permitted[level].add(name)
        self._known[name] = name
        return name

    def known(self, name: Any) -> str:
        """The action type of that name; an unknown one is refused, with the nearest that is known."""
        found = self._known.get(name) if isinstance(name, str) else None
        if found is None:
            raise unknown("action type", name, self)
        return found

    def is_level(self, trust_level: Any) -> bool:
        """Whether this is the name of a trust level."""
        return isinstance(trust_level, str) and str(trust_level) in self._permitted

    def permits(self, trust_level: Any, action_type: str) -> bool:
        """Whether a trust level may do an action by itself; a level that is unknown may nothing."""
        permitted = self._permitted.get(str(trust_level)) if isinstance(trust_level, str) else None
        return permitted is not None and action_type in permitted


def known_impact(level: Any) -> ImpactLevel:
    """The impact level of that name; an unknown one is refused, with the nearest that is known.

    >>> known_impact("hihg")
    Traceback (most recent call last):
    understudy.core.errors.InputError: unknown impact level "hihg" (did you mean 'high'?)
    """
    found = _IMPACTS.get(level) if isinstance(level, str) else None
    if found is None:
        raise unknown("impact level", level, _IMPACTS)
    return found


def unknown(what: str, name: Any, names: Iterable[str]) -> InputError:
    """The error for a name that is not among those known."""
    names = list(names)
    near = closest_name(name, names) if isinstance(name, str) else ""
    hint = f"did you mean {near!r}?" if near else f"known are {', '.join(names)}"
    return InputError([Problem(f"unknown {what} {brief(name)}", hint=hint)])
