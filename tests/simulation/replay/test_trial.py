"""A trial disturbs a pipeline in a world of its own, resumes it after a crash, and ends whatever the pipeline does."""

from __future__ import annotations

import asyncio
import re
import sqlite3
import threading
import uuid
from typing import Any

import pytest

from simulation.replay import delivering_pipelines as pipelines
from simulation.replay.delivering_pipelines import World
from understudy.context import ExecutionContext
from understudy.core.errors import InputError
from understudy.simulation import Crash, Deterministic, Duplicate
from understudy.simulation.replay.survival import damages_of
from understudy.simulation.replay.trial import Setting, Trial, run_trial


def writes(trial: Any) -> list[str]:
    return [write.key for write in trial.writes]


def test_a_trial_without_a_disturbance_is_one_run() -> None:
    trial = run_trial(Setting(pipelines.copies, World))
    assert (len(trial.runs), trial.error, trial.met) == (1, "", ())
    assert [delivery.source for delivery in trial.deliveries] == ["source"]
    assert trial.announced == {1, 2, 3, 4, 5, 6}


def test_after_a_crash_the_pipeline_goes_on_in_the_world_as_it_was_left() -> None:
    trial = run_trial(Setting(pipelines.takes_before_it_is_done, World), (Crash("after", write=2),))
    assert [run.is_crashed for run in trial.runs] == [True, False]
    assert [len(run.writes) for run in trial.runs] == [2, 1]
    assert writes(trial) == ["tool--a", "tool--b", "tool--c"]


def test_what_was_taken_before_a_crash_is_gone() -> None:
    trial = run_trial(Setting(pipelines.takes_before_it_is_done, World), (Crash("before", write=2),))
    assert writes(trial) == ["tool--a", "tool--c"]


def test_every_trial_has_a_world_of_its_own() -> None:
    setting = Setting(pipelines.mails_twice, World)
    assert run_trial(setting).state == run_trial(setting).state


def test_two_crashes_make_three_runs() -> None:
    trial = run_trial(Setting(pipelines.copies, World), (Crash("after", 2), Crash("before", 1, run=2)))
    assert [run.is_crashed for run in trial.runs] == [True, True, False]
    assert trial.met == (Crash("after", 2), Crash("before", 1, run=2))


def test_a_pipeline_that_swallows_its_crash_makes_nothing_more_in_that_run() -> None:
    trial = run_trial(Setting(pipelines.swallows_everything, World), (Crash("after", write=1),))
    assert [len(run.writes) for run in trial.runs] == [1, 3]
    assert "went on after a crash" in trial.notes[0]


def test_a_crash_reaches_a_pipeline_through_a_group_of_tasks() -> None:
    trial = run_trial(Setting(pipelines.mails_at_once, World), (Crash("after", write=1),))
    assert [run.is_crashed for run in trial.runs] == [True, False]
    assert trial.error == ""


def test_a_crash_in_a_thread_is_one_of_the_whole_run(recwarn: pytest.WarningsRecorder) -> None:
    trial = run_trial(Setting(pipelines.writes_in_threads, World), (Crash("after", write=2),))
    assert [run.is_crashed for run in trial.runs] == [True, False]
    assert writes(trial) == ["tool--1", "tool--2", "tool--1", "tool--2", "tool--3"]
    assert not recwarn.list


def test_what_a_resumed_run_raises_is_told_with_its_line() -> None:
    trial = run_trial(Setting(pipelines.leaves_its_lock, World), (Crash("after", write=1),))
    assert trial.error == "RuntimeError: locked by somebody else"
    assert re.search(r"delivering_pipelines\.py:\d+$", str(trial.runs[-1].error_site))


def test_a_run_that_does_not_end_is_told_and_left(monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()

    def waits(ctx: ExecutionContext, world: dict[str, int]) -> None:
        if world.setdefault("runs", 0):
            release.wait()
        world["runs"] += 1
        ctx.record("write", kind="write", target_ref="a")

    trial = run_trial(Setting(waits, dict, timeout=0.1), (Crash("after", 1),))
    release.set()
    assert (trial.is_hung, len(trial.runs)) == (True, 1)


def test_a_run_that_was_left_makes_no_more_writes() -> None:
    release, is_over = threading.Event(), threading.Event()
    made: list[str] = []

    def waits(ctx: ExecutionContext, world: World) -> None:
        release.wait()
        try:
            world.sink.upsert_object(pipelines.tools()[0])
            made.append("a write")
        finally:
            is_over.set()

    trial = run_trial(Setting(waits, World, timeout=0.05))
    release.set()
    assert is_over.wait(10)
    assert (trial.is_hung, made) == (True, [])


def test_a_pipeline_that_catches_its_crash_for_ever_is_told_so() -> None:
    def insists(ctx: ExecutionContext, world: World) -> None:
        while not world.memory.get("done"):
            try:
                world.sink.upsert_object(pipelines.tools()[0])
                world.memory["done"] = True
            except BaseException:
                if is_over.wait(0.001):
                    return

    is_over = threading.Event()
    setting = Setting(insists, World, timeout=0.1)
    trial = run_trial(setting, (Crash("before", 1),))
    is_over.set()
    assert (trial.is_hung, trial.has_caught_crash) == (True, True)
    (damage,) = damages_of(setting, Trial(), trial)
    assert str(damage).startswith("run 1 caught its crash and went on for 0.1 s: what is dead cannot")


def test_an_async_run_that_does_not_end_is_stopped() -> None:
    stopped = threading.Event()

    async def waits(ctx: ExecutionContext) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    trial = run_trial(Setting(waits, timeout=0.1))
    assert trial.is_hung
    assert stopped.wait(5)


def test_a_run_that_writes_without_end_is_stopped() -> None:
    def floods(ctx: ExecutionContext) -> None:
        while True:
            ctx.record("write", kind="write")

    trial = run_trial(Setting(floods, max_writes=50))
    assert (trial.is_runaway, len(trial.writes)) == (True, 51)


def test_the_world_is_made_in_the_thread_that_works_on_it() -> None:
    def stores(ctx: ExecutionContext, world: sqlite3.Connection) -> None:
        world.execute("insert into mails values ('a')")
        ctx.record("insert", kind="write", target_ref="a")

    def database() -> sqlite3.Connection:
        connection = sqlite3.connect(":memory:")
        connection.execute("create table mails (name)")
        return connection

    def mails(world: sqlite3.Connection) -> Any:
        found = world.execute("select name from mails").fetchall()
        world.close()
        return found

    trial = run_trial(Setting(stores, database, mails), (Crash("after", 1),))
    assert (trial.error, len(trial.state)) == ("", 2)


def test_a_resumed_run_draws_other_ids_than_the_one_before() -> None:
    drawn: list[str] = []

    def draws(ctx: ExecutionContext) -> None:
        drawn.append(str(uuid.uuid4()))
        ctx.record("write", kind="write", target_ref=drawn[-1])

    setting = Setting(draws, impose=Deterministic())
    trial = run_trial(setting, (Crash("after", 1),))
    again = run_trial(setting)
    assert drawn[0] != drawn[1]
    assert drawn[2] == drawn[0]
    assert set(drawn[:2]) <= trial.drawn
    assert writes(again) == [drawn[0]]


def test_steps_of_later_runs_leave_the_first_alone() -> None:
    trial = run_trial(Setting(pipelines.mails_twice, World), (Crash("after", 1), Duplicate(1, run=2)))
    assert [len(run.writes) for run in trial.runs] == [1, len(pipelines.tools()) + 1]


@pytest.mark.parametrize("timeout", [None, 5.0])
def test_a_world_that_cannot_be_made_is_the_users_to_correct(timeout: float | None) -> None:
    def broken() -> None:
        raise OSError("no space")

    with pytest.raises(InputError, match=r"the world cannot be made: OSError: no space \(correct world=\)"):
        run_trial(Setting(pipelines.copies, broken, timeout=timeout))


def test_a_state_that_cannot_be_read_is_the_users_to_correct() -> None:
    with pytest.raises(InputError, match="the state of the world cannot be read: AttributeError"):
        run_trial(Setting(pipelines.copies, World, lambda world: world.nothing))
