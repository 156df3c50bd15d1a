"""Filters say which objects are asked for: by paths, operators and values, in three notations, and never silently."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
import stix2

from understudy.core.errors import InputError
from understudy.simulation import SimulationConnector

PHASES = [{"kill_chain_name": "k", "phase_name": "delivery"}, {"kill_chain_name": "k", "phase_name": "c2"}]
OBJECTS = [
    {
        "type": "tool",
        "id": "tool--1",
        "name": "nmap",
        "created": "2026-01-01T00:00:00Z",
        "labels": ["scan", "net"],
    },
    {"type": "tool", "id": "tool--2", "name": "sqlmap", "spec_version": "2.1", "confidence": 80},
    {"type": "malware", "id": "malware--1", "name": "nmapper", "kill_chain_phases": PHASES, "confidence": 30},
    {
        "type": "file",
        "id": "file--1",
        "hashes": {"SHA-256": "ab", "with.dot": "cd"},
        "seen": datetime(2026, 2, 1),
    },
    {"id": "nameless", "name": None},
]


def found(filters: Any) -> list[str]:
    return [obj["id"] for obj in SimulationConnector(OBJECTS).list_objects(filters=filters)]


@pytest.mark.parametrize(
    ("filters", "ids"),
    [
        (None, ["tool--1", "tool--2", "malware--1", "file--1", "nameless"]),
        ({}, ["tool--1", "tool--2", "malware--1", "file--1", "nameless"]),
        ({"name": "nmap"}, ["tool--1"]),
        ({"name": ["nmap", "sqlmap"]}, ["tool--1", "tool--2"]),
        ({"name": "NMAP"}, []),
        ({"name": None}, ["nameless"]),
        ({"type": "tool"}, ["tool--1", "tool--2"]),
        ({"type": ["malware", "tool"]}, ["tool--1", "tool--2", "malware--1"]),
        ({"type": {"!=": "tool"}}, ["malware--1", "file--1", "nameless"]),
        ({"type": "tool", "name": "nmapper"}, []),
        ({"id": "tool--2"}, ["tool--2"]),
        ({"id": ["file--1", "tool--1", "gone", ["no id"]]}, ["tool--1", "file--1"]),
        ({"id": "tool--1", "type": "malware"}, []),
        ({"id": {"!=": "tool--1"}, "type": "tool"}, ["tool--2"]),
        ({"confidence": {">": 30}}, ["tool--2"]),
        ({"confidence": {">=": 30, "<": 80}}, ["malware--1"]),
        ({"confidence": {"<=": 80}}, ["tool--2", "malware--1"]),
        ({"confidence": {">": "30"}}, []),
        ({"confidence": {"exists": False}}, ["tool--1", "file--1", "nameless"]),
        ({"confidence": {"exists": True}}, ["tool--2", "malware--1"]),
        ({"name": {"contains": "map"}}, ["tool--1", "tool--2", "malware--1"]),
        ({"name": {"matches": "^nmap"}}, ["tool--1", "malware--1"]),
        ({"confidence": {"contains": "8"}}, []),
        ({"labels": "net"}, ["tool--1"]),
        ({"labels": {"=": ["scan", "net"]}}, ["tool--1"]),
        ({"labels[1]": "net"}, ["tool--1"]),
        ({"labels.0": "net"}, []),
        ({"labels.9": "net"}, []),
        ({"kill_chain_phases.phase_name": "c2"}, ["malware--1"]),
        ({"kill_chain_phases": {"=": PHASES[1]}}, ["malware--1"]),
        ({"hashes.SHA-256": "ab"}, ["file--1"]),
        ({"hashes['SHA-256']": "ab"}, ["file--1"]),
        ({"hashes.'with.dot'": "cd"}, ["file--1"]),
        ({"name.inner": "x"}, []),
        ({"created": {">=": "2026-01-01"}}, ["tool--1"]),
        ({"created": datetime(2026, 1, 1, tzinfo=UTC)}, ["tool--1"]),
        ({"created": {"!=": datetime(2026, 1, 1, tzinfo=UTC)}, "type": "tool"}, ["tool--2"]),
        ({"seen": {">": "2026-01-31T23:00:00Z"}}, ["file--1"]),
        ({"match[type]": "tool,malware"}, ["tool--1", "tool--2", "malware--1"]),
        ({"match[id]": "tool--2,gone"}, ["tool--2"]),
        ({"match[spec_version]": "2.0"}, ["tool--1"]),
        ({"match[spec_version]": "2.1", "match[type]": "tool"}, ["tool--2"]),
        ([("type", "=", "tool"), ("confidence", ">", 50)], ["tool--2"]),
        ([stix2.Filter("type", "=", "tool"), stix2.Filter("name", "!=", "nmap")], ["tool--2"]),
        (stix2.Filter("labels", "contains", "net"), ["tool--1"]),
    ],
)
def test_what_filters_find(filters: Any, ids: list[str]) -> None:
    assert found(filters) == ids


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ("type=tool", 'filters are a mapping of property paths to values, not "type=tool"'),
        (5, "filters are a mapping"),
        (["type"], r'a filter in a list is \(path, operator, value\), not "type"'),
        ([("type", "=")], r'a filter in a list is \(path, operator, value\), not \["type", "="\]'),
        ({5: "tool"}, "a filter names a property by its path, not by 5"),
        ({"": "tool"}, 'a filter names a property by its path, not by ""'),
        ({"..": "tool"}, '".." is no path of a property'),
        ({"name": {"contians": "x"}}, r"no operator \"contians\" \(did you mean 'contains'\?\)"),
        ({"name": {"~~": "x"}}, r'no operator "~~" \(there are =, !=, in'),
        ({"name": {}}, 'the filter of "name" has no operator'),
        ({"name": {"in": "nmap"}}, "the operator 'in' takes a list of values, not \"nmap\""),
        ({"name": {"matches": "("}}, r'"\(" is no regular expression'),
        ({"name": {"matches": 5}}, "5 is no regular expression"),
        ({"match[name]": "x"}, r"there is no match\[name\]: write the property without match\[...\]"),
        (
            {"match[version]": "newest"},
            "a version that is not first, last, all or current is no moment: .*newest",
        ),
    ],
)
def test_what_is_no_filter_is_refused(filters: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        found(filters)
