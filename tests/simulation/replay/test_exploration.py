"""`explore` finds what a pipeline does not survive, and only that, within its bounds, and the same every time."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from simulation.replay import delivering_pipelines as pipelines
from simulation.replay.delivering_pipelines import World, tools
from understudy.context import ExecutionContext
from understudy.core.clock import FixedClock
from understudy.core.errors import InputError
from understudy.simulation import (
    Crash,
    Deterministic,
    Duplicate,
    Explored,
    Reorder,
    SimulationConnector,
    assert_survives,
    delivered,
    explore,
    explore_async,
)
from understudy.simulation.replay.disturbance import Disturbance
from understudy.simulation.replay.trial import Setting


def found(pipeline: Callable[..., object], **options: Any) -> list[Disturbance]:
    return [find.disturbance for find in explore(pipeline, world=World, **options).finds]


def test_a_pipeline_that_writes_with_keys_survives_everything() -> None:
    explored = explore(pipelines.copies, world=World, max_trials=500)
    assert explored.ok
    assert (explored.left, explored.stopped, explored.notes) == (0, "", ())
    assert explored.check() is explored


def test_mails_that_are_sent_again_are_found_for_crashes_and_for_repeated_deliveries() -> None:
    explored = explore(pipelines.mails_twice, world=World)
    assert [find.disturbance for find in explored.finds] == [(Crash("after", 1),), (Duplicate(1),)]
    first = explored.finds[0]
    assert {damage.label for damage in first.damages} == {"repeated mail.send", "world $.mails"}
    assert "delivering_pipelines.py:" in str(first.damages[0])
    assert first.also == 2


def test_a_pipeline_that_works_for_a_context_of_its_own_is_disturbed_and_judged_all_the_same() -> None:
    def notifies(ctx: ExecutionContext, sink: SimulationConnector) -> None:
        sink._context = ExecutionContext.create("within", "test")
        sink.upsert_object({"type": "note"})

    (find,) = explore(notifies, world=SimulationConnector).finds

    assert find.disturbance == (Crash("after", 1),)


def test_what_is_taken_before_it_is_done_is_found_by_a_crash_before_the_write() -> None:
    assert found(pipelines.takes_before_it_is_done) == [(Crash("before", 1),)]


def test_a_sum_that_counts_twice_is_found() -> None:
    assert found(pipelines.adds_up) == [(Crash("after", 1),), (Duplicate(1),)]


def test_a_pipeline_that_trusts_the_order_is_found_and_the_order_is_one_exchange() -> None:
    ((step,),) = found(pipelines.trusts_the_order)
    assert isinstance(step, Reorder)
    assert step.order in [(1, 3, 2), (2, 1)]


def test_what_only_a_crash_and_another_order_together_show_is_found() -> None:
    finds = found(pipelines.counts_on_places, ignore=None, kinds=["crash", "reorder"])
    assert [sorted(type(step).__name__ for step in steps) for steps in finds] == [["Crash", "Reorder"]]


def test_a_lock_that_a_crash_leaves_behind_is_found() -> None:
    (find,) = explore(pipelines.leaves_its_lock, world=World).finds
    assert find.disturbance == (Crash("before", 1),)
    assert "run 2 raised RuntimeError: locked by somebody else" in str(find.damages[0])


def test_ids_that_are_drawn_anew_are_found_when_they_are_imposed() -> None:
    finds = found(pipelines.draws_ids, impose=Deterministic())
    assert finds == [(Crash("after", 1),), (Duplicate(1),)]


def test_async_pipelines_are_explored() -> None:
    assert found(pipelines.mails_at_once) == [(Crash("after", 1),), (Duplicate(1),)]


def test_from_async_code_the_loop_goes_on_meanwhile() -> None:
    async def both() -> tuple[Explored, list[int]]:
        task = asyncio.create_task(explore_async(pipelines.mails_at_once, world=World))
        turns: list[int] = []
        while not task.done():
            turns.append(1)
            await asyncio.sleep(0)
        return await task, turns

    explored, turns = asyncio.run(both())
    assert not explored.ok
    assert len(turns) > 1


def test_pipelines_with_threads_are_explored() -> None:
    assert found(pipelines.writes_in_threads) == []


def test_a_pipeline_without_a_world_is_judged_by_its_ledger() -> None:
    def mails(ctx: ExecutionContext) -> None:
        ctx.record("send", subject="mail", kind="write")

    explored = explore(mails)
    assert [find.disturbance for find in explored.finds] == [(Crash("after", 1),)]
    assert any("no world= was given" in note for note in explored.notes)
    assert any("nothing was delivered" in note for note in explored.notes)


def test_a_source_of_ones_own_is_disturbed() -> None:
    def adds(ctx: ExecutionContext, world: dict[str, int]) -> None:
        for number in delivered([1, 2], source="queue"):
            world["total"] = world.get("total", 0) + number
        ctx.record("total", kind="write", target_ref="total", content=world["total"])

    finds = explore(adds, world=dict, kinds=["duplicate"]).finds
    assert [find.disturbance for find in finds] == [(Duplicate(1),)]


def test_what_is_ignored_is_no_damage() -> None:
    def marks(ctx: ExecutionContext, world: World) -> None:
        pipelines.copies(ctx, world)
        ctx.record("beat", subject="heart", kind="write")

    assert not explore(marks, world=World, max_steps=1).ok
    assert explore(marks, world=World, max_steps=1, ignore=lambda write: write.subject == "heart").ok


def test_the_state_is_what_the_user_says_it_is() -> None:
    def logs(ctx: ExecutionContext, world: World) -> None:
        world.memory.setdefault("log", []).append("run")
        world.sink.upsert_object(tools()[0])

    assert not explore(logs, world=World).ok
    assert explore(logs, world=World, state=lambda world: world.sink).ok


def test_the_order_in_which_things_are_left_counts_if_it_is_said_to() -> None:
    def lists(ctx: ExecutionContext, world: World) -> None:
        world.memory["names"] = [one["id"] for one in world.source.list_objects()]
        ctx.record("list", kind="write", target_ref="names")

    assert explore(lists, world=World, kinds=["reorder"]).ok
    assert not explore(lists, world=World, kinds=["reorder"], ordered=True).ok


STEPS = st.sampled_from(["upsert a", "upsert b", "delete a", "perform a", "perform b", "mail", "read"])


@settings(max_examples=25, deadline=None)
@given(st.lists(STEPS, min_size=1, max_size=6))
def test_whatever_a_pipeline_does_it_is_a_find_if_and_only_if_an_effect_has_no_key(steps: list[str]) -> None:
    def does(ctx: ExecutionContext, world: World) -> None:
        for number, step in enumerate(steps):
            verb, _, name = step.partition(" ")
            if verb == "upsert":
                world.sink.upsert_object({"type": "tool", "id": name, "rank": number})
            elif verb == "delete":
                world.sink.delete_object(name)
            elif verb == "perform":
                world.effects.perform(name, {}, partial(world.mails.append, name))
            elif verb == "mail":
                world.mails.append("mail")
                ctx.record("send", subject="mail", kind="write")
            else:
                world.sink.list_objects()

    assume(set(steps) != {"read"})
    explored = explore(does, world=World, max_trials=40, kinds=["crash"])
    assert explored.ok == ("mail" not in steps), str(explored)


# Bounds and seeds


def test_a_bound_of_trials_is_kept_and_says_what_is_left() -> None:
    explored = explore(pipelines.copies, world=World, max_trials=10)
    assert (explored.tried, explored.stopped) == (10, "max_trials=10")
    assert [tally.left for tally in explored.tallies] == [8, 300]
    assert "10 of 18 tried, 8 left" in str(explored)


def test_a_bound_of_time_is_kept_by_the_clock_that_is_given() -> None:
    clock = FixedClock()

    def slow(ctx: ExecutionContext, world: World) -> None:
        clock.advance(1)
        pipelines.copies(ctx, world)

    explored = explore(slow, world=World, max_seconds=5, clock=clock, kinds=["duplicate"])
    assert (explored.tried, explored.stopped) == (5, "max_seconds=5")


def test_the_same_seed_tries_the_same_and_says_the_same() -> None:
    def tried(seed: int) -> tuple[str, list[str]]:
        orders: list[str] = []

        def watches(ctx: ExecutionContext, world: World) -> None:
            items = world.source.list_objects()
            orders.append(" ".join(one["id"] for one in items))
            for one in items:
                world.sink.upsert_object(one)

        many = lambda: World(source=SimulationConnector(tools(6), name="source"))  # noqa: E731 - short
        return str(explore(watches, world=many, seed=seed, max_trials=40)), orders

    assert tried(1) == tried(1)
    assert tried(1)[1] != tried(2)[1]


def test_the_seed_decides_which_are_tried_where_not_all_can_be(tmp_path: Path) -> None:
    def tried(seed: int) -> list[str]:
        path = tmp_path / f"{seed}.jsonl"
        explore(pipelines.copies, world=World, seed=seed, kinds=["crash"], max_trials=5, progress=path)
        return path.read_text().splitlines()[1:]

    assert len(tried(1)) == 5
    assert tried(1) != tried(2)


def test_an_exploration_that_was_stopped_goes_on_and_says_what_one_in_one_go_says(tmp_path: Path) -> None:
    runs: list[int] = []

    def counted(ctx: ExecutionContext, world: World) -> None:
        runs.append(1)
        if len(runs) == stop_at:
            raise KeyboardInterrupt
        pipelines.counts_on_places(ctx, world)

    stop_at = 0
    whole = explore(counted, world=World)
    needed = len(runs)
    for stop_at in (9, 40):
        runs.clear()
        path = tmp_path / f"{stop_at}.jsonl"
        with pytest.raises(KeyboardInterrupt):
            explore(counted, world=World, progress=path)
        runs.clear()
        interrupted_at, stop_at = stop_at, 0
        resumed = explore(counted, world=World, progress=path)
        assert str(resumed) == str(whole)
        assert len(runs) < needed - interrupted_at // 2


def test_finds_are_shown_again_when_an_exploration_is_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "progress.jsonl"
    first = explore(pipelines.mails_twice, world=World, progress=path)
    again = explore(pipelines.mails_twice, world=World, progress=path)
    assert str(again) == str(first)
    assert again.finds == first.finds


def test_the_progress_of_another_seed_or_pipeline_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "progress.jsonl"
    explore(pipelines.copies, world=World, max_trials=3, progress=path)
    with pytest.raises(InputError, match="another seed"):
        explore(pipelines.copies, world=World, seed=1, progress=path)
    with pytest.raises(InputError, match="another pipeline"):
        explore(pipelines.adds_up, world=World, progress=path)
    with pytest.raises(InputError, match="another set of options"):
        explore(pipelines.copies, world=World, progress=path, ordered=True)


def test_the_progress_of_a_pipeline_that_does_something_else_now_is_not_trusted(tmp_path: Path) -> None:
    path = tmp_path / "progress.jsonl"
    count = 2

    def copies(ctx: ExecutionContext, world: World) -> None:
        for one in world.source.list_objects()[:count]:
            world.sink.upsert_object(one)

    explore(copies, world=World, progress=path, max_steps=1)
    count = 3
    explored = explore(copies, world=World, progress=path, max_steps=1)
    assert any("explored anew" in note for note in explored.notes)


# Bad input


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"max_trials": 0}, "max_trials is a number from 1 on, not 0"),
        ({"max_trials": True}, "max_trials is a number from 1 on, not true"),
        ({"max_steps": 9}, "max_steps is at most 4, not 9"),
        ({"max_seconds": -1}, "max_seconds is a number above 0, not -1"),
        ({"max_seconds": float("nan")}, "max_seconds is a number above 0"),
        ({"seed": "a"}, 'a seed is a whole number, not "a"'),
        ({"orders": -1}, "orders is a number from 0 on, not -1"),
        ({"kinds": "crash"}, r"kinds=\"crash\" \(give some of crash, duplicate, reorder\)"),
        ({"kinds": ["crush"]}, "give some of crash, duplicate, reorder"),
        ({"kinds": []}, "give some of crash, duplicate, reorder"),
        ({"timeout": 0}, "timeout is a number of seconds above 0, not 0"),
        ({"max_writes": 0}, "max_writes is a number from 1 on"),
        ({"world": World()}, "is no function .give a function that makes a new world for every trial"),
        ({"state": 3}, "state=3 is no function"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        explore(pipelines.copies, **{"world": World, **options})


def test_what_is_no_pipeline_is_refused() -> None:
    with pytest.raises(InputError, match="it is a str, and no function of a context"):
        explore("pipelines:copies")  # type: ignore[arg-type]  # this is what is tried


def test_a_pipeline_that_takes_no_world_is_refused_with_one() -> None:
    with pytest.raises(
        InputError, match="cannot be called with the context and the world: too many positional"
    ):
        explore(lambda ctx: None, world=World)


def test_a_pipeline_that_nothing_can_be_done_to_is_refused() -> None:
    def writes(ctx: ExecutionContext) -> None:
        ctx.record("write", kind="write", target_ref="a")

    with pytest.raises(InputError, match=r"handed nothing that could be disturbed.*other kinds than reorder"):
        explore(writes, kinds=["reorder"])


# assert_survives


def test_a_test_that_was_printed_passes_when_the_defect_is_mended() -> None:
    with pytest.raises(
        AssertionError, match=r"mails_twice does not survive a crash after write 1:\s+mail\.send"
    ):
        assert_survives(pipelines.mails_twice, Crash("after", 1), world=World)
    assert_survives(pipelines.copies, Crash("after", 1), world=World)


def test_a_test_whose_crash_does_not_come_to_pass_proves_nothing() -> None:
    with pytest.raises(
        AssertionError, match="nothing was tested, for a crash after write 90 did not come to pass"
    ):
        assert_survives(pipelines.copies, Crash("after", 90), world=World)


def test_what_would_happen_in_a_later_run_needs_not_come_to_pass() -> None:
    assert_survives(pipelines.copies, Crash("after", 6), Crash("after", 90, run=2), world=World)


def test_a_test_of_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="there is nothing to survive"):
        assert_survives(pipelines.copies, world=World)


def test_every_setting_of_an_exploration_can_be_given_to_a_test() -> None:
    import inspect
    from dataclasses import fields

    settings = {field.name for field in fields(Setting)} - {"pipeline", "root"}
    assert settings <= set(inspect.signature(assert_survives).parameters)
    assert settings <= set(inspect.signature(explore).parameters)


def test_what_is_imposed_on_a_test_is_imposed_on_every_run_of_it() -> None:
    def draws(ctx: ExecutionContext) -> None:
        ctx.record("write", kind="write", target_ref=str(uuid.uuid4()))

    with pytest.raises(AssertionError, match="its id is another one in every run"):
        assert_survives(draws, Crash("after", 1), impose=Deterministic())
