"""The simulated connector does what the connectors of a platform do: methods, budget, trust, log and errors."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from understudy.context import BudgetExceeded, ExecutionContext, TrustLevel
from understudy.core.clock import FixedClock
from understudy.core.errors import InputError
from understudy.simulation import ConnectorError, GNATClientError, SimulationConnector

ONE = {"type": "indicator", "id": "indicator--1", "labels": ["a"], "more": {"deep": [{"x": 1}]}}
TWO = {"type": "tool", "id": "tool--2"}


def context(units: int | None = None, **options: Any) -> ExecutionContext:
    return ExecutionContext.create("test", "ingestion", "test-ws", max_budget_units=units, **options)


def log(of: ExecutionContext) -> list[dict[str, Any]]:
    return of.log.query(of.context_id)


def every_request(connector: SimulationConnector) -> dict[str, Any]:
    """One call of each method that asks the platform for something."""
    return {
        "list_objects": connector.list_objects,
        "page": connector.page,
        "get_object": lambda: connector.get_object("indicator--1"),
        "versions": lambda: connector.versions("indicator--1"),
        "upsert_object": lambda: connector.upsert_object(ONE),
        "delete_object": lambda: connector.delete_object("gone"),
    }


# The table of the document


def test_authenticate_always_succeeds() -> None:
    connector = SimulationConnector(context=context(0), raise_on_request=True)
    connector.authenticate()


def test_health_check_says_ok() -> None:
    assert SimulationConnector().health_check() == {"status": "ok"}
    assert SimulationConnector(raise_on_request=True).health_check() == {"status": "ok"}


def test_list_objects_gives_all_in_the_order_of_their_arrival() -> None:
    connector = SimulationConnector([TWO])
    connector.upsert_object(ONE)
    assert connector.list_objects() == [TWO, ONE]


def test_get_object_finds_by_id_or_raises_key_error() -> None:
    connector = SimulationConnector([ONE, TWO])
    assert connector.get_object("tool--2") == TWO
    with pytest.raises(KeyError):
        connector.get_object("tool--3")


def test_upsert_object_appends_what_is_new_and_replaces_what_is_there_in_its_place() -> None:
    connector = SimulationConnector([ONE, TWO])
    changed = {"type": "indicator", "id": "indicator--1", "name": "changed"}
    assert connector.upsert_object(changed) == changed
    assert connector.upsert_object({"id": "new"}) == {"id": "new"}
    assert connector.list_objects() == [changed, TWO, {"id": "new"}]


def test_an_object_that_changes_its_type_is_listed_by_the_new_one() -> None:
    connector = SimulationConnector([ONE, TWO])
    connector.upsert_object({"type": "tool", "id": "indicator--1"})
    assert connector.list_objects("indicator") == []
    assert [obj["id"] for obj in connector.list_objects("tool")] == ["indicator--1", "tool--2"]


def test_delete_object_removes_by_id_and_ignores_what_is_not_there() -> None:
    connector = SimulationConnector([ONE, TWO])
    connector.delete_object("indicator--1")
    connector.delete_object("indicator--1")
    assert connector.list_objects() == [TWO]


def test_to_stix_and_from_stix_give_what_they_get() -> None:
    connector, thing = SimulationConnector(), object()
    assert connector.to_stix(thing) is thing
    assert connector.from_stix(thing) is thing


def test_fixtures_are_put_in_and_read_without_a_request() -> None:
    spent = context(0)
    connector = SimulationConnector(ONE, context=spent, raise_on_request=True)
    connector.add_fixture(TWO)
    assert list(connector.iter_fixtures()) == [ONE, TWO]
    assert log(spent) == []


def test_ids_that_differ_only_in_case_are_different_objects() -> None:
    connector = SimulationConnector([{"id": "tool--A", "n": 1}, {"id": "tool--a", "n": 2}])
    assert connector.get_object("tool--A")["n"] == 1
    connector.delete_object("tool--A")
    assert connector.list_objects() == [{"id": "tool--a", "n": 2}]


# Copies


def test_nothing_that_goes_in_or_comes_out_leads_into_the_store() -> None:
    given: dict[str, Any] = {"id": "a", "labels": [], "more": {"deep": [{"x": 1}]}}
    connector = SimulationConnector(given)
    spoil(given)
    written: dict[str, Any] = {"id": "b", "labels": [], "more": {"deep": [{"x": 1}]}}
    spoil(connector.upsert_object(written))
    spoil(written)
    for read in (
        connector.get_object("a"), *connector.list_objects(), *connector.page().objects,
        *connector.iter_fixtures(), *connector.versions("a"), *connector.list_objects(order_by="id"),
    ):  # fmt: skip
        spoil(read)
    clean = {"labels": [], "more": {"deep": [{"x": 1}]}}
    assert connector.list_objects() == [{"id": "a", **clean}, {"id": "b", **clean}]


def spoil(obj: dict[str, Any]) -> None:
    obj["labels"].append("spoiled")
    obj["more"]["deep"][0]["x"] = "spoiled"
    obj["spoiled"] = True


def test_fixtures_may_be_changed_while_they_are_iterated() -> None:
    connector = SimulationConnector([ONE, TWO])
    for obj in connector.iter_fixtures():
        connector.delete_object(obj["id"])
    assert list(connector.iter_fixtures()) == []


# Failing on request


def test_every_request_fails_if_told_so() -> None:
    connector = SimulationConnector(ONE, raise_on_request=True)
    for name, call in every_request(connector).items():
        operation = "list_objects" if name == "page" else name
        with pytest.raises(
            GNATClientError, match=f"{operation}: 'simulation' was told to fail every request"
        ):
            call()
    connector.raise_on_request = False
    assert connector.list_objects() == [ONE]


def test_the_error_is_that_of_the_platform() -> None:
    class PlatformError(Exception):
        def __init__(self, message: str, status: int = 500) -> None:
            super().__init__(message)
            self.status = status

    with pytest.raises(PlatformError) as caught:
        SimulationConnector(raise_on_request=True, error=PlatformError).list_objects()
    assert caught.value.status == 500
    with pytest.raises(PlatformError) as caught:
        SimulationConnector(
            raise_on_request=True, error=lambda message: PlatformError(message, 404)
        ).list_objects()
    assert caught.value.status == 404


class Demanding(Exception):
    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (Demanding, "makes no error: .*missing 1 required positional argument: 'status'"),
        (str, 'makes "a request failed", and no exception .give a class or function'),
        (KeyboardInterrupt, "and no exception"),
        (None, "error=null makes no error"),
    ],
)
def test_what_makes_no_error_is_refused_at_once(error: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        SimulationConnector(error=error)


# Budget


def test_every_request_costs_its_unit() -> None:
    spent = context()
    connector = SimulationConnector(ONE, context=spent)
    calls = [*every_request(connector).values(), connector.health_check]
    for call in calls:
        call()
    assert spent.budget.used == len(calls)
    assert [entry["units"] for entry in log(spent)] == [1] * len(calls)


def test_a_request_beyond_the_budget_raises_and_does_nothing() -> None:
    connector = SimulationConnector()
    connector._context = context(5)
    for number in range(5):
        connector.upsert_object({"id": f"tool--{number}"})
    for call in every_request(connector).values():
        with pytest.raises(BudgetExceeded, match="simulation asks for 1 unit, but of 5 units 5 are used"):
            call()
    assert len(list(connector.iter_fixtures())) == 5


def test_a_request_that_fails_is_charged_like_one_that_does_not() -> None:
    spent = context()
    connector = SimulationConnector(context=spent, raise_on_request=True)
    with pytest.raises(ConnectorError):
        connector.list_objects()
    connector.raise_on_request = False
    with pytest.raises(KeyError):
        connector.get_object("gone")
    assert spent.budget.used == 2
    assert [(entry["operation"], entry["status"]) for entry in log(spent)] == [
        ("list_objects", "error"),
        ("get_object", "error"),
    ]


def test_the_cost_is_set_for_one_connector_or_for_a_class_of_them() -> None:
    class Expensive(SimulationConnector):
        COST_UNIT = 3
        TRUST_LEVEL = "untrusted_external"

    spent = context(10)
    Expensive(context=spent).list_objects()
    SimulationConnector(context=spent, cost_unit=5).list_objects()
    SimulationConnector(context=spent, cost_unit=0).list_objects()
    assert spent.budget.used == 8
    assert Expensive().TRUST_LEVEL is TrustLevel.UNTRUSTED_EXTERNAL
    assert Expensive(cost_unit=1, trust_level="trusted_internal").COST_UNIT == 1
    assert SimulationConnector.COST_UNIT == 1


@pytest.mark.parametrize("cost", [-1, 1.5, "1", True])
def test_a_cost_is_a_number_of_units(cost: Any) -> None:
    with pytest.raises(InputError, match="cost_unit is a whole number of units from 0 on, not"):
        SimulationConnector(cost_unit=cost)


@pytest.mark.parametrize("given", [5, "context", {}], ids=str)
def test_what_is_no_context_is_refused_at_once(given: Any) -> None:
    with pytest.raises(InputError, match=r"context is .*, and no ExecutionContext \(make one with"):
        SimulationConnector(context=given)


def test_without_a_context_of_its_own_the_current_one_is_charged() -> None:
    current, own = context(), context()
    with current.use():
        SimulationConnector().list_objects()
        SimulationConnector(context=own).list_objects()
    SimulationConnector().list_objects()
    assert (current.budget.used, own.budget.used) == (1, 1)


def test_threads_together_do_not_spend_more_than_there_is() -> None:
    spent = context(100)
    connector = SimulationConnector(ONE, context=spent)
    refused: list[int] = []

    def work() -> None:
        for number in range(50):
            try:
                connector.get_object("indicator--1")
            except BudgetExceeded:
                refused.append(number)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (spent.budget.used, len(refused), len(log(spent))) == (100, 100, 100)


# Trust


@pytest.mark.parametrize("level", ["trusted_internal", "semi_trusted", "untrusted_external"])
def test_a_context_is_as_trusted_as_its_connector(level: str) -> None:
    connector = SimulationConnector(trust_level=level)
    assert level == connector.TRUST_LEVEL
    assert ExecutionContext.from_connector(connector, "test", "ingestion").trust_level == level
    assert SimulationConnector().TRUST_LEVEL == "semi_trusted"


def test_a_level_of_trust_that_there_is_not_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"\"semi_trustd\" is no level of trust \(did you mean 'semi_trusted'"
    ):
        SimulationConnector(trust_level="semi_trustd")


# The log


def test_the_log_says_what_was_asked_for_and_what_was_written() -> None:
    seen = context(clock=FixedClock())
    connector = SimulationConnector(ONE, context=seen, name="feed", cost_unit=2)
    connector.list_objects("indicator")
    connector.get_object("indicator--1")
    connector.upsert_object(TWO)
    connector.upsert_object({"name": "without id"})
    connector.delete_object("tool--2")
    connector.delete_object("tool--2")
    told = [(entry["operation"], entry["kind"], entry["target_ref"], entry["details"]) for entry in log(seen)]
    assert told == [
        ("list_objects", "read", "indicator", {"count": 1}),
        ("get_object", "read", "indicator--1", {}),
        ("upsert_object", "write", "tool--2", {}),
        ("upsert_object", "write", "", {}),
        ("delete_object", "write", "tool--2", {"removed": True}),
        ("delete_object", "write", "tool--2", {"removed": False}),
    ]
    assert {entry["subject"] for entry in log(seen)} == {"feed"}
    assert {entry["units"] for entry in log(seen)} == {2}


def test_the_same_content_is_known_by_the_same_hash() -> None:
    seen = context()
    connector = SimulationConnector(context=seen)
    connector.upsert_object(TWO)
    connector.get_object("tool--2")
    connector.upsert_object({"id": "tool--2", "type": "tool"})
    connector.upsert_object({**TWO, "name": "other"})
    first, read, again, other = (entry["content_hash"] for entry in log(seen))
    assert first == read == again != other


# What comes in wrong


@pytest.mark.parametrize("obj", [None, 5, "tool--1", ["a"], object(), dict])
def test_only_objects_are_upserted(obj: Any) -> None:
    connector = SimulationConnector(ONE)
    with pytest.raises(InputError, match=r"is no object \(give a dict, a stix2 object"):
        connector.upsert_object(obj)
    assert connector.list_objects() == [ONE]


def test_an_object_that_holds_itself_is_refused_with_the_path() -> None:
    loop: dict[str, Any] = {"id": "tool--1", "parts": [{}]}
    loop["parts"][0]["whole"] = loop
    connector = SimulationConnector()
    for put, name in ((connector.upsert_object, "the object"), (connector.add_fixture, "the fixture")):
        with pytest.raises(
            InputError, match=rf"{name} refers back to itself: \$\.parts\[0\]\.whole is \$ again"
        ):
            put(loop)
    assert connector.list_objects() == []


def test_a_hundred_thousand_objects_are_as_good_as_ten() -> None:
    connector = SimulationConnector({"type": "tool", "id": f"tool--{number}"} for number in range(100_000))
    assert connector.get_object("tool--99999")["type"] == "tool"
    assert connector.list_objects("tool", page=1000)[-1]["id"] == "tool--99999"
    connector.delete_object("tool--0")
    page = connector.page("tool", page=500, page_size=200)
    assert (page.total, page.objects[0]["id"], page.next_cursor) == (99_999, "tool--99801", None)


def test_a_connector_says_what_it_is() -> None:
    assert repr(SimulationConnector([ONE, TWO], name="feed")) == "SimulationConnector('feed', 2 objects)"
