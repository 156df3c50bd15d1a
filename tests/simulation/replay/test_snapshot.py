"""What a pipeline yielded is kept as it was, and equal data is equal however it came."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from understudy.core.canonical import canonical
from understudy.simulation.replay.snapshot import objects_of, snapshots, text_of

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
DATA = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@settings(deadline=None)
@given(data=DATA)
def test_the_text_of_a_snapshot_is_the_canonical_one(data: Any) -> None:
    ((_, kept),) = snapshots([{"data": data}])

    assert text_of(kept) == canonical({"data": data})


@settings(deadline=None)
@given(data=DATA)
def test_the_same_data_anew_is_the_same_snapshot(data: Any) -> None:
    anew = json.loads(json.dumps(data))

    assert dict(snapshots([{"id": "a", "data": data}])) == dict(snapshots([{"id": "a", "data": anew}]))


def test_what_is_referred_to_twice_is_as_if_it_were_there_twice() -> None:
    part = {"n": 1000, "text": "shared"}
    shared, apart = (
        {"id": "a", "of": [part, part]},
        {"id": "a", "of": [dict(part), json.loads(json.dumps(part))]},
    )

    assert dict(snapshots([shared])) == dict(snapshots([apart]))


def test_a_snapshot_does_not_change_with_the_object() -> None:
    obj = {"id": "a", "tags": ["x"]}
    ((_, kept),) = snapshots([obj])
    obj["tags"] = ["y"]

    assert text_of(kept) == '{"id":"a","tags":["x"]}'


def test_objects_are_named_by_id_number_and_place() -> None:
    names = [name for name, _ in snapshots([{"id": "a"}, {"id": "a"}, {"type": "tool"}, {"id": 7}])]

    assert names == ["a", "a (2)", "object 3, which has no id", "7"]


def test_what_says_itself_as_text_is_read() -> None:
    class Serialized:
        def serialize(self) -> str:
            return '{"id": "a"}'

    assert objects_of(iter([Serialized()])) == [{"id": "a"}]
