"""A script of faults goes wrong when it says, the same again by seed, and tells which of its faults met no call."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from understudy.context import ExecutionContext
from understudy.core.clock import FixedClock
from understudy.core.errors import InputError
from understudy.simulation import ConnectorError, Faults, SimulationConnector
from understudy.simulation.faults import (
    Fault,
    duplicate,
    fail,
    latency,
    out_of_order,
    partial_page,
    rate_limit,
)

TOOLS = [{"type": "tool", "id": f"tool--{number}", "labels": []} for number in range(10)]


def faulty(*faults: Fault, seed: int = 0, **options: Any) -> SimulationConnector:
    return SimulationConnector(TOOLS, faults=Faults(*faults, seed=seed), **options)


def outcomes(calls: int, call: Callable[[], object]) -> str:
    """What became of each call: a dot, or an F for a failure."""
    found = ""
    for _ in range(calls):
        try:
            call()
            found += "."
        except ConnectorError:
            found += "F"
    return found


def ids(objects: list[dict[str, Any]]) -> list[int]:
    return [int(obj["id"].removeprefix("tool--")) for obj in objects]


# Which calls are met


@pytest.mark.parametrize(
    ("fault", "found"),
    [
        (fail(nth=3), "..F...."),
        (fail(nth=(1, 4)), "F..F..."),
        (fail(every=3), "..F..F."),
        (fail(), "FFFFFFF"),
        (fail(chance=0), "......."),
        (fail(chance=1), "FFFFFFF"),
        (fail("get_object", nth=2), ".F....."),
        (fail("upsert_object"), "......."),
    ],
)
def test_a_fault_meets_the_calls_that_it_names(fault: Fault, found: str) -> None:
    connector = faulty(fault)
    assert outcomes(7, lambda: connector.get_object("tool--1")) == found


def test_calls_of_an_operation_are_counted_by_themselves() -> None:
    connector = faulty(fail("get_object", nth=2), fail(nth=5))
    assert outcomes(3, connector.list_objects) == "..."
    assert outcomes(2, lambda: connector.get_object("tool--1")) == ".F"  # the fifth of all calls as well
    assert outcomes(2, connector.list_objects) == ".."


def test_chance_is_decided_by_the_seed() -> None:
    def found(seed: int) -> str:
        connector = faulty(fail(chance=0.5), seed=seed)
        return outcomes(30, connector.list_objects)

    assert found(1) == found(1)
    assert found(1) != found(2)
    assert 5 < found(1).count("F") < 25


def test_one_fault_more_changes_nothing_for_the_others() -> None:
    alone, beside = faulty(fail(chance=0.5)), faulty(fail(chance=0.5), latency(1, chance=0.5))
    assert outcomes(20, alone.list_objects) == outcomes(20, beside.list_objects)


def test_health_check_and_authenticate_are_met_only_by_their_name() -> None:
    connector = faulty(fail())
    connector.authenticate()
    assert connector.health_check() == {"status": "ok"}
    connector = faulty(fail("health_check", nth=1), fail("authenticate", message="wrong key"))
    with pytest.raises(ConnectorError, match="health_check: the platform failed"):
        connector.health_check()
    with pytest.raises(ConnectorError, match="authenticate: wrong key"):
        connector.authenticate()


# What goes wrong


def test_a_failure_reads_and_writes_nothing_and_says_what_it_was_told() -> None:
    connector = faulty(fail("upsert_object", message="503", retry_after=7), fail("delete_object"))
    with pytest.raises(ConnectorError, match="upsert_object: 503") as caught:
        connector.upsert_object({"type": "tool", "id": "tool--new"})
    assert caught.value.retry_after == 7
    with pytest.raises(ConnectorError, match="delete_object: the platform failed"):
        connector.delete_object("tool--1")
    assert connector.list_objects() == TOOLS


def test_failures_raise_the_error_of_the_platform() -> None:
    class PlatformError(Exception):
        pass

    class OwnIdea(Exception):
        retry_after = property(lambda self: "ask the platform")

    for error in (PlatformError, OwnIdea):
        with pytest.raises(error, match="get_object: the platform failed"):
            faulty(fail(retry_after=1), error=error).get_object("tool--1")


def test_a_rate_limit_lets_so_many_calls_through_in_any_window() -> None:
    clock = FixedClock()
    connector = faulty(rate_limit(2, per=60), clock=clock)
    connector.list_objects()
    clock.advance(50)
    connector.get_object("tool--1")
    with pytest.raises(
        ConnectorError, match="the rate limit of 2 calls in 60 s is reached; retry after 10 s"
    ) as hit:
        connector.list_objects()
    assert hit.value.retry_after == 10
    clock.advance(10)
    connector.list_objects()
    assert outcomes(2, connector.list_objects) == "FF"
    clock.advance(50)
    assert outcomes(2, connector.list_objects) == ".F"


def test_a_rate_limit_can_be_of_one_operation() -> None:
    connector = faulty(rate_limit(1, per=60, operation="upsert_object"), clock=FixedClock())
    assert outcomes(2, lambda: connector.upsert_object({"id": "a"})) == ".F"
    assert outcomes(2, connector.list_objects) == ".."


def test_latency_takes_time_of_a_clock_that_can_be_moved_and_none_of_the_test() -> None:
    clock = FixedClock()
    connector = faulty(latency(2.5, "list_objects"), latency(1, every=2), clock=clock)
    connector.list_objects()
    connector.list_objects()
    connector.get_object("tool--1")
    assert clock.elapsed == connector.waited == 6.0


def test_latency_is_told_to_a_sleep_that_is_given() -> None:
    slept: list[float] = []
    faulty(latency(2.5), sleep=slept.append).list_objects()
    assert slept == [2.5]
    connector = faulty(latency(10_000))  # with the real time and no sleep, it is only counted
    connector.list_objects()
    assert connector.waited == 10_000


def test_a_partial_page_hides_objects_from_who_counts_pages_only() -> None:
    connector = faulty(partial_page(keep=0.5, nth=1))
    page = connector.page("tool", page_size=4)
    assert ids(page.objects) == [0, 1]
    assert ids(connector.page("tool", page_size=4, cursor=page.next_cursor).objects) == [2, 3, 4, 5]
    counting = faulty(partial_page(nth=1))
    pages = [ids(counting.list_objects("tool", page=number, page_size=4)) for number in (1, 2, 3)]
    assert pages == [[0, 1], [4, 5, 6, 7], [8, 9]]


@pytest.mark.parametrize(("keep", "kept"), [(0, 1), (0.01, 1), (0.5, 5), (0.99, 9)])
def test_a_partial_page_keeps_its_share_and_at_least_one(keep: float, kept: int) -> None:
    assert ids(faulty(partial_page(keep=keep)).list_objects("tool")) == list(range(kept))


def test_a_partial_page_of_an_ordered_listing_goes_on_where_it_broke_off() -> None:
    connector = faulty(partial_page(nth=1))
    page = connector.page(order_by="-id", page_size=6)
    rest = connector.page(order_by="-id", page_size=10, cursor=page.next_cursor)
    assert ids(page.objects) + ids(rest.objects) == list(range(9, -1, -1))


def test_a_duplicate_delivery_gives_an_object_twice_as_two_copies() -> None:
    connector = faulty(duplicate(nth=1))
    found = connector.list_objects()
    assert len(found) == 11
    assert sorted(set(ids(found))) == list(range(10))
    [twin] = [at for at in range(10) if found[at] == found[at + 1]]
    found[twin]["labels"].append("changed")
    assert found[twin] != found[twin + 1]
    assert ids(connector.list_objects()) == list(range(10))
    page = faulty(duplicate()).page(page_size=3)
    assert len(page.objects) == len(page.added) == 4


def test_a_duplicate_write_is_carried_out_twice() -> None:
    connector = SimulationConnector(faults=duplicate("upsert_object", nth=(1, 2)))
    connector.upsert_object({"type": "note", "text": "without id"})
    connector.upsert_object({"type": "tool", "id": "tool--1"})
    assert [obj["type"] for obj in connector.iter_fixtures()] == ["note", "note", "tool"]


def test_out_of_order_delivery_gives_the_same_in_another_order() -> None:
    connector = faulty(out_of_order(every=2), seed=3)
    assert ids(connector.list_objects()) == list(range(10))
    shuffled = ids(connector.list_objects())
    assert shuffled != list(range(10))
    assert sorted(shuffled) == list(range(10))
    assert len({tuple(ids(faulty(out_of_order(), seed=seed).list_objects())) for seed in range(5)}) == 5
    again = faulty(out_of_order(), seed=3)
    two = [ids(again.list_objects(page_size=2)) for _ in range(5)]
    assert two == [[1, 0]] * 5  # where there is one other order only, it is that


def test_faults_are_added_to_each_other() -> None:
    connector = faulty(partial_page(keep=0.4), duplicate(), out_of_order())
    found = ids(connector.list_objects())
    assert len(found) == 5
    assert set(found) == {0, 1, 2, 3}


def test_a_failed_call_is_charged_and_logged_as_one() -> None:
    context = ExecutionContext.create("test", "ingestion", max_budget_units=5)
    connector = faulty(fail(nth=1), context=context)
    with pytest.raises(ConnectorError):
        connector.list_objects()
    [entry] = context.log.query(context.context_id)
    assert (context.budget.used, entry["status"]) == (1, "error")
    assert entry["details"]["error"] == "list_objects: the platform failed"


# Whether they were met


def test_faults_that_met_nothing_are_told() -> None:
    connector = faulty(fail("delete_object"), fail("get_object", nth=2), latency(1), out_of_order(nth=9))
    assert outcomes(2, lambda: connector.get_object("tool--1")) == ".F"
    with pytest.raises(AssertionError) as caught:
        connector.assert_all_faults_hit()
    assert str(caught.value) == (
        "2 faults of 'simulation' met no call, so that nothing is known of how they are dealt with:\n"
        "  fail: delete_object\n"
        "  out_of_order: list_objects, call 9\n"
        "make the calls that they wait for, or remove them"
    )
    assert connector.unused_faults() == [fail("delete_object"), out_of_order(nth=9)]


def test_a_fault_without_effect_has_met_nothing() -> None:
    connector = SimulationConnector(
        faults=[duplicate(), out_of_order(), partial_page(), rate_limit(5, per=1)]
    )
    connector.list_objects()
    assert len(connector.unused_faults()) == 4


@pytest.mark.parametrize(
    "fault",
    [
        latency(1),
        partial_page(),
        duplicate(),
        out_of_order(),
        rate_limit(1, per=60),
        fail(nth=2),
        duplicate("upsert_object"),
    ],
    ids=str,
)
def test_a_fault_with_an_effect_has_met_its_call(fault: Fault) -> None:
    connector = faulty(fault, clock=FixedClock())
    connector.list_objects()
    outcomes(1, lambda: connector.upsert_object({"id": "tool--1"}))
    assert connector.unused_faults() == []


def test_a_script_that_was_played_is_silent() -> None:
    connector = faulty(fail(nth=1))
    assert outcomes(2, connector.list_objects) == "F."
    connector.assert_all_faults_hit()
    SimulationConnector().assert_all_faults_hit()


def test_one_script_serves_several_connectors() -> None:
    script = Faults(fail(nth=2))
    one, other = (SimulationConnector(TOOLS, faults=script) for _ in range(2))
    assert outcomes(2, one.list_objects) == outcomes(2, other.list_objects) == ".F"


def test_threads_meet_each_counted_fault_once() -> None:
    connector = faulty(fail(every=10))
    failed: list[str] = []
    threads = [
        threading.Thread(target=lambda: failed.append(outcomes(50, connector.list_objects))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(found.count("F") for found in failed) == 20


# Scripts that are wrong


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: fail("get_objects"),
            r"the fault fail cannot meet the operation \"get_objects\" \(did you mean 'get_object'",
        ),
        (lambda: fail("frobnicate"), r"\(it can meet list_objects, get_object"),
        (lambda: Fault("partial_page", "get_object"), "the fault partial_page cannot meet the operation"),
        (lambda: fail(nth=0), "nth counts calls from 1 on; 0 is no such number"),
        (lambda: fail(nth=(1, "2")), 'nth counts calls from 1 on; "2" is no such number'),  # type: ignore[arg-type]
        (lambda: fail(nth=()), r"nth=\(\) counts no call"),
        (lambda: fail(every=-1), "every counts calls from 1 on"),
        (lambda: fail(every=True), "every counts calls from 1 on"),
        (lambda: fail(chance=1.5), "chance is a number from 0 to 1, not 1.5"),
        (lambda: fail(chance=float("nan")), "chance is a number from 0 to 1"),
        (lambda: fail(nth=1, every=2), r"the fault fail has nth and every \(give one of them\)"),
        (lambda: rate_limit(0, per=1), "a rate limit allows a number of calls from 1 on, not 0"),
        (lambda: rate_limit(1, per=0), "the window of a rate limit is a number of seconds above 0, not 0"),
        (lambda: latency(-1), "latency is a number of seconds from 0 on, not -1"),
        (lambda: latency("1"), 'latency is a number of seconds from 0 on, not "1"'),  # type: ignore[arg-type]
        (lambda: partial_page(keep=1), "a partial page keeps a share from 0 to below 1, not 1"),
        (lambda: Faults("fail"), r'"fail" is no fault \(make one with fail\(\)'),  # type: ignore[arg-type]
        (lambda: SimulationConnector(faults="fail"), '"fail" is no fault'),  # type: ignore[arg-type]
        (lambda: SimulationConnector(faults=[fail(), 5]), "5 is no fault"),  # type: ignore[list-item]
    ],
)
def test_what_is_no_fault_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()
