"""A set of objects that is being made up: gives each an id, an author and moments by its own chance, and keeps it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any

from understudy.simulation import made_up
from understudy.simulation.made_objects import OBSERVABLES
from understudy.simulation.moments import moment, stix_timestamp
from understudy.simulation.object_copies import owned

Made = dict[str, Any]

_DATED_TWICE = {"indicator": "valid_from", "report": "published"}


class MadeSet:
    """What was made so far. What comes next depends on the seed, its type, and how many of that type there were."""

    def __init__(self, seed: int | str, since: datetime, until: datetime) -> None:
        self.all: list[Made] = []
        self._seed = seed
        self._since = since
        self._until = until
        self._by_kind: dict[str, list[Made]] = {}
        self._counts: Counter[str] = Counter()
        self._observables: set[str] = set()

    def of(self, kind: str) -> Sequence[Made]:
        """What was made of a type."""
        return self._by_kind.get(kind, ())

    def next_chance(self, kind: str) -> Random:
        """The source of chance for the next object of a type."""
        number = self._counts[kind]
        self._counts[kind] += 1
        return self.chance(f"{kind}/{number}")

    def chance(self, purpose: str) -> Random:
        """The source of chance for one purpose, which depends on no other."""
        return Random(f"{self._seed}/{purpose}")  # noqa: S311  # nothing here is a secret

    def moment(self, chance: Random, since: datetime) -> datetime:
        """A moment from `since` to the end of the span."""
        span = max(int((self._until - since).total_seconds()), 0)
        return since + timedelta(seconds=chance.randrange(span + 1))

    def after(self, *objects: Any) -> datetime:
        """The moment at which all of the objects are there."""
        moments = [moment(one.get("created")) for one in objects if isinstance(one, Mapping)]
        return max([self._since, *(when for when in moments if when is not None)])

    def dated(
        self,
        kind: str,
        chance: Random,
        since: datetime,
        properties: Mapping[str, Any],
        given: Mapping[str, Any],
    ) -> Made:
        """An object with an id, an author and moments from `since` on; half of them were changed since they were made.

        What is given counts more than what is made up, and what is given as None is left out.
        """
        identity = f"{kind}--{made_up.uuid4(chance)}"
        created = self.moment(chance, since)
        modified = self.moment(chance, created) if chance.random() < 0.5 else created
        made: Made = {"type": kind, "spec_version": "2.1", "id": identity}
        authors = self.of("identity")
        if authors and kind != "identity":
            made["created_by_ref"] = authors[0]["id"]
        made |= {"created": stix_timestamp(created), "modified": stix_timestamp(modified), **properties}
        if kind in _DATED_TWICE:
            made[_DATED_TWICE[kind]] = made["created"]
        left_out = {name for name, value in given.items() if value is None}
        return {name: value for name, value in {**made, **given}.items() if name not in left_out}

    def keep(self, made: Made) -> Made:
        """Keep what was made; the same observable made again is one."""
        kind, identity = str(made.get("type")), str(made.get("id"))
        if kind in OBSERVABLES and identity in self._observables:
            return made
        mine = owned(made)
        self.all.append(mine)
        self._by_kind.setdefault(kind, []).append(mine)
        if kind in OBSERVABLES:
            self._observables.add(identity)
        return mine
