"""Whatever a connector is asked or given, it answers or refuses with one clear error, and keeps what it had."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, date, datetime
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from understudy.core.errors import InputError
from understudy.simulation import SimulationConnector
from understudy.simulation.cursors import Cursor
from understudy.simulation.stix_schema import stix_problems

NAMES = st.sampled_from(
    ["type", "id", "name", "labels", "hashes.MD5", "match[type]", "match[version]", "a.[0].b", "."]
)
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | st.binary(max_size=4)
    | st.datetimes() | st.dates() | st.sampled_from(["tool", "tool--1", "2026-01-01T00:00:00Z", "first", "all"])
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(NAMES | st.sampled_from(["=", "in", ">", "matches", "exists"]), inner, max_size=3)
        | st.tuples(NAMES, st.sampled_from(["=", "in", "<", "contains"]), inner)
    ),
    max_leaves=8,
)
CURSORS = st.from_regex(
    r"after-[0-9]{1,3}(\.-?[0-9]{1,3})?(-skip-[0-9])?(-key-[A-Za-z0-9_=-]{0,9})?", fullmatch=True
)
OBJECTS: list[dict[str, Any]] = [
    {"type": "tool", "id": "tool--1", "name": "nmap", "labels": ["a", 5], "modified": "2026-01-01T00:00:00Z"},
    {"type": "tool", "id": "tool--1", "name": "nmap", "modified": "2026-01-02T00:00:00Z"},
    {"type": "file", "id": "file--1", "hashes": {"MD5": "x"}, "name": datetime(2026, 1, 1), "labels": None},
    {"id": 7, "name": [date(2026, 1, 1), b"x"], "modified": float("nan")},
    {},
]  # fmt: skip


@settings(deadline=None)
@given(
    stix_type=st.none() | VALUES,
    filters=VALUES,
    asked=st.fixed_dictionaries(
        {},
        optional={
            "page": VALUES | st.integers(1, 3),
            "page_size": VALUES | st.integers(1, 3),
            "limit": VALUES | st.integers(0, 3),
            "modified_since": VALUES,
            "added_after": VALUES,
            "order_by": VALUES | st.sampled_from(["name", "-modified", "labels", "added"]),
            "cursor": VALUES | CURSORS,
            "versions": VALUES,
        },
    ),
)
@example(stix_type=None, filters=None, asked={"cursor": "after-0-key-W10=", "order_by": "name"})
@example(stix_type=None, filters=None, asked={"cursor": "after-0-key-WzAsIlgiXQ==", "order_by": "name"})
@example(
    stix_type=None, filters={"name": {">": float("nan")}}, asked={"order_by": "modified", "page_size": 1}
)
def test_every_question_is_answered_or_refused(stix_type: Any, filters: Any, asked: dict[str, Any]) -> None:
    connector = SimulationConnector(OBJECTS)
    before = repr(connector.list_objects())
    with suppress(InputError):
        found = connector.list_objects(stix_type, filters, **asked)
        assert all(type(obj) is dict for obj in found)
    assert repr(connector.list_objects()) == before


@settings(deadline=None)
@given(st.dictionaries(st.text(max_size=4) | NAMES | st.integers(), VALUES, max_size=6))
def test_every_mapping_can_be_kept_and_found_again(obj: dict[str, Any]) -> None:
    connector = SimulationConnector()
    assert repr(connector.upsert_object(obj)) == repr(obj)
    assert repr(connector.list_objects()) == repr([obj])
    connector.list_objects(order_by="name", filters={"name": {"!=": "x"}}, modified_since="2020-01-01")


TIMES = st.datetimes(timezones=st.just(UTC))


@settings(deadline=None)
@given(
    position=st.integers(0, 10**18 - 1),
    number=st.integers(-(10**18), 10**18),
    read_before=st.integers(0, 10**18 - 1),
    key=st.none()
    | st.tuples(st.just(0), st.integers() | st.floats(allow_nan=False, allow_infinity=False))
    | st.tuples(st.just(1), TIMES)
    | st.tuples(st.sampled_from([2, 3]), st.text(max_size=50))
    | st.just((4, None)),
)
def test_a_cursor_is_read_as_it_was_written(position: int, number: int, read_before: int, key: Any) -> None:
    cursor = Cursor(position, number, read_before, key)
    assert Cursor.read(str(cursor)) == cursor


STIX_NAMES = st.sampled_from(
    ["id", "spec_version", "created", "modified", "name", "pattern", "pattern_type", "valid_from", "labels", "hashes",
     "extensions", "objects", "external_references", "granular_markings", "definition", "definition_type", "value"]
)  # fmt: skip


@settings(deadline=None)
@given(
    kind=st.sampled_from(
        ["indicator", "malware", "file", "bundle", "marking-definition", "observed-data", "x", 5]
    ),
    properties=st.dictionaries(STIX_NAMES, VALUES, max_size=8),
)
def test_every_object_can_be_validated(kind: Any, properties: dict[str, Any]) -> None:
    for path, said in stix_problems({"type": kind, **properties}):
        assert path.startswith("$")
        assert said
