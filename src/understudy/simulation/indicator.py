"""One indicator, made of a name and a pattern: valid STIX 2.1 from the start, or refused with everything wrong."""

from __future__ import annotations

import json
import uuid
from typing import Any

from understudy.core.brief import brief
from understudy.core.clock import Clock, IdSource, SystemClock
from understudy.core.errors import InputError, Problem, missing_extra
from understudy.simulation.moments import stix_timestamp
from understudy.simulation.stix_schema import stix_problems

try:
    from stix2 import v21
except ImportError as error:
    raise missing_extra("stix", error.name or "stix2") from error

__all__ = ["Indicator"]


class Indicator:
    """A STIX 2.1 indicator that does not change. `to_dict()` is what connectors take and give out.

    >>> ioc = Indicator(name="evil.example.com", pattern="[domain-name:value = 'evil.example.com']")
    >>> ioc.id == ioc.to_dict()["id"], ioc.to_dict()["pattern_type"]
    (True, 'stix')
    >>> Indicator(name="broken", pattern="[domain-name:value = 'a.test']", confidence="high")
    Traceback (most recent call last):
    understudy.core.errors.InputError: the indicator "broken": $.confidence is "high", and has to be a whole number
    """

    __slots__ = ("_stix",)

    def __init__(
        self,
        name: str,
        pattern: str,
        *,
        id: str | None = None,  # noqa: A002  # the property is called so
        clock: Clock | None = None,
        new_id: IdSource | None = None,
        **properties: Any,
    ) -> None:
        """Make an indicator; `properties` are any others that STIX 2.1 has for one.

        What is not given is made as stix2 does: an id at random, the present moment for `created`, `modified` and
        `valid_from`, and "stix" for `pattern_type`. `clock` and `new_id` (which makes UUIDs) are for those who want
        the same in every run. Raises InputError with every problem and its property path.
        """
        now = stix_timestamp((clock or SystemClock()).now())
        created = properties.get("created", now)
        given = {
            "type": "indicator",
            "spec_version": "2.1",
            "id": id if id is not None else f"indicator--{(new_id or uuid.uuid4)()}",
            "created": created,
            "modified": created,
            "name": name,
            "pattern": pattern,
            "pattern_type": "stix",
            "valid_from": created,
            **properties,
        }
        _refuse_wrong(given)
        self._stix = v21.Indicator(allow_custom=True, **given)

    @property
    def id(self) -> str:
        """What connectors find it by: `indicator--` and a UUID."""
        return str(self._stix["id"])

    @property
    def name(self) -> str:
        """What people call it."""
        return str(self._stix["name"])

    @property
    def pattern(self) -> str:
        """What it is recognised by."""
        return str(self._stix["pattern"])

    def to_dict(self) -> dict[str, Any]:
        """The indicator as plain data, each time anew."""
        data: dict[str, Any] = json.loads(self.serialize())
        return data

    def serialize(self) -> str:
        """The indicator as JSON."""
        return str(self._stix.serialize())

    def __repr__(self) -> str:
        return f"Indicator(name={self.name!r}, pattern={self.pattern!r}, id={self.id!r})"

    def __eq__(self, other: object) -> bool:
        return self.to_dict() == other.to_dict() if isinstance(other, Indicator) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.id)


def _refuse_wrong(given: dict[str, Any]) -> None:
    label = f"the indicator {brief(given['name'])}"
    if given["type"] != "indicator":
        hint = "give other objects as dicts, or by a FixtureBuilder"
        raise InputError([Problem(f"{label}: $.type is {brief(given['type'])}", hint=hint)])
    problems = stix_problems(given)
    if problems:
        raise InputError([Problem(f"{label}: {path} {said}") for path, said in problems])
