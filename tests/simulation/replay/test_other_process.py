"""What only shows in other processes is found there: the order of sets, hashes, and what was read at import."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from understudy.core.errors import InputError
from understudy.simulation.replay.deterministic import Deterministic
from understudy.simulation.replay.result import ReplayResult
from understudy.simulation.replay.runner import ReplayRunner

WriteModule = Callable[..., ModuleType]
RunnerOf = Callable[..., ReplayRunner]


def replayed(runner: ReplayRunner) -> ReplayResult:
    ids = runner.run_first()
    return runner.replay(runner.last_execution_log, ids, check=False)


def test_the_order_of_a_set_is_found_under_another_hash_seed(
    module: WriteModule, runner_of: RunnerOf
) -> None:
    made = module(
        """
        NAMES = {"alpha", "beta", "gamma", "delta"}

        def unused():
            return list(NAMES)

        def pipeline(ctx):
            return [{"id": name} for name in NAMES]
        """
    )
    result = replayed(runner_of(made.pipeline, ordered=True, other_process=None))

    (finding,) = result.failing
    assert finding.message.startswith("under another hash seed (PYTHONHASHSEED=2), the order is another one")
    assert [str(cause) for cause in result.causes] == [f"{made.__name__}.py:7 depends on the order of a set"]


def test_a_set_that_is_sorted_or_whose_order_does_not_matter_is_fine(
    module: WriteModule, runner_of: RunnerOf
) -> None:
    made = module("def pipeline(ctx):\n    return [{'id': name} for name in {'alpha', 'beta', 'gamma'}]\n")

    result = replayed(runner_of(made.pipeline, compare="content", other_process=None))

    assert (result.findings, result.notes) == ((), ())


def test_a_hash_in_what_is_written_is_found_in_a_world_of_its_own(
    module: WriteModule, runner_of: RunnerOf
) -> None:
    made = module(
        """
        from understudy.simulation import SimulationConnector

        def world():
            return SimulationConnector(name="feed")

        def pipeline(ctx, feed):
            if not ctx.is_replay:
                feed.upsert_object({"id": "tool--1", "bucket": hash("tool--1") % 1000})
            return [{"id": found["id"]} for found in feed.list_objects()]
        """
    )
    result = replayed(runner_of(made.pipeline, world=made.world, compare="content", other_process=None))

    (finding,) = result.failing
    assert f"write 1, feed.upsert_object(tool--1) at {made.__name__}.py:8 wrote something else" in str(
        finding
    )
    assert [str(cause) for cause in result.causes] == [f"{made.__name__}.py:8 depends on hash()"]


@pytest.mark.parametrize(
    ("imports", "call", "name"),
    [
        ("from uuid import uuid4", "uuid4()", "uuid.uuid4()"),
        ("from datetime import datetime", "datetime.now()", "datetime.now()"),
        ("import time", "time.time_ns()", "time.time_ns()"),
    ],
)
def test_what_was_read_at_import_is_found_in_another_process_only_if_one_is_asked_for(
    imports: str, call: str, name: str, module: WriteModule, runner_of: RunnerOf
) -> None:
    made = module(
        f"""
        {imports}
        RUN = {call}

        def pipeline(ctx):
            return [{{"id": f"run--{{RUN}}"}}]
        """
    )
    assert replayed(runner_of(made.pipeline, other_process=None)).findings == ()

    result = replayed(runner_of(made.pipeline, other_process=True))

    assert [finding.message[:34] for finding in result.findings] == [
        "in another process, 1 id is missin",
        "in another process, 1 id was added",
    ]
    assert [str(cause) for cause in result.causes] == [f"{made.__name__}.py:2 reads {name}"]


def test_what_is_imposed_is_imposed_there_too(module: WriteModule, runner_of: RunnerOf) -> None:
    made = module(
        """
        import random, uuid
        from datetime import datetime
        def pipeline(ctx):
            return [{"id": f"{uuid.uuid4()}-{random.random()}-{datetime.now()}"}]
        """
    )
    result = replayed(runner_of(made.pipeline, impose=Deterministic(seed=3), other_process=True))

    assert (result.findings, result.notes) == ((), ())


def test_a_pipeline_that_differs_already_is_not_run_elsewhere(
    module: WriteModule, runner_of: RunnerOf
) -> None:
    made = module(
        """
        import os, random
        def pipeline(ctx):
            with open(__file__ + ".pids", "a") as file:
                file.write(f"{os.getpid()}\\n")
            return [{"id": str(random.random()), "tags": list({"a", "b"})}]
        """
    )
    result = replayed(runner_of(made.pipeline, other_process=True))

    with open(f"{made.__file__}.pids", encoding="utf-8") as file:
        assert {int(line) for line in file} == {os.getpid()}
    assert len(result.missing) == 1


def test_a_line_that_is_a_cause_here_and_elsewhere_is_named_once(
    module: WriteModule, runner_of: RunnerOf
) -> None:
    made = module(
        """
        import uuid
        def pipeline(ctx):
            ctx.record("send", kind="write", target_ref=str(uuid.uuid4()))
            return [{"id": "tool--1"}]
        """
    )
    result = replayed(runner_of(made.pipeline, other_process=True))

    assert any("in another process" in finding.message for finding in result.writes)
    assert [str(cause) for cause in result.causes] == [f"{made.__name__}.py:3 reads uuid.uuid4()"]


def test_a_pipeline_that_cannot_run_elsewhere_is_noted_and_does_not_fail(
    module: WriteModule, runner_of: RunnerOf
) -> None:
    made = module(
        """
        CONNECTOR = None

        def pipeline(ctx):
            return [{"id": name} for name in list({*CONNECTOR})]
        """
    )
    vars(made)["CONNECTOR"] = ["a", "b"]

    result = replayed(runner_of(made.pipeline, other_process=None))

    assert result.ok
    (note,) = result.notes
    assert note.startswith("not compared with other hash seeds: under PYTHONHASHSEED=1 it raised TypeError")


def test_a_pipeline_elsewhere_does_not_reach_the_network(module: WriteModule, runner_of: RunnerOf) -> None:
    made = module(
        """
        import os, socket
        HERE = os.environ.setdefault("UNDERSTUDY_TEST_PID", str(os.getpid())) == str(os.getpid())
        def pipeline(ctx):
            if not HERE:
                socket.create_connection(("192.0.2.1", 80), timeout=0.01)
            return [{"id": "a"}]
        """
    )
    try:
        result = replayed(runner_of(made.pipeline, other_process=True))
    finally:
        os.environ.pop("UNDERSTUDY_TEST_PID", None)

    (note,) = result.notes
    assert "NetworkRefused: a replayed pipeline tried to reach '192.0.2.1'" in note


def test_one_that_raises_under_some_seeds_only_fails(module: WriteModule, runner_of: RunnerOf) -> None:
    made = module(
        """
        import os
        def pipeline(ctx):
            first = [name for name in {"a", "b"}]
            if os.environ.get("PYTHONHASHSEED") == "3":
                raise KeyError("b comes first")
            return [{"id": "a"}]
        """
    )
    result = replayed(runner_of(made.pipeline, other_process=None))

    assert [str(finding) for finding in result.failing] == [
        "under some hash seeds only, it raised KeyError: 'b comes first'"
    ]


def test_one_that_hangs_elsewhere_is_killed_and_noted(module: WriteModule, runner_of: RunnerOf) -> None:
    made = module(
        """
        import os, threading
        MAIN = os.environ.setdefault("UNDERSTUDY_TEST_PID", str(os.getpid())) == str(os.getpid())
        def pipeline(ctx):
            if not MAIN:
                threading.Event().wait()
            return [{"id": "a"}]
        """
    )
    try:
        result = replayed(runner_of(made.pipeline, other_process=True, timeout=0.5))
    finally:
        os.environ.pop("UNDERSTUDY_TEST_PID", None)

    (note,) = result.notes
    assert "its process was killed: it ran longer than the 0.5 s allowed" in note


def test_async_code_compares_seeds_too(module: WriteModule, runner_of: RunnerOf) -> None:
    made = module("async def pipeline(ctx):\n    return [{'id': str(hash('a'))}]\n")

    async def run() -> ReplayResult:
        runner = runner_of(made.pipeline, other_process=None)
        ids = await runner.run_first_async()
        return await runner.replay_async(runner.last_execution_log, ids, check=False)

    assert [str(cause) for cause in asyncio.run(run()).causes] == [f"{made.__name__}.py:2 depends on hash()"]


def test_one_that_may_differ_and_cannot_be_imported_elsewhere_is_noted(
    module: WriteModule, runner_of: RunnerOf
) -> None:
    made = module(
        """
        def make(is_sorted):
            def pipeline(ctx):
                return [{"id": name} for name in {"a", "b"}]
            def neat(ctx):
                return [{"id": name} for name in sorted({"a", "b"})]
            return neat if is_sorted else pipeline
        """
    )
    (note,) = replayed(runner_of(made.make(False), other_process=None)).notes
    assert note == (
        f"not compared with other hash seeds, although {made.__name__}.py:3 depends on the order of a set: it cannot "
        "be imported by another process; define it at the top level of a module that can be"
    )
    assert replayed(runner_of(made.make(True), other_process=None)).notes == ()
    assert replayed(runner_of(made.make(False), other_process=False)).notes == ()


@pytest.mark.parametrize("what", ["the pipeline", "its world"])
def test_what_cannot_be_imported_elsewhere_is_refused_if_that_was_asked_for(
    what: str, module: WriteModule, runner_of: RunnerOf
) -> None:
    made = module("def pipeline(ctx, world=None):\n    return [{'id': 'a'}]\n")
    options: dict[str, Any] = {"world": lambda: None} if what == "its world" else {}
    pipeline = made.pipeline if what == "its world" else lambda ctx: [{"id": "a"}]

    with pytest.raises(InputError, match=f"{what} cannot be imported by another process"):
        replayed(runner_of(pipeline, other_process=True, **options))
