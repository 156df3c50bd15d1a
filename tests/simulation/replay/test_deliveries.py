"""What is delivered is disturbed in an exploration only, and a write that a crash comes before is not made."""

from __future__ import annotations

from typing import Any

import pytest

from understudy.context import ExecutionContext
from understudy.simulation import SideEffects, SimulationConnector, about_to_write, delivered
from understudy.simulation.replay.disturbance import Crash, Duplicate, Reorder, Step
from understudy.simulation.replay.disturber import Delivery, StepsDisturber
from understudy.simulation.replay.ledger import RunLog, SimulatedCrash


def disturbed(*steps: Step) -> tuple[ExecutionContext, StepsDisturber, RunLog]:
    disturber = StepsDisturber(steps)
    log = RunLog(disturber=disturber)
    return ExecutionContext.create("test", "ingestion", log=log), disturber, log


def tool(name: str) -> dict[str, Any]:
    return {"type": "tool", "id": f"tool--{name}"}


def test_outside_of_an_exploration_everything_is_as_it_is() -> None:
    with ExecutionContext.create("test", "ingestion").use():
        assert delivered(iter("abc")) == ["a", "b", "c"]
        about_to_write()


def test_a_source_of_ones_own_is_disturbed_through_the_current_context() -> None:
    context, disturber, _ = disturbed(Reorder((2, 1)), Duplicate(3))
    with context.use():
        assert delivered("abc", source="queue") == ["b", "a", "c", "c"]
    assert disturber.deliveries == [Delivery(3, "queue", False)]


def test_a_context_that_is_given_counts_more_than_the_current_one() -> None:
    context, _, _ = disturbed(Duplicate(1))
    with ExecutionContext.create("other", "ingestion").use():
        assert delivered("a", context=context) == ["a", "a"]


def test_a_connector_hands_its_objects_over_disturbed_and_a_repeated_one_is_a_copy() -> None:
    connector = SimulationConnector([tool("a"), tool("b")], name="source")
    context, disturber, _ = disturbed(Duplicate(1), Reorder((2, 1)))
    with context.use():
        found = connector.list_objects()
    assert [one["id"] for one in found] == ["tool--b", "tool--a", "tool--a"]
    assert found[1] is not found[2]
    assert disturber.deliveries == [Delivery(2, "source", False)]


def test_the_moments_of_a_page_go_with_its_objects() -> None:
    connector = SimulationConnector([tool("a"), tool("b")])
    plain = connector.page()
    context, _, _ = disturbed(Reorder((2, 1)))
    with context.use():
        page = connector.page()
    assert [one["id"] for one in page.objects] == ["tool--b", "tool--a"]
    assert page.added == plain.added[::-1]


def test_a_listing_that_was_asked_for_in_an_order_keeps_it_but_may_repeat() -> None:
    connector = SimulationConnector([tool("a"), tool("b")])
    context, disturber, _ = disturbed(Reorder((2, 1)), Duplicate(2))
    with context.use():
        found = connector.list_objects(order_by="id")
    assert [one["id"] for one in found] == ["tool--a", "tool--b", "tool--b"]
    assert disturber.met == [Duplicate(2)]


def test_a_crash_before_a_write_leaves_the_connector_as_it_was() -> None:
    connector = SimulationConnector()
    context, _, log = disturbed(Crash("before", write=2))
    with context.use():
        connector.upsert_object(tool("a"))
        with pytest.raises(SimulatedCrash, match="before write 2"):
            connector.upsert_object(tool("b"))
        with pytest.raises(SimulatedCrash, match="has crashed before"):
            connector.delete_object("tool--a")
    assert [one["id"] for one in connector.iter_fixtures()] == ["tool--a"]
    assert (log.written, log.has_crashed) == (1, True)


def test_a_crash_after_a_write_comes_when_it_is_made_and_noted() -> None:
    connector = SimulationConnector()
    context, _, log = disturbed(Crash("after", write=1))
    with context.use(), pytest.raises(SimulatedCrash, match="after write 1"):
        connector.upsert_object(tool("a"))
    assert [one["id"] for one in connector.iter_fixtures()] == ["tool--a"]
    assert len(log.entries) == 1


def test_an_effect_that_a_crash_comes_before_is_not_made() -> None:
    made: list[str] = []
    effects = SideEffects()
    context, disturber, _ = disturbed(Crash("before", write=1))
    with context.use(), pytest.raises(SimulatedCrash):
        effects.perform("a", {}, lambda: made.append("a"))
    assert (made, effects.is_made("a"), disturber.met) == ([], False, [Crash("before", write=1)])


def test_reads_do_not_count_as_writes() -> None:
    connector = SimulationConnector([tool("a")])
    context, disturber, _ = disturbed(Crash("before", write=1))
    with context.use():
        connector.list_objects()
        connector.get_object("tool--a")
        connector.health_check()
    assert not disturber.announced
