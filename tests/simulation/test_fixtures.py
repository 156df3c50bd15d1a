"""Fixtures are read in every form that objects come in, in order, whole or not at all; each problem has its place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest
import stix2

from understudy.core.errors import InputError
from understudy.simulation import FixtureBuilder, Indicator, SimulationConnector, load_fixtures

ONE = {"type": "tool", "id": "tool--1"}
TWO = {"type": "tool", "id": "tool--2", "labels": ["a"]}
BUNDLE = {"type": "bundle", "id": "bundle--1", "objects": [ONE, TWO]}


class Model:
    """An object of some platform library."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def to_dict(self) -> Any:
        return self._data


class Wire(Model):
    def serialize(self) -> Any:
        return json.dumps(self._data)


class Xml(Model):
    def serialize(self) -> str:
        return "<tool/>"


class Broken:
    def to_dict(self) -> Any:
        raise RuntimeError("not connected")


def generated() -> Iterator[Any]:
    yield ONE
    yield Model(TWO)


@pytest.mark.parametrize(
    "source",
    [
        [ONE, TWO],
        (ONE, TWO),
        generated(),
        {"more": True, "next": "2", "objects": [ONE, TWO]},
        BUNDLE,
        [{"type": "bundle", "id": "bundle--2", "objects": [BUNDLE]}],
        json.dumps(BUNDLE),
        f"\n [{json.dumps(ONE)}, {json.dumps(TWO)}]",
        [Model(ONE), Wire(TWO)],
        [Xml(ONE), Wire(BUNDLE["objects"][1])],
        Model(BUNDLE),
        [MappingProxyType(ONE), SimpleNamespace(to_dict=lambda: TWO)],
        [[ONE], [[TWO], []]],
        {"first": ONE, "second": TWO}.values(),
    ],
    ids=lambda source: type(source).__name__,
)
def test_the_same_objects_in_every_form(source: Any) -> None:
    assert load_fixtures(source) == [ONE, TWO]


@pytest.mark.parametrize(
    "source", [[], (), {"objects": []}, {"more": False}, {"type": "bundle", "id": "bundle--1"}, "[]"]
)
def test_nothing_is_no_objects(source: Any) -> None:
    assert load_fixtures(source) == []


def test_what_only_looks_like_a_bundle_is_an_object() -> None:
    observed = {"type": "observed-data", "id": "observed-data--1", "objects": {"0": {"type": "file"}}}
    assert load_fixtures([observed, {}, {"id": "no type"}]) == [observed, {}, {"id": "no type"}]


def test_stix2_objects_and_bundles_become_the_data_that_they_serialize_to() -> None:
    made = stix2.v21.Tool(name="nmap", created="2026-01-01T00:00:00Z", modified="2026-01-01T00:00:00Z")
    [found] = load_fixtures(stix2.v21.Bundle(made))
    assert found == json.loads(made.serialize())
    assert type(found) is dict
    assert found["created"] == "2026-01-01T00:00:00.000Z"


def test_our_own_indicators_and_made_up_sets_are_fixtures() -> None:
    indicator = Indicator(name="evil.example.com", pattern="[domain-name:value = 'evil.example.com']")
    assert load_fixtures(indicator) == [indicator.to_dict()]
    builder = FixtureBuilder(seed=1)
    made = builder.build(indicators=2)
    assert load_fixtures(made) == load_fixtures(builder.bundle()) == made
    assert SimulationConnector(made, validate="strict").list_objects() == made


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (5, "the fixture is 5, and no object (give a dict, a stix2 object"),
        (None, "the fixture is null, and no object"),
        (b'{"type": "tool"}', "and no object"),
        (Model, "the fixture is the class Model, and no object"),
        (["", ONE], "the fixture[0] is an empty text (give a dict"),
        ([ONE, 5, [TWO, None]], "the fixture[1] is 5, and no object"),
        ([ONE, 5, [TWO, None]], "the fixture[2][1] is null, and no object"),
        ({"type": "bundle", "objects": [ONE, 7]}, "the fixture: objects[1] is 7, and no object"),
        ({"type": "bundle", "objects": {"a": ONE}}, "the fixture: objects is {"),
        (Model(5), "and no object"),
        (Broken(), "to_dict() of <"),
        ([Broken()], "raised RuntimeError: not connected (correct it, or give the data as a dict)"),
        ('{"type": "tool"', "<the fixture>:1:16: is not valid JSON"),
        ('[{"type": "tool", "type": "x"}]', "'type'"),
        ("no-such-file.json", "no-such-file.json"),
    ],
)
def test_what_is_no_fixture_is_refused_with_its_place(source: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        load_fixtures(source)
    assert message in str(caught.value)


def test_a_list_that_holds_itself_ends() -> None:
    loop: list[Any] = [ONE]
    loop += [loop, loop]
    with pytest.raises(
        InputError, match=r"is nested more than 20 levels deep \(give the objects themselves\)"
    ):
        load_fixtures(loop)


def test_every_problem_is_told_up_to_twenty() -> None:
    with pytest.raises(InputError) as caught:
        load_fixtures([ONE, *range(1000)])
    assert len(caught.value.problems) == 21
    assert str(caught.value.problems[-1]) == "there may be more: reading ended after 20 problems"


def test_of_fixtures_with_a_problem_none_is_kept() -> None:
    connector = SimulationConnector([ONE])
    with pytest.raises(InputError, match=r"the fixture\[1\] is 5"):
        connector.add_fixture([TWO, 5])
    assert connector.list_objects() == [ONE]


def test_a_connector_takes_several_sources_at_once(tmp_path: Path) -> None:
    file = tmp_path / "feed.jsonl"
    file.write_text(json.dumps(TWO))
    connector = SimulationConnector()
    connector.add_fixtures(ONE, file, [Model({"type": "tool", "id": "tool--3"})])
    assert [obj["id"] for obj in connector.iter_fixtures()] == ["tool--1", "tool--2", "tool--3"]


def test_objects_without_id_or_type_are_kept_and_listed_and_cannot_be_addressed() -> None:
    strange: list[dict[str, Any]] = [
        {},
        {"id": ""},
        {"id": None},
        {"id": ["x"]},
        {"type": "tool"},
        {"id": 5, "type": 5},
    ]
    connector = SimulationConnector([*strange, *strange])
    assert connector.list_objects() == [*strange, *strange[:-1]]
    assert connector.list_objects("tool") == [{"type": "tool"}, {"type": "tool"}]
    for key in ("", None, ["x"]):
        with pytest.raises(KeyError):
            connector.get_object(key)  # type: ignore[arg-type]  # as a pipeline without type checks may do
        connector.delete_object(key)  # type: ignore[arg-type]  # likewise
    assert len(connector.list_objects()) == 11
    assert connector.get_object(5) == {"id": 5, "type": 5}  # type: ignore[arg-type]  # it can be looked up


def test_times_and_bytes_come_out_as_they_went_in() -> None:
    obj = {"type": "tool", "id": "tool--1", "created": datetime(2026, 1, 1, tzinfo=UTC), "raw": [b"\x00\xff"]}
    connector = SimulationConnector(obj)
    assert connector.get_object("tool--1") == obj
    assert connector.list_objects(modified_since="2026-01-01T00:00:00Z") == [obj]
    assert connector.list_objects(modified_since="2026-01-01T00:00:01Z") == []
