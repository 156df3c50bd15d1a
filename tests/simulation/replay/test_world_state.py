"""The state of a world is what can be seen of it, and two states differ by name, by number and by content."""

from __future__ import annotations

import threading
from collections import namedtuple
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from understudy.core.errors import InputError
from understudy.simulation import SideEffects, SimulationConnector
from understudy.simulation.replay import world_state
from understudy.simulation.replay.world_state import state_differences, state_of


def said(expected: Any, actual: Any, **options: Any) -> list[str]:
    return [
        one.message for one in state_differences(state_of(expected, **options), state_of(actual, **options))
    ]


@dataclass
class Shop:
    sink: SimulationConnector
    mails: list[str] = field(default_factory=list)
    lock: Any = field(default_factory=threading.Lock)


def shop(*mails: str, rank: int = 1) -> Shop:
    return Shop(SimulationConnector([{"type": "tool", "id": "tool--1", "rank": rank}]), list(mails))


def test_a_state_no_longer_changes_with_the_world() -> None:
    world = shop("a")
    state = state_of(world)
    world.mails.append("b")
    world.sink.delete_object("tool--1")
    assert state == {"sink": [{"type": "tool", "id": "tool--1", "rank": 1}], "mails": ["a"]}


def test_what_a_connector_holds_differs_by_id_and_property() -> None:
    assert said(shop(rank=1), shop(rank=2)) == ['$.sink["tool--1"].rank: expected 1, got 2']


def test_lists_differ_by_what_is_in_them_and_how_often() -> None:
    assert said(shop("a", "b"), shop("a", "a", "c")) == [
        '$.mails holds "a" 2 times, which is there once after the clean run',
        '$.mails does not hold "b", which it does after the clean run',
        '$.mails holds "c", which is not there after the clean run',
    ]


def test_the_order_of_a_list_counts_only_if_it_is_said_to() -> None:
    assert said(shop("a", "b"), shop("b", "a")) == []
    assert said(shop("a", "b"), shop("b", "a"), ordered=True) == ["$.mails is in another order"]


def test_what_is_missing_or_added_in_a_mapping_is_named() -> None:
    assert said({"a": 1, "b": 2}, {"b": 2, "c": {"d": 3}}) == [
        "$.a is missing: 1",
        '$.c was added: {"d": 3}',
    ]


def test_connectors_in_a_tuple_or_list_keep_their_places() -> None:
    source, sink = SimulationConnector([{"id": "a"}]), SimulationConnector()
    assert said((source, sink), (sink, source)) == [
        '$[0] does not hold "a", which it does after the clean run',
        '$[1] holds "a", which is not there after the clean run',
    ]
    assert said([source, sink], [sink, source]) == said((source, sink), (sink, source))


def test_a_named_tuple_shows_its_names() -> None:
    pair = namedtuple("pair", "left right")
    assert said(pair(1, 2), pair(1, 3)) == ["$.right: expected 2, got 3"]


def test_effects_show_which_were_made() -> None:
    effects = SideEffects()
    effects.perform("a", {}, lambda: None)
    assert said({"effects": effects}, {"effects": SideEffects()})[0].startswith(
        "$.effects._ledger.a is missing"
    )


def test_a_folder_shows_its_files(tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    for folder, text in ((before, "1"), (after, "2")):
        (folder / "in").mkdir(parents=True)
        (folder / "in" / "a.txt").write_text(text)
    (after / "b.txt").touch()
    assert [line.partition(":")[0] for line in said(before, after)] == ["$.in/a.txt", "$.b.txt was added"]


def test_objects_show_their_slots_and_what_they_inherit() -> None:
    class Base:
        __slots__ = ("total",)

    class Account(Base):
        __slots__ = ("_owner",)

    account = Account()
    account.total, account._owner = 3, "ann"  # type: ignore[attr-defined]  # slots of a class without hints
    assert state_of({"account": account}) == {"account": {"_owner": "ann", "total": 3}}


def test_what_has_no_state_is_left_out_wherever_it_is() -> None:
    world = {"lock": threading.Lock(), "mails": [threading.Event(), len, "a"], "make": lambda: 1}
    assert state_of(world) == {"mails": ["a"]}


def test_where_something_lies_in_memory_is_no_state() -> None:
    class Handle:
        __slots__ = ()

        def __repr__(self) -> str:
            return f"<Handle at {id(self):#x}>"

    assert said({"handle": Handle()}, {"handle": Handle()}) == []
    assert said({"address": "0xdeadbeef"}, {"address": "0xdeadbeee"}) != []


def test_what_refers_to_itself_is_seen_once() -> None:
    world: dict[str, Any] = {"name": "a"}
    world["self"] = world
    assert state_of(world) == {"name": "a", "self": "<dict>"}


def test_ids_that_were_drawn_are_the_same_whatever_they_are() -> None:
    one, other = "0" * 31 + "1", "0" * 31 + "2"
    assert state_of({"mails": [f"mail {one}"], one: 1}, drawn={one}) == state_of(
        {"mails": [f"mail {other}"], other: 1}, drawn={other}
    )


def test_two_drawn_ids_are_not_one() -> None:
    one, other = "0" * 31 + "1", "0" * 31 + "2"
    assert state_of({one: 1, other: 2}, drawn={one, other}) == {"<drawn id>": 1, "<drawn id> (2)": 2}


def test_a_world_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(world_state, "_MOST_PARTS", 100)
    with pytest.raises(InputError, match=r"holds more than 100 parts \(give state="):
        state_of({"numbers": list(range(200))})
