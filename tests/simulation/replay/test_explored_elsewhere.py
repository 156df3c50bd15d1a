"""Pipelines that a project declares are explored in its run: a case of their own, with a failure for each find."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from cli.command import Command, Done, understudy

SHOP = """
import time
import uuid

from understudy.simulation import SideEffects, SimulationConnector


class World:
    def __init__(self):
        self.source = SimulationConnector([{"type": "tool", "id": f"tool--{n}"} for n in range(3)])
        self.sink = SimulationConnector(name="sink")
        self.effects = SideEffects()
        self.mails = []
        self.beats = 0


def copies(ctx, world):
    for found in world.source.list_objects():
        world.sink.upsert_object(found)


def mails(ctx, world):
    for found in world.source.list_objects():
        world.mails.append(found["id"])
        ctx.record("send", subject="mail", kind="write")


def draws(ctx, world):
    for found in world.source.list_objects():
        world.sink.upsert_object({"type": "note", "id": f"note--{uuid.uuid4()}"})


def beats(ctx, world):
    world.beats += 1
    ctx.record("beat", subject="heart", kind="write")
    copies(ctx, world)


def sink_of(world):
    return world.sink


def is_beat(write):
    return write.subject == "heart"


def reads(ctx, world):
    return world.source.list_objects()


def waits(ctx, world):
    world.beats += 1
    while world.beats > 1:
        time.sleep(0.01)
    ctx.record("beat", subject="heart", kind="write", target_ref="a")
"""
PROJECT = """
[[replay.pipelines]]
run = "shop:copies"
world = "shop:World"
explore = true

[[replay.pipelines]]
run = "shop:mails"
world = "shop:World"
explore = {max_steps = 1}

[[replay.pipelines]]
run = "shop:draws"
world = "shop:World"
explore = true

[[replay.pipelines]]
name = "draws imposed ids"
run = "shop:draws"
world = "shop:World"
impose = {}
explore = {kinds = ["reorder"]}

[[replay.pipelines]]
run = "shop:beats"
world = "shop:World"
explore = {state = "shop:sink_of", ignore = "shop:is_beat", max_trials = 5}

[[replay.pipelines]]
run = "shop:reads"
world = "shop:World"
explore = true

[[replay.pipelines]]
run = "shop:waits"
world = "shop:World"
timeout = 0.3
explore = true
"""


@pytest.fixture(scope="module", name="run")
def _run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Done, dict[str, dict[str, Any]]]:
    """All explorations in one run."""
    folder = tmp_path_factory.mktemp("shop")
    (folder / "shop.py").write_text(SHOP)
    (folder / "understudy.toml").write_text(PROJECT)
    done = understudy(["replay", "-k", "explored", "--json", "r.json", "--concurrency", "3"], cwd=folder)
    report = json.loads((folder / "r.json").read_text("utf-8"))
    return done, {one["name"]: one for one in report["outcomes"]}


Run = tuple[Done, dict[str, dict[str, Any]]]


def test_explorations_are_cases_beside_the_replays(run: Run) -> None:
    done, outcomes = run
    assert done.code == 1, done.text
    assert outcomes["mails (explored)"]["id"] == "replay::shop.py::mails (explored)"
    assert all(name.endswith("(explored)") for name, one in outcomes.items() if one["status"] != "skipped")


def test_a_pipeline_that_survives_passes_and_says_what_was_tried(run: Run) -> None:
    outcome = run[1]["copies (explored)"]
    assert outcome["status"] == "passed"
    assert outcome["notes"] == ["single disturbances: 12 of 12 tried", "combinations of 2: 120 of 120 tried"]
    assert outcome["details"] == {"tried": 132, "left": 0, "finds": 0}


def test_every_find_is_a_failure_with_its_test(run: Run) -> None:
    outcome = run[1]["mails (explored)"]
    assert outcome["status"] == "failed"
    assert [one["message"].partition(": ")[0] for one in outcome["failures"]] == [
        "it does not survive a crash after write 1",
        "it does not survive item 1 of delivery 1 handed over twice",
    ]
    assert "mail.send() at shop.py:25 was made 4 times" in outcome["failures"][0]["message"]
    assert outcome["failures"][0]["location"]["file"] == "shop.py"
    tests = [one["text"] for one in outcome["attachments"]]
    assert 'assert_survives(mails, Crash("after", write=1), world=World)' in tests[0]
    assert "assert_survives(mails, Duplicate(1), world=World)" in tests[1]


def test_a_pipeline_that_cannot_be_explored_is_an_error_that_says_why(run: Run) -> None:
    draws, reads = run[1]["draws (explored)"], run[1]["reads (explored)"]
    assert (draws["status"], reads["status"]) == ("errored", "errored")
    assert "exploring needs a deterministic pipeline" in draws["reason"]
    assert "reads uuid.uuid4() (3 times)" in draws["reason"]
    assert "reads has no side effects" in reads["reason"]


def test_what_is_imposed_and_asked_for_reaches_the_exploration(run: Run) -> None:
    assert run[1]["draws imposed ids (explored)"]["status"] == "passed"
    beats = run[1]["beats (explored)"]
    assert (beats["status"], beats["details"]["tried"]) == ("passed", 5)
    assert "stopped by max_trials=5" in beats["notes"]


def test_a_run_that_hangs_after_a_crash_is_a_find(run: Run) -> None:
    waits = run[1]["waits (explored)"]
    assert waits["status"] == "failed"
    assert "a run did not end within 0.3 s" in waits["failures"][0]["message"]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ('{kinds = ["crush"]}', "kinds"),
        ("{max_trials = 0}", "max_trials"),
        ("{max_steps = 5}", "max_steps"),
        ("{trials = 3}", "trials"),
        ('{state = "shop:sink"}', "no 'sink'"),
        ('{ignore = "beats"}', "must read module:function"),
    ],
)
def test_a_table_that_is_wrong_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], asked: str, said: str
) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    (tmp_path / "understudy.toml").write_text(
        dedent(f"""
        [[replay.pipelines]]
        run = "shop:copies"
        explore = {asked}
        """)
    )
    done = Command(capsys)("replay", tmp_path)
    assert (done.code, said in done.text) == (2, True), done.text


def test_a_pipeline_on_the_command_line_is_explored_if_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    monkeypatch.chdir(tmp_path)
    done = Command(capsys)("replay", "shop:mails", "--world", "shop:World", "--ids", "--explore")
    assert done.code == 1, done.text
    assert "1 passed, 1 failed" in done.text
    assert "it does not survive a crash after write 1: mail.send() at shop.py:" in done.text
    rerun = "understudy replay shop:mails --world shop:World --ids --explore --case 'replay::shop.py::mails (explored)'"
    assert rerun in done.text


def test_a_project_is_not_explored_by_an_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    (tmp_path / "understudy.toml").write_text(PROJECT)
    done = Command(capsys)("replay", tmp_path, "--explore")
    assert (done.code, "--explore is for a pipeline on the command line" in done.text) == (2, True), done.text
