"""Fixtures that are made up: valid, related, the same for the same seed, and naming nobody."""

from __future__ import annotations

import ipaddress
import json
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import pytest
import stix2
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from understudy.core.errors import InputError
from understudy.simulation import FixtureBuilder, SimulationConnector
from understudy.simulation.made_objects import DOMAIN_OBJECTS, OBSERVABLES, observable_in, pattern_for
from understudy.simulation.moments import moment

Objects = list[dict[str, Any]]
SMALL = st.integers(0, 4)


def of_type(objects: Objects, kind: str) -> Objects:
    return [one for one in objects if one["type"] == kind]


def references(value: Any) -> list[str]:
    """Every id that an object refers to."""
    found: list[str] = []
    for name, held in value.items():
        if name.endswith("_ref"):
            found.append(held)
        elif name.endswith("_refs"):
            found.extend(held)
    return found


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    seed=st.one_of(st.integers(), st.text(max_size=5)),
    counts=st.fixed_dictionaries(
        {
            "indicators": st.integers(1, 4),
            **dict.fromkeys(
                ("malware", "threat_actors", "campaigns", "tools", "identities", "sightings"), SMALL
            ),
        }
    ),
)
def test_any_set_is_valid_whole_and_the_same_again(seed: int | str, counts: dict[str, int]) -> None:
    made = FixtureBuilder(seed).build(**counts)
    connector = SimulationConnector(made, validate="strict")
    assert connector.list_objects() == made == FixtureBuilder(seed).build(**counts)
    ids = [one["id"] for one in made]
    assert len(ids) == len(set(ids))
    assert {ref for one in made for ref in references(one)} <= set(ids)
    counted = Counter(one["type"] for one in made)
    assert (counted["indicator"], counted["sighting"]) == (counts["indicators"], counts["sightings"])


def test_the_set_is_the_same_in_another_process_with_another_hash_seed() -> None:
    code = "import json; from understudy.simulation import FixtureBuilder; print(json.dumps(FixtureBuilder(7).build()))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONHASHSEED": "77"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert json.loads(done.stdout) == FixtureBuilder(7).build()


def test_another_seed_makes_other_objects() -> None:
    first, second = (FixtureBuilder(seed).build() for seed in (1, 2))
    assert not {one["id"] for one in first} & {one["id"] for one in second}


def test_a_set_stays_the_same_when_something_is_added_to_it() -> None:
    few, more = (
        FixtureBuilder(3).build(indicators=2, malware=2),
        FixtureBuilder(3).build(indicators=5, malware=4),
    )
    for kind in ("malware", "indicator", "threat-actor"):
        assert of_type(more, kind)[: len(of_type(few, kind))] == of_type(few, kind)


def test_the_parts_are_related_as_in_a_real_set() -> None:
    made = FixtureBuilder(5).build(indicators=6, sightings=4)
    by_id = {one["id"]: one for one in made}
    related = {
        (by_id[one["source_ref"]]["type"], one["relationship_type"], by_id[one["target_ref"]]["type"])
        for one in of_type(made, "relationship")
    }
    assert ("threat-actor", "uses", "malware") in related
    assert ("malware", "exploits", "vulnerability") in related
    indicating = [
        one["source_ref"] for one in of_type(made, "relationship") if one["relationship_type"] == "indicates"
    ]
    assert sorted(indicating) == sorted(one["id"] for one in of_type(made, "indicator"))
    for sighting in of_type(made, "sighting"):
        seen = by_id[sighting["sighting_of_ref"]]
        [observed] = (by_id[ref] for ref in sighting["observed_data_refs"])
        [observable] = (by_id[ref] for ref in observed["object_refs"])
        assert (
            pattern_for(observable) == seen["pattern"] or observable["hashes"]["SHA-256"] in seen["pattern"]
        )
        assert sighting["first_seen"] >= seen["created"]
    [report] = of_type(made, "report")
    assert set(report["object_refs"]) == set(by_id) - {report["id"]}


def test_what_there_is_not_is_not_seen_and_not_reported() -> None:
    nothing = {
        "threat_actors": 0,
        "campaigns": 0,
        "malware": 0,
        "tools": 0,
        "attack_patterns": 0,
        "vulnerabilities": 0,
    }
    builder = FixtureBuilder()
    assert builder.build(indicators=0, infrastructure=0, identities=0, **nothing) == []
    [one, report] = builder.build(indicators=0, infrastructure=0, identities=1, **nothing)
    assert (one["type"], report["object_refs"]) == ("identity", [one["id"]])


def test_every_moment_lies_in_the_span_and_in_order() -> None:
    until = datetime(2026, 6, 1, tzinfo=UTC)
    for one in FixtureBuilder(1, until=until, days=10).build(indicators=20):
        if "created" in one:
            created, modified = moment(one["created"]), moment(one["modified"])
            assert created is not None
            assert modified is not None
            assert datetime(2026, 5, 22, tzinfo=UTC) <= created <= modified <= until


@pytest.mark.parametrize("kind", [*DOMAIN_OBJECTS, *OBSERVABLES])
def test_every_type_can_be_made_and_is_valid(kind: str) -> None:
    builder = FixtureBuilder("kinds")
    for _ in range(5):
        SimulationConnector([builder.make(kind)], validate="strict")
    assert {one["type"] for one in builder.objects} == {kind}


@pytest.mark.parametrize("kind", OBSERVABLES)
def test_an_observable_has_the_id_that_stix2_makes_of_it(kind: str) -> None:
    made = FixtureBuilder(2).make(kind)
    without = {name: value for name, value in made.items() if name != "id"}
    assert stix2.parse(without, version="2.1").id == made["id"]
    assert FixtureBuilder().make("url", value="http://a.test/")["id"] != FixtureBuilder().make("url")["id"]


def test_names_and_addresses_belong_to_nobody() -> None:
    builder = FixtureBuilder(4)
    for _ in range(60):
        for kind in OBSERVABLES:
            builder.make(kind)
    for one in builder.objects:
        match one["type"]:
            case "ipv4-addr" | "ipv6-addr":
                assert not ipaddress.ip_address(one["value"]).is_global
            case "domain-name" | "url" | "email-addr":
                host = (urlsplit(one["value"]).hostname or one["value"].rpartition("@")[2]).rsplit(".", 2)
                assert host[-1] in ("example", "test") or host[-2] == "example"


def test_properties_that_are_given_are_taken_and_none_leaves_one_out() -> None:
    made = FixtureBuilder().make("malware", name="Mine", malware_types=None, id="malware--x")
    assert (made["name"], made["id"]) == ("Mine", "malware--x")
    assert "malware_types" not in made
    with pytest.raises(InputError, match=r"\$\.is_family is missing"):
        SimulationConnector([FixtureBuilder().make("malware", is_family=None)], validate="strict")


def test_a_set_can_be_put_together_by_hand() -> None:
    builder = FixtureBuilder(8)
    builder.make("identity")
    malware, indicator = (
        builder.make("malware"),
        builder.make("indicator", pattern="[url:value = 'http://a.test/']"),
    )
    link = builder.relate(indicator, "indicates", malware, confidence=80)
    seen = builder.sight(indicator, count=3)
    report = builder.report(name="All of it")
    assert (link["source_ref"], link["target_ref"], link["confidence"]) == (
        indicator["id"],
        malware["id"],
        80,
    )
    assert (seen["sighting_of_ref"], seen["count"], len(seen["observed_data_refs"])) == (
        indicator["id"],
        3,
        1,
    )
    assert (report["name"], len(report["object_refs"])) == ("All of it", len(builder.objects) - 1)
    connector = SimulationConnector(builder.bundle(), validate="strict")
    assert connector.list_objects() == builder.objects
    assert stix2.parse(builder.bundle(), version="2.1").type == "bundle"


def test_ids_can_be_related_as_well_as_objects() -> None:
    builder = FixtureBuilder()
    made = builder.relate("malware--1", "uses", builder.make("tool"))
    assert made["source_ref"] == "malware--1"
    assert "observed_data_refs" not in builder.sight("malware--1")


def test_the_same_observable_made_twice_is_one() -> None:
    builder = FixtureBuilder()
    first = builder.make("domain-name", value="a.test")
    assert builder.make("domain-name", value="a.test") == first
    assert builder.objects == [first]


def test_a_revision_is_a_later_version_of_the_same_object() -> None:
    builder = FixtureBuilder(1)
    first = builder.make("indicator")
    second = builder.revise(first, confidence=1)
    third = builder.revise(second, confidence=2)
    connector = SimulationConnector(builder.objects, validate="strict")
    assert connector.versions(first["id"]) == [first, second, third]
    assert connector.get_object(first["id"])["confidence"] == 2


def test_what_was_given_in_or_out_can_be_changed_without_changing_the_builder() -> None:
    builder = FixtureBuilder()
    mine = ["mine"]
    made = builder.make("indicator", labels=mine)
    made["labels"].append("changed")
    mine.append("changed")
    built = builder.build(indicators=1)
    built[0].clear()
    assert builder.objects[0]["labels"] == ["mine"]
    assert all(builder.objects)


def test_the_first_identity_is_the_author_and_some_objects_were_changed_since() -> None:
    made = FixtureBuilder(6).build(indicators=20)
    [author] = of_type(made, "identity")
    dated = [one for one in made if "created" in one and one is not author]
    assert {one["created_by_ref"] for one in dated} == {author["id"]}
    assert 0 < sum(one["modified"] > one["created"] for one in dated) < len(dated)


def test_a_simple_pattern_tells_what_it_matches_and_others_tell_nothing() -> None:
    assert observable_in("[domain-name:value = 'a.test']") == FixtureBuilder().make(
        "domain-name", value="a.test"
    )
    for pattern in ("[mutex:name = 'x']", "[url:value = 'a'] AND [url:value = 'b']", "nonsense", None):
        assert observable_in(pattern) is None


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda builder: builder.make("malwear"), "no \"malwear\" can be made up (did you mean 'malware'?)"),
        (lambda builder: builder.make("sighting"), "sight() makes it"),
        (lambda builder: builder.make(3), "no 3 can be made up"),
        (lambda builder: builder.build(indicators=-1), "indicators is a whole number from 0 on, not -1"),
        (lambda builder: builder.build(malware=True), "malware is a whole number from 0 on, not true"),
        (
            lambda builder: builder.build(indicators=0, sightings=1),
            "there is no indicator to be seen (ask for indicators too)",
        ),
        (lambda builder: builder.sight(), "there is no indicator to be seen"),
        (lambda builder: builder.relate({"type": "tool"}, "uses", "x"), "cannot be referred to"),
        (lambda builder: builder.relate("x", "uses", ""), "cannot be referred to"),
        (lambda builder: builder.report(), "there is nothing to report"),
        (lambda builder: builder.revise(builder.make("url")), "has no versions"),
        (lambda builder: type(builder)(1.5), "a seed is a number or a text, not 1.5"),
        (lambda builder: type(builder)(until="soon"), "is no span of time"),
        (lambda builder: FixtureBuilder(days=0), "is no span of time"),
        (lambda builder: FixtureBuilder(days=10**7), "reach back to before the first year"),
    ],
)
def test_what_cannot_be_made_is_refused_and_nothing_is_kept_of_it(make: Any, said: str) -> None:
    builder = FixtureBuilder()
    with pytest.raises(InputError) as refused:
        make(builder)
    assert said in str(refused.value)
    assert len(builder.objects) <= 1
