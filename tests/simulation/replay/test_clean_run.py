"""A pipeline is explored only if it does the same again when nothing is done to it, and does something at all."""

from __future__ import annotations

import random
import re
from itertools import count
from types import ModuleType

import pytest

from simulation.replay import delivering_pipelines as pipelines
from simulation.replay.conftest import WriteModule
from simulation.replay.delivering_pipelines import World
from understudy.context import ExecutionContext
from understudy.core.errors import InputError
from understudy.simulation.replay.clean_run import clean_run, state_hash
from understudy.simulation.replay.trial import Setting


def refusal(setting: Setting) -> str:
    with pytest.raises(InputError) as caught:
        clean_run(setting)
    return str(caught.value)


def test_a_pipeline_that_does_the_same_again_is_clean() -> None:
    trial, notes = clean_run(Setting(pipelines.copies, World))
    assert len(trial.writes) == 6
    assert notes == []


def test_a_pipeline_without_side_effects_proves_nothing() -> None:
    said = refusal(Setting(lambda ctx, world: world.source.list_objects(), World))
    assert "has no side effects, so that there is nothing that a crash could spoil" in said
    assert "SideEffects" in said


def test_side_effects_that_are_all_ignored_are_none() -> None:
    assert "has no side effects" in refusal(Setting(pipelines.copies, World, ignore=lambda write: True))


def test_writes_that_failed_are_none() -> None:
    def tries(ctx: ExecutionContext) -> None:
        ctx.record("write", kind="write", target_ref="a", status="error")

    assert "has no side effects" in refusal(Setting(tries))


def test_a_pipeline_that_raises_is_named_with_its_line() -> None:
    def fails(ctx: ExecutionContext) -> None:
        ctx.record("write", kind="write", target_ref="a")
        raise ValueError("no")

    assert re.match(
        r"fails raised ValueError: no \(at .*test_clean_run\.py:\d+\) although nothing was done to it",
        refusal(Setting(fails)),
    )


def test_a_pipeline_that_exits_is_one_that_raises() -> None:
    def leaves(ctx: ExecutionContext) -> None:
        raise SystemExit(3)

    assert "leaves raised SystemExit: 3" in refusal(Setting(leaves))


def test_a_pipeline_that_does_not_end_is_told() -> None:
    async def hangs(ctx: ExecutionContext) -> None:
        import asyncio

        await asyncio.Event().wait()

    assert "hangs did not end within 0.05 s although nothing was done to it" in refusal(
        Setting(hangs, timeout=0.05)
    )


def test_a_pipeline_that_writes_without_end_is_told() -> None:
    def floods(ctx: ExecutionContext) -> None:
        for number in count():
            ctx.record("write", kind="write", target_ref=str(number))

    assert "floods made more than 20 writes and was stopped (does it ever end?" in refusal(
        Setting(floods, max_writes=20)
    )


def test_a_pipeline_that_yields_without_end_is_told() -> None:
    assert "yielded more than 30 objects" in refusal(
        Setting(lambda ctx: ({"id": str(number)} for number in count()), max_objects=30)
    )


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        ("str(uuid.uuid4())", "reads uuid.uuid4()"),
        ("datetime.now().isoformat()", "reads datetime.now()"),
        ("str(random.random())", "reads random.random()"),
        ("ctx.context_id", "or write ctx.context_id"),
    ],
)
def test_a_pipeline_that_does_something_else_again_is_refused_with_the_line_that_may_be_why(
    module: WriteModule, line: str, cause: str
) -> None:
    made: ModuleType = module(
        f"""
        import random, uuid
        from datetime import datetime

        def sync(ctx):
            ctx.record("write", kind="write", target_ref="a", content={line})
        """
    )
    said = refusal(Setting(made.sync))
    assert (
        "exploring needs a deterministic pipeline, and sync did something else when it was run again" in said
    )
    assert cause in said
    assert "impose=Deterministic()" in said


def test_a_world_that_is_another_every_time_is_refused_with_what_to_do() -> None:
    numbers = count()
    said = refusal(Setting(pipelines.copies, lambda: World(memory={"number": next(numbers)})))
    assert "the world: $.memory.number: expected 0, got 1" in said
    assert "say with state= what matters of it" in said


def test_a_world_that_is_made_only_once_is_refused() -> None:
    world = World()
    said = refusal(Setting(pipelines.copies, lambda: world))
    assert said.endswith("world= gave the same world twice: it has to make a new one for every trial")


def test_a_pipeline_that_keeps_something_between_runs_is_refused() -> None:
    kept: list[int] = []

    def counts(ctx: ExecutionContext) -> None:
        kept.append(1)
        ctx.record("count", kind="write", target_ref="a", content=len(kept))

    assert "does it keep something from one run to the next" in refusal(Setting(counts))


def test_deliveries_that_are_others_every_time_are_refused() -> None:
    sizes = count(1)

    def takes(ctx: ExecutionContext, world: World) -> None:
        world.source.list_objects(limit=next(sizes))
        ctx.record("write", kind="write", target_ref="a")

    assert "it was not handed the same deliveries" in refusal(Setting(takes, World))


def test_writes_that_come_in_another_order_are_noted() -> None:
    chance = random.Random(1)

    def shuffles(ctx: ExecutionContext, world: World) -> None:
        for name in chance.sample("abcdefgh", 8):
            ctx.record("write", kind="write", target_ref=name)

    _, notes = clean_run(Setting(shuffles, World))
    assert notes[0].startswith("two clean runs made the same writes in another order (threads?)")


def test_the_hash_of_a_state_is_another_one_for_other_code(module: WriteModule) -> None:
    text = """
        def sync(ctx):
            ctx.record("write", kind="write", target_ref="a")
        """
    hashes = []
    for added in ("", "", "# mended"):
        setting = Setting(module(text + added).sync)
        hashes.append(state_hash(setting, clean_run(setting)[0]))
    assert hashes[0] == hashes[1] != hashes[2]
