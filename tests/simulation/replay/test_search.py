"""A search groups what is one defect, passes over what is known, and stops when there is enough to do."""

from __future__ import annotations

from simulation.replay import delivering_pipelines as pipelines
from simulation.replay.delivering_pipelines import World
from understudy.context import ExecutionContext
from understudy.simulation import Crash, explore
from understudy.simulation.replay.search import MOST_FINDS


def test_combinations_with_a_find_in_them_are_not_tried() -> None:
    runs: list[int] = []

    def counted(ctx: ExecutionContext, world: World) -> None:
        runs.append(1)
        pipelines.mails_twice(ctx, world)

    explored = explore(counted, world=World)
    singles, pairs = explored.tallies
    assert (singles.tried, pairs.tried + pairs.implied, pairs.left) == (singles.possible, pairs.possible, 0)
    assert pairs.implied > pairs.tried
    assert len(runs) < 3 * (singles.tried + pairs.tried)


def test_the_same_damage_by_the_same_kind_of_step_is_one_find() -> None:
    def one_mail_each(ctx: ExecutionContext) -> None:
        for _ in range(8):
            ctx.record("send", subject="mail", kind="write")

    (find,) = explore(one_mail_each).finds
    assert (find.disturbance, find.also) == ((Crash("after", 1),), 7)


def test_different_damages_are_different_finds() -> None:
    def mails_and_calls(ctx: ExecutionContext) -> None:
        ctx.record("send", subject="mail", kind="write")
        ctx.record("upsert", subject="sink", kind="write", target_ref="a")
        ctx.record("call", subject="phone", kind="write")

    finds = explore(mails_and_calls).finds
    assert [find.disturbance for find in finds] == [(Crash("after", 1),), (Crash("after", 3),)]


def test_a_world_with_a_part_for_every_object_does_not_make_a_find_of_each() -> None:
    def notes(ctx: ExecutionContext, world: dict[str, int]) -> None:
        for name in "abcdef":
            world[name] = world.get(name, 0) + 1
            ctx.record("note", subject="book", kind="write")

    (find,) = explore(notes, world=dict).finds
    assert (find.disturbance, find.also) == ((Crash("after", 1),), 5)


def test_a_search_stops_when_it_has_found_enough() -> None:
    def many_defects(ctx: ExecutionContext) -> None:
        for number in range(MOST_FINDS + 5):
            ctx.record(f"send_{number}", subject="mail", kind="write")

    explored = explore(many_defects)
    assert len(explored.finds) == MOST_FINDS
    assert explored.stopped == f"its number of finds ({MOST_FINDS})"


def test_what_did_not_come_to_pass_is_counted() -> None:
    def once(ctx: ExecutionContext, world: dict[str, bool]) -> None:
        if not world.get("done"):
            world["done"] = True
            ctx.record("write", kind="write", target_ref="a")

    explored = explore(once, world=dict)
    assert explored.ok
    assert [(tally.tried, tally.unmet) for tally in explored.tallies] == [(1, 0), (1, 1)]
    assert "1 of 1 tried; 1 of them did not come to pass" in str(explored)


def test_a_find_of_many_writes_is_shrunk_to_the_first_that_shows_it() -> None:
    def late(ctx: ExecutionContext) -> None:
        for number in range(60):
            ctx.record("upsert", subject="sink", kind="write", target_ref=str(number))
        for _ in range(60):
            ctx.record("send", subject="mail", kind="write")

    (find,) = explore(late, max_trials=9, max_steps=1).finds
    assert find.disturbance == (Crash("after", 61),)


def test_shrinking_ends_when_the_time_is_over() -> None:
    from understudy.core.clock import FixedClock

    clock = FixedClock()

    def slow(ctx: ExecutionContext) -> None:
        clock.advance(1)
        for _ in range(50):
            ctx.record("send", subject="mail", kind="write")

    explored = explore(slow, max_trials=5, max_seconds=1, clock=clock, seed=3)
    (find,) = explored.finds
    assert find.disturbance[0] != Crash("after", 1)
    assert explored.stopped == "max_seconds=1"
