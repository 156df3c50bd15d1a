"""What is valid STIX 2.1 is let in, of every type; what is not is told by the path of the property."""

from __future__ import annotations

import json
import warnings
from datetime import UTC, datetime
from typing import Any

import pytest
import stix2
from stix2 import v21

from understudy.simulation.stix_schema import stix_problems

AT = "2026-01-01T00:00:00Z"
LATER = "2026-02-01T00:00:00Z"
UUID = "00000000-0000-4000-8000-000000000001"
IDENTITY, MALWARE, ADDRESS, FILE = (
    f"{kind}--{UUID}" for kind in ("identity", "malware", "ipv4-addr", "file")
)
DATED = {"spec_version": "2.1", "created": AT, "modified": AT}
INDICATOR: dict[str, Any] = {
    "type": "indicator", "id": f"indicator--{UUID}", **DATED, "valid_from": AT,
    "pattern": "[domain-name:value = 'a.test']", "pattern_type": "stix",
}  # fmt: skip
PHASE = {"kill_chain_name": "k", "phase_name": "p"}
HASHES = {"SHA-256": "a" * 64, "MD5": "a" * 32}

VALID = [
    v21.AttackPattern(name="a", external_references=[{"source_name": "capec", "external_id": "CAPEC-163"}]),
    v21.Campaign(name="a", first_seen=AT, last_seen=LATER),
    v21.CourseOfAction(name="a"),
    v21.Grouping(context="x", object_refs=[MALWARE]),
    v21.Identity(name="a", identity_class="individual"),
    v21.Incident(name="a"),
    v21.Indicator(
        pattern=INDICATOR["pattern"], pattern_type="stix", valid_from=AT, valid_until=LATER, confidence=100,
        labels=["a"], created_by_ref=IDENTITY, object_marking_refs=[stix2.TLP_RED], kill_chain_phases=[PHASE],
        granular_markings=[{"selectors": ["labels.[0]"], "marking_ref": stix2.TLP_RED}],
    ),
    v21.Indicator(pattern="alert tcp any", pattern_type="snort", valid_from=AT),
    v21.Infrastructure(name="a"),
    v21.IntrusionSet(name="a"),
    v21.Location(latitude=48.8566, longitude=2.3522),
    v21.Location(region="africa"),
    v21.Malware(name="a", is_family=True),
    v21.MalwareAnalysis(product="a", result="benign"),
    v21.Note(content="a", object_refs=[MALWARE]),
    v21.ObservedData(first_observed=AT, last_observed=AT, number_observed=1, object_refs=[ADDRESS]),
    v21.Opinion(opinion="agree", object_refs=[MALWARE]),
    v21.Report(name="a", published=AT, object_refs=[MALWARE]),
    v21.ThreatActor(name="a"),
    v21.Tool(name="a"),
    v21.Vulnerability(name="a"),
    v21.Relationship(source_ref=IDENTITY, target_ref=MALWARE, relationship_type="uses"),
    v21.Sighting(sighting_of_ref=MALWARE, where_sighted_refs=[IDENTITY], count=2),
    v21.MarkingDefinition(definition_type="statement", definition={"statement": "c"}),
    stix2.TLP_WHITE,
    stix2.TLP_RED,
    v21.LanguageContent(object_ref=MALWARE, contents={"de": {"name": "x"}}),
    v21.ExtensionDefinition(
        name="x", schema="s", version="1.0.0", extension_types=["property-extension"], created_by_ref=IDENTITY
    ),
    v21.Artifact(payload_bin="aGk=", mime_type="text/plain"),
    v21.AutonomousSystem(number=5),
    v21.Directory(path="/x"),
    v21.DomainName(value="a.test"),
    v21.EmailAddress(value="a@b.test"),
    v21.EmailMessage(is_multipart=False, body="x", date=AT, additional_header_fields={"X-A": ["b"]}),
    v21.EmailMessage(is_multipart=True, body_multipart=[{"body": "x", "content_type": "text/plain"}]),
    v21.File(
        name="a", hashes=HASHES, size=5,
        extensions={
            "pdf-ext": {"version": "1.7", "document_info_dict": {"Title": "x"}},
            "ntfs-ext": {"alternate_data_streams": [{"name": "x"}]},
            "archive-ext": {"contains_refs": [FILE]},
            "raster-image-ext": {"exif_tags": {"Make": "Nikon", "Model": 1}},
            "windows-pebinary-ext": {"pe_type": "exe", "sections": [{"name": "CODE", "hashes": HASHES}]},
        },
    ),
    v21.IPv4Address(value="1.2.3.4"),
    v21.IPv6Address(value="::1"),
    v21.MACAddress(value="d2:fb:49:24:37:18"),
    v21.Mutex(name="a"),
    v21.NetworkTraffic(
        src_ref=ADDRESS, protocols=["tcp"], src_port=1, start=AT, end=LATER, is_active=False,
        extensions={"http-request-ext": {"request_method": "get", "request_value": "/"}},
    ),
    v21.Process(pid=1, environment_variables={"A": "b"}, extensions={"windows-service-ext": {"service_name": "x"}}),
    v21.Software(name="a"),
    v21.URL(value="http://a"),
    v21.UserAccount(user_id="1", extensions={"unix-account-ext": {"gid": 1, "groups": ["a"]}}),
    v21.WindowsRegistryKey(key="a", values=[{"name": "x", "data": "y", "data_type": "REG_SZ"}]),
    v21.X509Certificate(serial_number="1", x509_v3_extensions={"basic_constraints": "x"}),
    v21.Bundle(objects=[stix2.TLP_AMBER, v21.URL(value="http://a")]),
]  # fmt: skip


@pytest.mark.parametrize("made", VALID, ids=lambda made: made["type"])
def test_what_stix2_makes_is_valid(made: Any) -> None:
    assert stix_problems(json.loads(made.serialize())) == []


def test_every_type_of_stix_has_been_tried() -> None:
    tried = {made["type"] for made in VALID}
    maps = stix2.registry.STIX2_OBJ_MAPS["2.1"]
    assert tried >= {*maps["objects"], *maps["observables"]} - {
        one for one in maps["objects"] if one.startswith("x-")
    }


def test_times_may_be_datetimes() -> None:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    assert stix_problems({**INDICATOR, "created": at, "modified": at, "valid_from": at}) == []


def test_new_types_and_properties_may_come_by_extensions() -> None:
    extension = f"extension-definition--{UUID}"
    for kind in ("new-sdo", "new-sro", "new-sco"):
        new = {
            "type": "dog",
            "id": f"dog--{UUID}",
            **DATED,
            "extensions": {extension: {"extension_type": kind}},
        }
        assert stix_problems(new) == []
        assert stix_problems({**new, "id": "cat--1"}) == [
            ("$.id", "is \"cat--1\", and has to begin with 'dog--'")
        ]
    more = {
        **INDICATOR,
        "mood": "grim",
        "extensions": {extension: {"extension_type": "toplevel-property-extension"}},
    }
    assert stix_problems(more) == []


@pytest.mark.parametrize(
    ("changes", "path", "said"),
    [
        ({"type": None}, "$.type", "is missing"),
        ({"type": "dog"}, "$.type", 'is "dog", which is no type of STIX 2.1'),
        ({"type": ["tool"]}, "$.type", "which is no type of STIX"),
        ({"id": None}, "$.id", "is missing"),
        ({"id": "indicator--1"}, "$.id", "not a valid STIX identifier"),
        ({"id": f"tool--{UUID}"}, "$.id", "must start with 'indicator--'"),
        ({"created": None}, "$.created", "is missing"),
        ({"modified": None}, "$.modified", "is missing"),
        ({"valid_from": None}, "$.valid_from", "is missing"),
        ({"pattern": None}, "$.pattern", "is missing"),
        ({"spec_version": None}, "$.spec_version", "is missing"),
        ({"spec_version": "2.0"}, "$.spec_version", "must equal '2.1'"),
        ({"created": "yesterday"}, "$.created", "has to be a timestamp such as"),
        ({"created": "2026-01-01"}, "$.created", "has to be a timestamp such as"),
        ({"created": "2026-99-01T00:00:00Z"}, "$.created", "is wrong"),
        ({"created": LATER}, "$.modified", "before the object was created"),
        ({"valid_until": "2025-01-01T00:00:00Z"}, "$.valid_until", "must be greater than 'valid_from'"),
        ({"name": 5}, "$.name", "is 5, and has to be a text"),
        ({"name": b"x"}, "$.name", "has to be a text"),
        ({"nmae": "x"}, "$.nmae", "is no property of indicator (did you mean 'name'?)"),
        ({"revoked": "yes"}, "$.revoked", 'is "yes", and has to be true or false'),
        ({"confidence": True}, "$.confidence", "has to be a whole number"),
        ({"confidence": 101}, "$.confidence", "has to be from 0 to 100"),
        ({"confidence": -1}, "$.confidence", "has to be from 0 to 100"),
        ({"labels": "x"}, "$.labels", "has to be a list"),
        ({"labels": []}, "$.labels", "is empty: leave it out"),
        ({"labels": ["a", 1]}, "$.labels[1]", "has to be a text"),
        ({"kill_chain_phases": [PHASE, {"kill_chain_name": "k"}]}, "$.kill_chain_phases[1].phase_name", "is missing"),
        ({"kill_chain_phases": [5]}, "$.kill_chain_phases[0]", "has to be an object"),
        ({"external_references": [{"source_name": "a", "urll": "x"}]}, "$.external_references[0].urll", "'url'"),
        ({"object_marking_refs": ["red"]}, "$.object_marking_refs[0]", "not a valid STIX identifier"),
        ({"created_by_ref": MALWARE}, "$.created_by_ref", "is wrong"),
        (
            {"granular_markings": [{"selectors": ["nmae"], "marking_ref": stix2.TLP_RED.id}]},
            "$.granular_markings", "Selector nmae",
        ),
        ({"pattern": 5}, "$.pattern", "has to be a text"),
        ({"pattern": "[domain-name:value = "}, "$.pattern", "is no STIX pattern: Error found at line 1:21."),
        ({"pattern": ""}, "$.pattern", "is empty"),
        ({"pattern": "(" * 2000 + INDICATOR["pattern"] + ")" * 2000}, "$.pattern", "is nested too deeply"),
        ({"pattern": "[" + "a" * 200_000}, "$.pattern", "has 200,001 characters; more than 100,000 are not checked"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_an_indicator_is_told_by_its_path(
    changes: dict[str, Any], path: str, said: str
) -> None:
    obj = {name: value for name, value in {**INDICATOR, **changes}.items() if value is not None}
    found = stix_problems(obj)
    assert [place for place, _ in found] == [path]
    assert said in found[0][1]


def of_kind(kind: str, **properties: Any) -> dict[str, Any]:
    return {"type": kind, "id": f"{kind}--{UUID}", **properties}


def marking(kind: str, definition: dict[str, Any]) -> dict[str, Any]:
    given = {"spec_version": "2.1", "created": AT, "definition_type": kind, "definition": definition}
    return of_kind("marking-definition", **given)


@pytest.mark.parametrize(
    ("obj", "paths"),
    [
        ({}, ["$.type"]),
        (of_kind("malware", **DATED, is_family=True), ["$.name"]),
        (of_kind("location", **DATED), ["$"]),
        (of_kind("location", **DATED, latitude=91.0, longitude=0.0), ["$.latitude"]),
        (of_kind("relationship", **DATED, relationship_type="uses", source_ref="a", target_ref="b"),
         ["$.source_ref", "$.target_ref"]),
        (of_kind("sighting", **DATED, sighting_of_ref=MALWARE, count=-1), ["$.count"]),
        (of_kind("file", hashes={"SHA-256": "zz"}), ["$.hashes.SHA-256"]),
        (of_kind("file", name="a", extensions={"pdf-ext": {"versoin": "1"}}), ["$.extensions.pdf-ext"]),
        (of_kind("url", value=5), ["$.value"]),
        (marking("tlp", {"tlp": "red"}), ["$.definition"]),
        (marking("statement", {"stament": "x"}), ["$.definition"]),
        (of_kind("bundle", objects=[of_kind("url", value="http://a"), of_kind("url"), {"type": "dog"}]),
         ["$.objects[1].value", "$.objects[2].type"]),
        (of_kind("bundle", objects=[5]), ["$.objects[0]"]),
    ],
)  # fmt: skip
def test_what_is_wrong_with_other_objects_is_told_by_its_path(obj: dict[str, Any], paths: list[str]) -> None:
    assert [path for path, _ in stix_problems(obj)] == paths


def test_everything_that_is_wrong_is_told_at_once() -> None:
    obj = {**INDICATOR, "pattern": "[", "name": 5, "labels": [1, "a", 2]}
    assert sorted({path for path, _ in stix_problems(obj)}) == [
        "$.labels[0]",
        "$.labels[2]",
        "$.name",
        "$.pattern",
    ]


def test_what_is_deprecated_is_valid_also_where_warnings_are_errors() -> None:
    old = of_kind(
        "observed-data", **DATED, first_observed=AT, last_observed=AT, number_observed=1,
        objects={"0": {"type": "file", "name": "x"}},
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert stix_problems(old) == []
