"""The store behaves like a plain list of objects with ids, whatever is put, replaced and removed in which order."""

from __future__ import annotations

import copy
import threading
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from understudy.core.clock import FixedClock
from understudy.simulation import SimulationConnector

IDS = st.sampled_from(["tool--1", "tool--2", "TOOL--1", "malware--1", "x", 7, None, "", ["unhashable"]])
TYPES = st.sampled_from(["tool", "malware", None, 5])
MODIFIED = st.sampled_from([None, "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"])


@st.composite
def objects(draw: st.DrawFn) -> dict[str, Any]:
    made = {
        "id": draw(IDS),
        "type": draw(TYPES),
        "modified": draw(MODIFIED),
        "rank": draw(st.integers(0, 9)),
    }
    return {name: value for name, value in made.items() if value is not None}


class Model:
    """What the connector has to be like: a list, and for each id the versions by their moment."""

    def __init__(self) -> None:
        self.listed: list[dict[str, Any]] = []
        self.versions: dict[Any, dict[Any, dict[str, Any]]] = {}

    def upsert(self, obj: dict[str, Any]) -> None:
        if not _is_addressable(obj):
            self.listed.append(obj)
            return
        at = self.place(obj["id"])
        if at is None:
            self.listed.append(obj)
            self.versions[obj["id"]] = {}
        else:
            self.listed[at] = obj
        self.versions[obj["id"]][obj.get("modified")] = obj

    def delete(self, key: Any) -> None:
        at = self.place(key)
        if at is not None:
            del self.listed[at]
            del self.versions[key]

    def place(self, key: Any) -> int | None:
        places = [at for at, obj in enumerate(self.listed) if _is_addressable(obj) and obj["id"] == key]
        return places[0] if places else None


class ConnectorLikeAList(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.connector = SimulationConnector(clock=FixedClock())
        self.model = Model()

    @rule(obj=objects())
    def upsert(self, obj: dict[str, Any]) -> None:
        assert self.connector.upsert_object(obj) == obj
        self.model.upsert(copy.deepcopy(obj))
        obj["rank"] = "changed by the caller"

    @rule(obj=objects())
    def add_fixture(self, obj: dict[str, Any]) -> None:
        self.connector.add_fixture(obj)
        self.model.upsert(copy.deepcopy(obj))

    @rule(key=IDS)
    def delete(self, key: Any) -> None:
        self.connector.delete_object(key)
        self.model.delete(key)

    @rule(key=IDS)
    def get(self, key: Any) -> None:
        at = self.model.place(key)
        try:
            found = self.connector.get_object(key)
        except KeyError:
            assert at is None
        else:
            assert at is not None
            assert found == self.model.listed[at]
            found["rank"] = "changed by the caller"

    @rule(key=IDS)
    def versions(self, key: Any) -> None:
        if self.model.place(key) is None:
            return
        # what has no `modified` counts by when it was added, which is before all of them here
        expected = self.model.versions[key].items()
        by_moment = [obj for _, obj in sorted(expected, key=lambda item: item[0] or "")]
        dated = [obj for obj in self.connector.versions(key) if "modified" in obj]
        assert dated == [obj for obj in by_moment if "modified" in obj]

    @rule(kind=st.sampled_from(["tool", "malware"]), size=st.integers(1, 4))
    def pages(self, kind: str, size: int) -> None:
        expected = [obj for obj in self.model.listed if obj.get("type") == kind]
        by_number: list[dict[str, Any]] = []
        number = 1
        while found := self.connector.list_objects(kind, page=number, page_size=size):
            by_number += found
            number += 1
        page = self.connector.page(kind, page_size=size)
        by_cursor = list(page.objects)
        while page.next_cursor:
            page = self.connector.page(kind, page_size=size, cursor=page.next_cursor)
            assert page.objects, "a cursor promised more"
            by_cursor += page.objects
        assert by_number == by_cursor == expected == self.connector.list_objects(kind)

    @invariant()
    def lists_the_same(self) -> None:
        assert self.connector.list_objects() == self.model.listed
        assert list(self.connector.iter_fixtures()) == self.model.listed


TestConnectorLikeAList = ConnectorLikeAList.TestCase
TestConnectorLikeAList.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)


def test_threads_that_write_lose_nothing() -> None:
    connector = SimulationConnector()
    start = threading.Barrier(4)

    def work(worker: int) -> None:
        start.wait()
        for number in range(300):
            connector.upsert_object({"type": "tool", "id": f"tool--{worker}-{number}", "rank": number})
            connector.upsert_object({"type": "tool", "id": "tool--shared", "rank": worker})
            if number % 3 == 0:
                connector.delete_object(f"tool--{worker}-{number}")
            assert len(connector.page("tool", page_size=5).objects) >= 1

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ids = {obj["id"] for obj in connector.list_objects("tool")}
    assert ids == {f"tool--{w}-{n}" for w in range(4) for n in range(300) if n % 3} | {"tool--shared"}
    assert connector.page(page_size=1).total == len(ids)


def _is_addressable(obj: dict[str, Any]) -> bool:
    return isinstance(obj.get("id"), int) or (isinstance(obj.get("id"), str) and obj["id"] != "")
