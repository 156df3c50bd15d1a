"""Whatever a pipeline is or does, its run ends, is logged, and says what was wrong."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import Queue
from typing import Any

import pytest

from understudy.context import ExecutionContext
from understudy.core.errors import InputError
from understudy.simulation.replay.runner import ReplayRunner
from understudy.simulation.replay.time_limit import PipelineTimeout

RunnerOf = Callable[..., ReplayRunner]
Objects = list[dict[str, Any]]


def test_what_a_first_run_raises_is_raised_and_logged(runner_of: RunnerOf) -> None:
    def pipeline(ctx: ExecutionContext) -> Objects:
        raise KeyError("no such feed")

    runner = runner_of(pipeline)
    with pytest.raises(KeyError, match="no such feed"):
        runner.run_first()

    (entry,) = runner.last_execution_log
    assert (entry["status"], entry["details"]["error"]) == ("failed", "KeyError: 'no such feed'")


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(3)])
def test_a_replay_that_raises_fails_with_what_and_where(error: BaseException, runner_of: RunnerOf) -> None:
    def pipeline(ctx: ExecutionContext) -> Objects:
        if ctx.is_replay:
            raise error
        return [{"id": "a"}]

    runner = runner_of(pipeline)
    with pytest.raises(AssertionError) as raised:
        runner.replay([], runner.run_first())

    said = str(raised.value)
    assert f"the replay raised {type(error).__name__}: {error} (at " in said
    assert f"test_execute.py:{pipeline.__code__.co_firstlineno + 2})" in said
    assert '1 id is missing: "a"' in said


def generator(ctx: ExecutionContext) -> Iterator[dict[str, Any]]:
    yield {"id": "a"}
    yield {"id": "b"}


async def async_generator(ctx: ExecutionContext) -> AsyncIterator[dict[str, Any]]:
    for name in "ab":
        await asyncio.sleep(0)
        yield {"id": name}


async def async_function(ctx: ExecutionContext) -> Objects:
    return [{"id": "a"}, {"id": "b"}]


async def of_a_generator(ctx: ExecutionContext) -> Iterator[dict[str, Any]]:
    return generator(ctx)


class WithCall:
    async def __call__(self, ctx: ExecutionContext) -> Objects:
        return [{"id": "a"}, {"id": "b"}]


class WithToDict:
    def __init__(self, name: str) -> None:
        self._name = name

    def to_dict(self) -> dict[str, Any]:
        return {"id": self._name}


SHAPES = {
    "a generator": generator,
    "an async generator": async_generator,
    "an async function": async_function,
    "a generator from an async function": of_a_generator,
    "a function that returns an awaitable": lambda ctx: async_function(ctx),
    "a function that returns an async generator": lambda ctx: async_generator(ctx),
    "a callable object": WithCall(),
    "a tuple": lambda ctx: ({"id": "a"}, {"id": "b"}),
    "a bundle": lambda ctx: {"type": "bundle", "objects": [{"id": "a"}, {"id": "b"}]},
    "objects with to_dict": lambda ctx: [WithToDict("a"), WithToDict("b")],
}


@pytest.mark.parametrize("timeout", [None, 30.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_pipeline_may_give_its_objects_in_many_ways(
    shape: str, timeout: float | None, runner_of: RunnerOf
) -> None:
    runner = runner_of(SHAPES[shape], compare="content", timeout=timeout)
    ids = runner.run_first()

    assert ids == ["a", "b"]
    assert runner.replay(runner.last_execution_log, ids).findings == ()


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (7, "the pipeline yielded a value of type int"),
        ("text", "the pipeline yielded a value of type str"),
        ({"id": "a"}, "the pipeline yielded a single object"),
        ([{"id": "a"}, 7], "a value of type int as object 2"),
    ],
)
def test_what_is_no_list_of_objects_is_refused(returned: Any, words: str, runner_of: RunnerOf) -> None:
    with pytest.raises(InputError, match=words):
        runner_of(lambda ctx: returned).run_first()


def test_nothing_at_all_is_no_success_where_contents_are_compared(runner_of: RunnerOf) -> None:
    runner = runner_of(lambda ctx: None, compare="content")
    assert runner.run_first() == []

    result = runner.replay(runner.last_execution_log, [], check=False)

    assert [finding.kind for finding in result.failing] == ["empty"]
    assert "the pipeline yielded nothing and wrote nothing, so that nothing was compared" in str(result)
    assert "note: <lambda> returned None, so only what it wrote was compared" in str(result)


def test_none_with_writes_is_judged_by_its_writes(runner_of: RunnerOf) -> None:
    def pipeline(ctx: ExecutionContext) -> None:
        ctx.record("send", kind="write", target_ref="ada", content="hello")

    runner = runner_of(pipeline, compare="content")
    runner.run_first()

    assert runner.replay(runner.last_execution_log, []).ok


def test_a_generator_that_never_ends_is_stopped_and_closed(runner_of: RunnerOf) -> None:
    closed: list[str] = []

    def endless(ctx: ExecutionContext) -> Iterator[dict[str, Any]]:
        try:
            while True:
                yield {"id": "a"}
        finally:
            closed.append("plain")

    async def endless_async(ctx: ExecutionContext) -> AsyncIterator[dict[str, Any]]:
        try:
            while True:
                yield {"id": "a"}
        finally:
            closed.append("async")

    kept: list[Any] = []  # so that nothing but the runner closes them
    for pipeline in (endless, endless_async):

        def keeping(ctx: ExecutionContext, pipeline: Callable[..., Any] = pipeline) -> Any:
            kept.append(pipeline(ctx))
            return kept[-1]

        with pytest.raises(InputError, match="more than 50 objects and was stopped"):
            runner_of(keeping, max_objects=50).run_first()
    assert closed == ["plain", "async"]


@pytest.mark.parametrize("kind", ["blocking", "async", "async that blocks"])
def test_a_pipeline_that_hangs_is_given_up(kind: str, runner_of: RunnerOf) -> None:
    release = threading.Event()

    def blocking(ctx: ExecutionContext) -> Objects:
        release.wait(30)
        return []

    async def waiting(ctx: ExecutionContext) -> Objects:
        await asyncio.Event().wait()
        return []

    async def stuck(ctx: ExecutionContext) -> Objects:
        return blocking(ctx)

    pipeline = {"blocking": blocking, "async": waiting, "async that blocks": stuck}[kind]
    runner = runner_of(pipeline, timeout=0.05)
    try:
        with pytest.raises(PipelineTimeout, match=r"ran longer than the 0.05 s allowed"):
            runner.run_first()
        assert runner.last_execution_log[-1]["status"] == "failed"
    finally:
        release.set()


def test_an_async_pipeline_that_takes_too_long_is_cancelled_and_not_left_behind(runner_of: RunnerOf) -> None:
    ended: list[str] = []

    async def pipeline(ctx: ExecutionContext) -> Objects:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")
        return []

    with pytest.raises(PipelineTimeout, match=r"^pipeline ran longer than the 0.05 s allowed$"):
        runner_of(pipeline, timeout=0.05).run_first()
    assert ended == ["cancelled"]


def test_threads_that_are_left_behind_are_told_and_those_of_idle_pools_are_not(runner_of: RunnerOf) -> None:
    release = threading.Event()
    left: list[threading.Thread] = []

    def pipeline(ctx: ExecutionContext) -> Objects:
        thread = threading.Thread(target=release.wait, args=(30,))
        thread.start()
        left.append(thread)
        return [{"id": "a"}]

    async def pooled(ctx: ExecutionContext) -> Objects:
        return await asyncio.to_thread(lambda: [{"id": "a"}])

    runner = runner_of(pipeline)
    try:
        runner.run_first()
    finally:
        release.set()
        for thread in left:
            thread.join()

    assert runner.first_run is not None
    (note,) = runner.first_run.notes
    assert f"test_execute.py:{pipeline.__code__.co_firstlineno + 2} started was still running" in note
    quiet = runner_of(pooled)
    quiet.run_first()
    assert quiet.first_run is not None
    assert quiet.first_run.notes == ()


def test_a_change_in_something_very_deep_is_told_all_the_same(runner_of: RunnerOf) -> None:
    def pipeline(ctx: ExecutionContext) -> Objects:
        deep: Any = ctx.is_replay
        for _ in range(5_000):
            deep = {"in": deep}
        return [{"id": "d", "deep": deep}]

    runner = runner_of(pipeline)
    (changed,) = runner.replay([], runner.run_first()).changed

    assert str(changed) == "d has changed, and is nested too deeply to say where"


def test_cyclic_and_odd_values_are_compared_by_what_they_hold(runner_of: RunnerOf) -> None:
    def pipeline(ctx: ExecutionContext) -> Objects:
        loop: dict[str, Any] = {"id": "a", "raw": b"\x00", "tags": {"x", "y"}, "of": object()}
        loop["itself"] = loop
        deep: Any = {}
        for _ in range(5_000):
            deep = {"in": deep}
        return [loop, {"id": 7}, {"id": None}, {"id": "d", "deep": deep}]

    runner = runner_of(pipeline, compare="content")
    ids = runner.run_first()

    assert ids == ["a", 7, None, "d"]
    assert runner.replay(runner.last_execution_log, ids).findings == ()


@pytest.mark.parametrize("is_own", [False, True], ids=["the pool's work", "the pipeline's work"])
def test_a_pool_that_hands_over_what_was_done_is_not_told_unless_the_pipeline_works_on(
    runner_of: RunnerOf, is_own: bool
) -> None:
    full: Queue[Any] = Queue(1)
    full.put("full")
    release, at_work = threading.Event(), threading.Event()

    def keep(future: Any) -> None:
        at_work.set()
        full.put(future)

    def pipeline(ctx: ExecutionContext) -> Objects:
        future = pool.submit(release.wait, 30)
        future.add_done_callback(keep if is_own else full.put)
        release.set()
        assert future.result(30)
        assert not is_own or at_work.wait(30)
        return [{"id": "a"}]

    with ThreadPoolExecutor(1) as pool:
        runner = runner_of(pipeline)
        runner.run_first()
        full.get()

    assert runner.first_run is not None
    assert len(runner.first_run.notes) == int(is_own)
