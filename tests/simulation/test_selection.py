"""Listings are narrowed, ordered, dated and cut into pages; cursors neither repeat nor pass over what stays."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from understudy.core.clock import FixedClock
from understudy.core.errors import InputError
from understudy.simulation import SimulationConnector

DAY = timedelta(days=1)
NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


def tool(number: int, **more: Any) -> dict[str, Any]:
    return {"type": "tool", "id": f"tool--{number}", **more}


def ids(objects: list[dict[str, Any]]) -> list[str]:
    return [obj["id"].removeprefix("tool--") for obj in objects]


def tools(*numbers: int) -> SimulationConnector:
    return SimulationConnector([tool(number) for number in numbers])


def walked(
    connector: SimulationConnector, between: Callable[[], object] = lambda: None, **asked: Any
) -> list[dict[str, Any]]:
    """Everything that cursors lead to, page by page; `between` happens after the first page."""
    page = connector.page(**asked)
    found = list(page.objects)
    between()
    while page.next_cursor is not None:
        page = connector.page(**asked, cursor=page.next_cursor)
        found += page.objects
    return found


# Pages by number


def test_pages_count_from_one_and_end_empty() -> None:
    connector = tools(*range(5))
    pages = [ids(connector.list_objects("tool", page=number, page_size=2)) for number in (1, 2, 3, 4)]
    assert pages == [["0", "1"], ["2", "3"], ["4"], []]


def test_a_page_has_a_hundred_objects_unless_told_otherwise() -> None:
    connector = tools(*range(150))
    assert len(connector.list_objects()) == 150
    assert len(connector.list_objects(page=1)) == 100
    assert len(connector.list_objects(page=2)) == 50
    assert len(connector.page().objects) == 100
    assert ids(connector.list_objects(page_size=3)) == ["0", "1", "2"]


def test_the_arguments_may_stand_in_the_places_that_connectors_have_them_in() -> None:
    connector = tools(*range(5))
    assert ids(connector.list_objects("tool", {"id": {"!=": "tool--0"}}, 2, 3)) == ["4"]


def test_a_limit_cuts_whatever_comes() -> None:
    connector = tools(*range(5))
    assert ids(connector.list_objects(limit=2)) == ["0", "1"]
    assert ids(connector.list_objects(page=2, page_size=3, limit=1)) == ["3"]
    assert connector.list_objects(limit=0) == []
    assert connector.page(limit=0).next_cursor is None


def test_a_page_knows_how_many_there_are_in_all_and_when_they_came() -> None:
    clock = FixedClock(NEW_YEAR)
    connector = SimulationConnector([tool(1), tool(2)], clock=clock)
    clock.advance(60)
    connector.upsert_object(tool(3))
    page = connector.page("tool", page_size=2, page=2)
    assert (page.total, page.next_cursor) == (3, None)
    assert page.added == (NEW_YEAR + timedelta(seconds=60),)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"page": 0}, "page is a number from 1 on, not 0"),
        ({"page": True}, "page is a number from 1 on, not true"),
        ({"page_size": "10"}, 'page_size is a number from 1 on, not "10"'),
        ({"limit": -1}, "limit is a number from 0 on, not -1"),
        ({"page": 2, "cursor": "after-1"}, r"page and cursor were given, .* \(give one of them\)"),
        ({"cursor": "after-"}, r'"after-" is no cursor of a connector \(give the next_cursor'),
        ({"cursor": 7}, "7 is no cursor"),
        ({"cursor": "after-1-key-bm8="}, "is no cursor"),
        ({"cursor": "after-1-key-WzksMV0=", "order_by": "id"}, "is no cursor"),
        ({"cursor": "after-1-key-WzEsNV0=", "order_by": "id"}, "is no cursor"),
        ({"cursor": "after-1-key-WzEsIm5vdyJd", "order_by": "id"}, "is no cursor"),
        ({"order_by": 5}, r"5 is no order \(name a property"),
        ({"order_by": "-"}, '"-" is no order'),
        ({"modified_since": "yesterday"}, "modified_since is no moment: 'yesterday'"),
        ({"added_after": 5}, "added_after is no moment: 5"),
        ({"versions": "newest"}, "a version that is not first, last, all or current is no moment: 'newest'"),
        ({"stix_type": ["tool"]}, r"stix_type is a text such as 'indicator', not \[\"tool\"\]"),
    ],
)
def test_what_cannot_be_asked_is_refused(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        tools(1).list_objects(**asked)


# Cursors


def test_a_cursor_goes_on_where_the_page_ended_though_objects_come_and_go() -> None:
    connector = tools(*range(6))

    def change() -> None:
        connector.delete_object("tool--0")
        connector.delete_object("tool--2")  # the page ended with it
        connector.delete_object("tool--4")
        connector.upsert_object(tool(9))

    assert ids(walked(connector, change, stix_type="tool", page_size=3)) == ["0", "1", "2", "3", "5", "9"]


@pytest.mark.parametrize(
    "order_by", ["rank", "-rank", "name", "-name", "odd", "-modified", "added", lambda obj: -obj["rank"]]
)
@settings(deadline=None)
@given(
    ranks=st.lists(st.integers(0, 4), max_size=8),
    page_size=st.integers(1, 4),
    gone=st.lists(st.integers(0, 7), max_size=3),
)
def test_cursors_of_an_ordered_listing_repeat_nothing_and_pass_over_nothing(
    order_by: Any, ranks: list[int], page_size: int, gone: list[int]
) -> None:
    connector = SimulationConnector(
        [
            tool(
                number,
                rank=rank,
                name="x" * rank,
                modified=f"2026-01-0{rank + 1}T00:00:00Z",
                **({"odd": [rank]} if rank % 2 else {}),
            )
            for number, rank in enumerate(ranks)
        ]
    )
    whole = ids(connector.list_objects(order_by=order_by))
    assert ids(walked(connector, order_by=order_by, page_size=page_size)) == whole

    if not callable(order_by):
        read = whole[:page_size]

        def remove() -> None:
            for number in gone:
                connector.delete_object(f"tool--{number}")

        found = ids(walked(connector, remove, order_by=order_by, page_size=page_size))
        assert found == read + [one for one in whole[page_size:] if int(one) not in gone]


def test_an_object_that_moves_while_pages_are_read_hides_no_other() -> None:
    dated = [tool(number, modified=f"2026-01-0{number}T00:00:00Z") for number in range(1, 7)]
    connector = SimulationConnector(dated)

    def touch() -> None:
        connector.upsert_object(tool(2, modified="2026-02-01T00:00:00Z"))

    found = walked(connector, touch, order_by="modified", page_size=2)
    assert ids(found) == ["1", "2", "3", "4", "5", "6", "2"]


def test_a_cursor_by_a_function_goes_on_by_count_if_its_object_is_gone() -> None:
    connector = tools(*range(4))
    found = walked(
        connector,
        lambda: connector.delete_object("tool--2"),
        order_by=lambda obj: -int(obj["id"][-1]),
        page_size=2,
    )
    assert ids(found) == ["3", "2", "0"]  # 1 has moved into the place of the one that is gone


def test_cursors_stay_short_for_long_texts() -> None:
    connector = SimulationConnector([tool(number, name="x" * 100_000 + str(number)) for number in range(3)])
    page = connector.page(order_by="name", page_size=1)
    assert page.next_cursor is not None
    assert len(page.next_cursor) < 100
    assert ids(walked(connector, order_by="name", page_size=1)) == ["0", "1", "2"]


def test_cursors_lead_through_numbers_that_are_too_long_to_be_written() -> None:
    connector = SimulationConnector([tool(number, rank=10**5000 + number) for number in range(3)])
    assert ids(walked(connector, order_by="-rank", page_size=1)) == ["2", "1", "0"]


def test_cursors_of_versions_stay_true_while_versions_come() -> None:
    at = "2026-01-01T00:00:00Z"
    connector = SimulationConnector(clock=FixedClock(NEW_YEAR))
    for name, modified in [("plain", None), ("new year", at), ("third", "2026-01-03T00:00:00Z")]:
        connector.add_fixture(tool(1, name=name, **({"modified": modified} if modified else {})))

    def insert() -> None:
        connector.add_fixture(tool(1, name="earlier", modified="2025-01-01T00:00:00Z"))
        connector.add_fixture(tool(1, name="second", modified="2026-01-02T00:00:00Z"))

    found = walked(connector, insert, versions="all", page_size=1)
    assert [obj["name"] for obj in found] == ["plain", "new year", "second", "third"]


# Order


def test_any_values_can_be_put_in_order_and_what_lacks_them_comes_last() -> None:
    values: list[Any] = ["b", None, 2, "a", 1.5, datetime(2026, 1, 1), ["x"], True]
    connector = SimulationConnector(
        [tool(n, **({} if value is None else {"v": value})) for n, value in enumerate(values)]
    )
    assert [obj.get("v") for obj in connector.list_objects(order_by="v")] == [
        True, 1.5, 2, datetime(2026, 1, 1), "a", "b", ["x"], None,
    ]  # fmt: skip
    assert connector.list_objects(order_by="-v")[-1] == tool(1)


def test_equal_ones_stay_in_the_order_of_their_arrival() -> None:
    connector = SimulationConnector([tool(3, rank=1), tool(1, rank=1), tool(2, rank=0)])
    assert ids(connector.list_objects(order_by="rank")) == ["2", "3", "1"]
    assert ids(connector.list_objects(order_by="-rank")) == ["3", "1", "2"]


def test_timestamps_are_ordered_by_the_moment_they_mean() -> None:
    connector = SimulationConnector(
        [tool(1, modified="2026-01-01T02:00:00+02:00"), tool(2, modified="2025-12-31T23:30:00Z")]
    )
    assert ids(connector.list_objects(order_by="modified")) == ["2", "1"]


def test_a_key_function_cannot_change_the_store() -> None:
    connector = SimulationConnector([tool(1, labels=[]), tool(2, labels=[])])

    def key(obj: dict[str, Any]) -> str:
        obj["labels"].append("touched")
        return str(obj["id"])

    assert connector.list_objects(order_by=key) == [tool(1, labels=[]), tool(2, labels=[])]


# Moments and versions


def test_modified_since_includes_that_moment_and_counts_what_is_undated_by_when_it_came() -> None:
    clock = FixedClock(NEW_YEAR)
    connector = SimulationConnector(
        [
            tool(1, modified="2026-01-02T00:00:00Z", created="2025-01-01T00:00:00Z"),
            tool(2, modified="2026-01-01T23:59:59.999Z"),
            tool(3, created="2026-01-02T01:00:00+01:00"),
            tool(4),
        ],
        clock=clock,
    )
    assert ids(connector.list_objects(modified_since="2026-01-02T00:00:00Z")) == ["1", "3"]
    assert ids(connector.list_objects(modified_since=NEW_YEAR)) == ["1", "2", "3", "4"]
    clock.advance(2 * DAY.total_seconds())
    connector.upsert_object(tool(5))
    assert ids(connector.list_objects("tool", modified_since=NEW_YEAR + 2 * DAY)) == ["5"]


def test_added_after_leaves_out_what_came_at_that_moment() -> None:
    clock = FixedClock(NEW_YEAR)
    connector = SimulationConnector([tool(1)], clock=clock)
    clock.advance(1)
    connector.upsert_object(tool(2))
    assert ids(connector.list_objects(added_after=NEW_YEAR)) == ["2"]
    assert ids(connector.list_objects(added_after=NEW_YEAR - DAY)) == ["1", "2"]


def versioned() -> SimulationConnector:
    """Three versions of one object, of which the second was stored last, and another object."""
    return SimulationConnector(
        [
            tool(1, name="one", modified="2026-01-01T00:00:00Z"),
            tool(1, name="three", modified="2026-01-03T00:00:00Z"),
            tool(2, name="other"),
            tool(1, name="two", modified="2026-01-02T00:00:00Z"),
        ]
    )


@pytest.mark.parametrize(
    ("versions", "names"),
    [
        (None, ["two", "other"]),
        ("current", ["two", "other"]),
        ("first", ["one", "other"]),
        ("last", ["three", "other"]),
        ("all", ["one", "two", "three", "other"]),
        ("first,last", ["one", "three", "other"]),
        (["2026-01-02", "last"], ["two", "three", "other"]),
        (datetime(2026, 1, 3), ["three"]),
    ],
)
def test_listings_give_the_versions_that_are_asked_for(versions: Any, names: list[str]) -> None:
    assert [obj["name"] for obj in versioned().list_objects(versions=versions)] == names
    if isinstance(versions, str):
        by_filter = versioned().list_objects(filters={"match[version]": versions})
        assert [obj["name"] for obj in by_filter] == names


@pytest.mark.parametrize(
    ("version", "name"),
    [(None, "two"), ("first", "one"), ("last", "three"), ("2026-01-03T00:00:00.000Z", "three")],
)
def test_a_single_object_is_given_in_the_version_that_is_asked_for(version: Any, name: str) -> None:
    assert versioned().get_object("tool--1", version)["name"] == name


def test_a_version_that_there_is_not_is_a_key_error_that_says_where_to_look() -> None:
    with pytest.raises(KeyError, match=r"tool--1 has no version '2030-01-01'; versions\('tool--1'\) has all"):
        versioned().get_object("tool--1", "2030-01-01")
    with pytest.raises(InputError, match="version is no moment: 'newest'"):
        versioned().get_object("tool--1", "newest")


def test_versions_are_told_oldest_first_and_go_with_their_object() -> None:
    connector = versioned()
    assert [obj["name"] for obj in connector.versions("tool--1")] == ["one", "two", "three"]
    assert [obj["name"] for obj in connector.versions("tool--2")] == ["other"]
    connector.delete_object("tool--1")
    with pytest.raises(KeyError, match="holds no object 'tool--1'"):
        connector.versions("tool--1")
    connector.upsert_object(tool(1, name="anew", modified="2026-01-05T00:00:00Z"))
    assert [obj["name"] for obj in connector.versions("tool--1")] == ["anew"]


def test_a_version_that_comes_again_takes_the_place_of_itself() -> None:
    connector = versioned()
    connector.upsert_object(tool(1, name="two again", modified="2026-01-02T00:00:00+00:00"))
    assert [obj["name"] for obj in connector.versions("tool--1")] == ["one", "two again", "three"]


def test_several_types_are_paged_in_the_order_of_their_arrival() -> None:
    connector = SimulationConnector(
        [{"type": kind, "id": f"tool--{n}"} for n, kind in enumerate("abcabcabc")], clock=FixedClock()
    )
    assert ids(walked(connector, filters={"type": ["c", "a", "none"]}, page_size=2)) == [
        "0",
        "2",
        "3",
        "5",
        "6",
        "8",
    ]
    assert ids(connector.list_objects("a", filters={"type": ["a", "b"]})) == ["0", "3", "6"]
    assert connector.list_objects("c", filters={"type": ["a", "b"]}) == []
