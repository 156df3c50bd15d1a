"""Makes up realistic sets of STIX objects that refer to each other: the same ones for the same seed, on any machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from understudy.core.brief import brief
from understudy.core.errors import InputError, Problem
from understudy.core.nearness import closest_name
from understudy.simulation import made_up
from understudy.simulation.made_objects import (
    DOMAIN_OBJECTS,
    OBSERVABLES,
    RELATIONSHIPS,
    observable,
    observable_in,
    with_its_id,
)
from understudy.simulation.made_set import MadeSet
from understudy.simulation.moments import moment, stix_timestamp
from understudy.simulation.object_copies import copier, owned

__all__ = ["FixtureBuilder"]

_KINDS = (*DOMAIN_OBJECTS, *OBSERVABLES)
_SIGHTINGS = 5
_ONE_OF = {
    "identities": "identity",
    "threat_actors": "threat-actor",
    "campaigns": "campaign",
    "malware": "malware",
    "tools": "tool",
    "attack_patterns": "attack-pattern",
    "vulnerabilities": "vulnerability",
    "infrastructure": "infrastructure",
    "indicators": "indicator",
}
_UNTIL = datetime(2026, 1, 1, tzinfo=UTC)


class FixtureBuilder:
    """Objects for a connector to hold, valid STIX 2.1, naming only what is reserved for documentation.

    What an object is depends on the seed, its type and how many of that type came before, so that a set to which
    something is added stays the same otherwise. A property that is given as None is left out.

    >>> builder = FixtureBuilder(seed=7)
    >>> malware = builder.make("malware", name="Grey Otter")
    >>> sample = builder.relate(builder.make("indicator"), "indicates", malware)
    >>> [made["type"] for made in builder.objects], sample["target_ref"] == malware["id"]
    (['malware', 'indicator', 'relationship'], True)
    >>> FixtureBuilder(seed=7).build(indicators=3) == FixtureBuilder(seed=7).build(indicators=3)
    True
    """

    def __init__(self, seed: int | str = 0, *, until: datetime = _UNTIL, days: int = 90) -> None:
        """Make a builder whose objects come from the `days` before the moment `until`."""
        if isinstance(seed, bool) or not isinstance(seed, int | str):
            raise _wrong(f"a seed is a number or a text, not {brief(seed)}")
        if moment(until) is None or _count("days", days) < 1:
            raise _wrong(
                f"until={brief(until)}, days={brief(days)} is no span of time", "days are at least 1"
            )
        last = moment(until) or until
        try:
            first = last - timedelta(days=days)
        except OverflowError:
            raise _wrong(f"days={days} reach back to before the first year") from None
        self._set = MadeSet(seed, first, last)
        self._since = first

    @property
    def objects(self) -> list[dict[str, Any]]:
        """Copies of all that was made, in this order."""
        return [copier(made)() for made in self._set.all]

    def build(
        self,
        *,
        indicators: int = 10,
        malware: int = 3,
        threat_actors: int = 2,
        campaigns: int = 1,
        tools: int = 1,
        attack_patterns: int = 2,
        vulnerabilities: int = 1,
        infrastructure: int = 1,
        identities: int = 1,
        sightings: int | None = None,
        reports: int | None = None,
    ) -> list[dict[str, Any]]:
        """Make a set: so many of each, their relationships, what the sightings saw, and reports about it all.

        Up to five indicators were seen, and there is one report, unless it is said how many.
        Every indicator indicates something, if there is something. All that the objects refer to is in the set.

        >>> made = FixtureBuilder(seed=1).build(indicators=2, sightings=1)
        >>> sorted({one["type"] for one in made} & {"indicator", "sighting", "observed-data", "report"})
        ['indicator', 'observed-data', 'report', 'sighting']
        """
        counts = {
            "identities": identities,
            "threat_actors": threat_actors,
            "campaigns": campaigns,
            "malware": malware,
            "tools": tools,
            "attack_patterns": attack_patterns,
            "vulnerabilities": vulnerabilities,
            "infrastructure": infrastructure,
            "indicators": indicators,
        }
        for name, number in {**counts, "sightings": sightings or 0, "reports": reports or 0}.items():
            _count(name, number)
        if sightings and not (indicators or self._set.of("indicator")):
            raise _wrong(
                f"sightings={sightings}, and there is no indicator to be seen", "ask for indicators too"
            )
        start = len(self._set.all)
        fresh = {
            _ONE_OF[name]: [self._make(_ONE_OF[name], {}) for _ in range(n)] for name, n in counts.items()
        }
        for source, kind, targets in RELATIONSHIPS:
            self._relate_each(fresh.get(source, ()), kind, targets)
        for _ in range(sightings if sightings is not None else min(indicators, _SIGHTINGS)):
            self._sight({})
        made = self._set.all[start:]
        for _ in range(reports if reports is not None else bool(made)):
            self._report(made, {})
        return [copier(one)() for one in self._set.all[start:]]

    def make(self, kind: str, **properties: Any) -> dict[str, Any]:
        """Make one object of a type, with these properties instead of made-up ones.

        >>> FixtureBuilder().make("domain-name", value="evil.example.com")["type"]
        'domain-name'
        """
        if kind not in _KINDS:
            others = {"relationship": "relate", "sighting": "sight", "report": "report", "bundle": "bundle"}
            near = closest_name(str(kind), _KINDS)
            hint = f"did you mean {near!r}?" if near else f"there are {', '.join(_KINDS)}"
            if kind in others:
                hint = f"{others[kind]}() makes it"
            raise _wrong(f"no {brief(kind)} can be made up", hint)
        return copier(self._make(kind, properties))()

    def relate(self, source: Any, relationship_type: str, target: Any, **properties: Any) -> dict[str, Any]:
        """Make a relationship between two objects, or ids."""
        return copier(self._relate(source, relationship_type, target, properties))()

    def sight(self, seen: Any = None, **properties: Any) -> dict[str, Any]:
        """Make a sighting of an object (of some indicator, if none is given), with what was observed.

        That is known if it is an indicator whose pattern names one observable, as those have that are made here.
        """
        return copier(self._sight(properties, seen))()

    def report(self, objects: Iterable[Any] = (), **properties: Any) -> dict[str, Any]:
        """Make a report about objects, or about all that was made so far."""
        return copier(self._report(list(objects) or self._set.all, properties))()

    def revise(self, obj: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
        """Make a later version of an object."""
        before = moment(obj.get("modified"))
        if before is None:
            raise _wrong(
                f"{brief(obj.get('id'))} has no versions", "observables do not change: make another one"
            )
        chance = self._set.next_chance(f"revision of {obj.get('id')}")
        later = before + timedelta(hours=chance.randrange(1, 72))
        return copier(self._set.keep({**owned(obj), "modified": stix_timestamp(later), **changes}))()

    def bundle(self) -> dict[str, Any]:
        """All that was made, as a bundle."""
        return {
            "type": "bundle",
            "id": f"bundle--{made_up.uuid4(self._set.chance('bundle'))}",
            "objects": self.objects,
        }

    def _make(self, kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
        chance = self._set.next_chance(kind)
        if kind in OBSERVABLES:
            made = observable(kind, chance)
            if "id" not in given:
                del made["id"]
                return self._set.keep(with_its_id({**made, **given}))
            return self._set.keep({**made, **given})
        return self._set.keep(self._set.dated(kind, chance, self._since, DOMAIN_OBJECTS[kind](chance), given))

    def _relate_each(self, sources: Iterable[dict[str, Any]], kind: str, targets: tuple[str, ...]) -> None:
        choice = [target for name in targets for target in self._set.of(name)]
        if choice:
            for source in sources:
                self._relate(
                    source,
                    kind,
                    self._set.chance(f"{kind} {targets[0]} of {source['id']}").choice(choice),
                    {},
                )

    def _relate(self, source: Any, kind: str, target: Any, given: Mapping[str, Any]) -> dict[str, Any]:
        chance = self._set.next_chance("relationship")
        ends = {"source_ref": _ref(source), "target_ref": _ref(target)}
        since = self._set.after(source, target)
        properties = {"relationship_type": kind, **ends}
        return self._set.keep(self._set.dated("relationship", chance, since, properties, given))

    def _sight(self, given: Mapping[str, Any], seen: Any = None) -> dict[str, Any]:
        chance = self._set.next_chance("sighting")
        if seen is None:
            indicators = self._set.of("indicator")
            if not indicators:
                raise _wrong(
                    "there is no indicator to be seen", "make an indicator first, or say what was seen"
                )
            seen = chance.choice(indicators)
        first = self._set.moment(chance, self._set.after(seen))
        times = {
            "first_seen": stix_timestamp(first),
            "last_seen": stix_timestamp(first + timedelta(minutes=chance.randrange(1, 600))),
        }
        count = chance.randrange(1, 20)
        properties: dict[str, Any] = {**times, "count": count, "sighting_of_ref": _ref(seen)}
        observed = self._observed(chance, seen, times, count)
        if observed is not None:
            properties["observed_data_refs"] = [observed["id"]]
        where = self._set.of("identity")
        if where:
            properties["where_sighted_refs"] = [chance.choice(where)["id"]]
        return self._set.keep(self._set.dated("sighting", chance, first, properties, given))

    def _observed(
        self, chance: Random, seen: Any, times: Mapping[str, str], count: int
    ) -> dict[str, Any] | None:
        """What was observed when an indicator was seen: the observable that it was made about."""
        about = observable_in(seen.get("pattern")) if isinstance(seen, Mapping) else None
        if about is None:
            return None
        self._set.keep(about)
        properties = {
            "first_observed": times["first_seen"],
            "last_observed": times["last_seen"],
            "number_observed": count,
            "object_refs": [about["id"]],
        }
        since = moment(times["first_seen"]) or self._since
        return self._set.keep(
            self._set.dated("observed-data", self._set.next_chance("observed-data"), since, properties, {})
        )

    def _report(self, objects: list[Any], given: Mapping[str, Any]) -> dict[str, Any]:
        if not objects and "object_refs" not in given:
            raise _wrong("there is nothing to report", "make objects first, or give those that it is about")
        chance = self._set.next_chance("report")
        properties = {
            "name": f"Report on {made_up.title(chance)}",
            "report_types": ["threat-report"],
            "object_refs": list(dict.fromkeys(map(_ref, objects))),
        }
        return self._set.keep(self._set.dated("report", chance, self._set.after(*objects), properties, given))


def _ref(thing: Any) -> str:
    """The id of an object, or the id that was given."""
    found = thing.get("id") if isinstance(thing, Mapping) else getattr(thing, "id", thing)
    if not isinstance(found, str) or not found:
        raise _wrong(f"{brief(thing)} cannot be referred to", "give an object with an id, or the id")
    return found


def _count(name: str, number: Any) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise _wrong(f"{name} is a whole number from 0 on, not {brief(number)}")
    return number


def _wrong(message: str, hint: str = "") -> InputError:
    return InputError([Problem(message, hint=hint)])
