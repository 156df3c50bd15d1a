"""A pipeline is run and replayed: what it did differently is found, named with its cause, and raised or returned."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from understudy.context import ExecutionContext, MemoryLog, current_context
from understudy.core.errors import InputError
from understudy.simulation import SimulationConnector
from understudy.simulation.replay.result import ReplayResult
from understudy.simulation.replay.runner import ReplayRunner

WriteModule = Callable[..., ModuleType]
RunnerOf = Callable[..., ReplayRunner]
TOOL = {"type": "tool", "id": "tool--1", "name": "nmap"}


def replayed(runner: ReplayRunner, **options: Any) -> ReplayResult:
    """A first run and its replay, as a result."""
    ids = runner.run_first()
    return runner.replay(runner.last_execution_log, ids, **{"check": False, **options})


def feed() -> SimulationConnector:
    return SimulationConnector([TOOL], name="feed")


def test_the_first_run_gives_the_ids_of_the_objects_that_have_one(runner_of: RunnerOf) -> None:
    runner = runner_of(lambda ctx: [{"id": "a"}, {"type": "tool"}, {"id": "b"}])

    assert runner.run_first(workspace_id="test-ws") == ["a", "b"]
    assert runner.first_run is not None
    assert runner.first_run.count == 3


def test_the_run_is_logged_whether_or_not_the_pipeline_touches_its_context(runner_of: RunnerOf) -> None:
    runner = runner_of(lambda ctx: [TOOL])
    runner.run_first(workspace_id="test-ws")

    (entry,) = runner.last_execution_log
    assert (entry["kind"], entry["status"], entry["workspace_id"]) == ("run", "ok", "test-ws")
    assert (entry["initiated_by"], entry["domain"]) == ("test-replay-runner", "ingestion")
    assert entry["details"] == {"objects": 1}


def test_what_connectors_and_children_of_the_context_do_is_in_the_log(runner_of: RunnerOf) -> None:
    def pipeline(ctx: ExecutionContext) -> list[dict[str, Any]]:
        ctx.child(initiated_by="enricher").record("enrich", kind="call", target_ref="tool--1")
        connector = feed()
        connector.upsert_object({**TOOL, "id": "tool--2"})
        return connector.list_objects()

    runner = runner_of(pipeline)
    runner.run_first()

    assert [(entry["operation"], entry["kind"]) for entry in runner.last_execution_log] == [
        ("enrich", "call"),
        ("upsert_object", "write"),
        ("list_objects", "read"),
        ("run", "run"),
    ]


def test_the_log_is_passed_on_to_the_one_that_is_given(runner_of: RunnerOf) -> None:
    kept = MemoryLog()
    runner = runner_of(lambda ctx: [TOOL], log=kept)
    runner.run_first()

    assert len(kept.query(runner.last_execution_log[0]["context_id"])) == 1


def test_the_replay_has_a_context_that_says_so_in_the_workspace_of_the_log(runner_of: RunnerOf) -> None:
    seen: list[ExecutionContext] = []

    def pipeline(ctx: ExecutionContext) -> list[dict[str, Any]]:
        assert current_context() is ctx
        seen.append(ctx)
        return [TOOL]

    runner = runner_of(pipeline)
    runner.run_first(workspace_id="test-ws")
    runner.replay(runner.last_execution_log, ["tool--1"])

    assert [(ctx.is_replay, ctx.workspace_id) for ctx in seen] == [(False, "test-ws"), (True, "test-ws")]
    assert current_context() is None


def test_the_same_again_is_a_good_result(runner_of: RunnerOf) -> None:
    result = replayed(runner_of(lambda ctx: [TOOL], compare="content"), check=True)

    assert (result.ok, result.findings, result.causes) == (True, (), ())
    assert str(result) == "<lambda> did the same again"


def test_a_missing_id_raises_with_what_was_removed_and_what_was_added(runner_of: RunnerOf) -> None:
    names = iter(["a", "b"])
    runner = runner_of(lambda ctx: [{"id": "same"}, {"id": next(names)}])
    ids = runner.run_first()

    with pytest.raises(AssertionError) as raised:
        runner.replay(runner.last_execution_log, ids)

    text = str(raised.value)
    assert text.startswith('Replay of <lambda> produced different STIX IDs:\n1) 1 id is missing: "a"\n')
    assert "     -a\n     +b" in text
    assert '2) 1 id was added: "b"' in text


def test_the_result_has_what_is_missing_and_added(runner_of: RunnerOf) -> None:
    names = iter(["abc", "bcd"])
    result = replayed(runner_of(lambda ctx: [{"id": name} for name in next(names)]))

    assert (result.ok, result.missing, result.added) == (False, ("a",), ("d",))


def test_ids_that_are_only_added_do_not_fail_unless_contents_are_compared(runner_of: RunnerOf) -> None:
    def pipeline(ctx: ExecutionContext) -> list[dict[str, Any]]:
        return [TOOL, *([{"id": "tool--2"}] if ctx.is_replay else [])]

    result = replayed(runner_of(pipeline), check=True)
    assert (result.ok, result.added) == (True, ("tool--2",))
    with pytest.raises(AssertionError, match='1 id was added: "tool--2"'):
        replayed(runner_of(pipeline, compare="content"), check=True)


def test_changed_contents_are_told_with_path_and_values_and_fail_if_that_was_asked_for(
    runner_of: RunnerOf,
) -> None:
    def pipeline(ctx: ExecutionContext) -> list[dict[str, Any]]:
        return [{**TOOL, "labels": ["seen", "again" if ctx.is_replay else "first"]}]

    result = replayed(runner_of(pipeline), check=True)
    (changed,) = result.changed
    assert result.ok
    assert str(changed) == 'tool--1 has changed at $.labels[1]: expected "first", got "again"'
    with pytest.raises(AssertionError, match=r"\$\.labels\[1\]: expected \"first\", got \"again\""):
        replayed(runner_of(pipeline, compare="content"), check=True)


def test_another_order_counts_where_it_is_declared(runner_of: RunnerOf) -> None:
    def pipeline(ctx: ExecutionContext) -> list[dict[str, Any]]:
        return [{"id": name} for name in ("ba" if ctx.is_replay else "ab")]

    assert replayed(runner_of(pipeline, compare="content"), check=True).findings == ()
    with pytest.raises(AssertionError, match='the order is another one: object 1 was "a", is "b"'):
        replayed(runner_of(pipeline, ordered=True), check=True)


def test_an_object_that_comes_twice_is_told(runner_of: RunnerOf) -> None:
    result = replayed(runner_of(lambda ctx: [TOOL] * (2 if ctx.is_replay else 1)))

    assert [finding.message for finding in result.findings] == [
        '"tool--1" was yielded 2 times, and once in the first run'
    ]


def test_what_is_told_stays_short_enough_to_be_read(runner_of: RunnerOf) -> None:
    result = replayed(runner_of(lambda ctx: [{"id": str(n), "again": ctx.is_replay} for n in range(1_000)]))

    lines = str(result).splitlines()
    assert lines[1] == "1) 0 has changed at $.again: expected false, got true"
    assert lines[2].startswith("2) 1 has changed"), "what the message says is not said again as a diff"
    assert lines[51] == "and 151 more"


def test_objects_without_an_id_are_counted(runner_of: RunnerOf) -> None:
    result = replayed(runner_of(lambda ctx: [{"type": "tool"}] * (1 if ctx.is_replay else 2)))

    assert "1 object without an id, and 2 in the first run" in [str(finding) for finding in result.findings]


def test_a_world_is_shared_by_the_first_run_and_its_replay(runner_of: RunnerOf) -> None:
    def pipeline(ctx: ExecutionContext, connector: SimulationConnector) -> list[dict[str, Any]]:
        if not ctx.is_replay:
            connector.upsert_object({**TOOL, "id": "tool--2"})
        return connector.list_objects()

    runner = runner_of(pipeline, world=feed, compare="content")

    assert runner.run_first() == ["tool--1", "tool--2"]
    assert runner.run_first() == ["tool--1", "tool--2"]  # in a world of its own
    assert runner.replay(runner.last_execution_log, ["tool--1", "tool--2"]).ok


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"target_ref": "tool--1", "content": {"a": 1}}, ""),
        ({"target_ref": "tool--2", "content": {"a": 1}}, "the first run did not make it"),
        ({"target_ref": "tool--1", "content": {"a": 2}}, "the first run wrote something else there"),
        ({"target_ref": "", "content": {"a": 1}}, "it has no key, so that it is there twice now"),
        ({"target_ref": "tool--2", "content": {"a": 1}, "status": "suppressed"}, ""),
        ({"target_ref": "tool--2", "content": {"a": 1}, "status": "error"}, ""),
    ],
)
def test_a_replayed_write_must_be_suppressed_or_idempotent(
    entry: dict[str, Any], words: str, runner_of: RunnerOf
) -> None:
    def pipeline(ctx: ExecutionContext) -> list[dict[str, Any]]:
        said = entry if ctx.is_replay else {"target_ref": "tool--1", "content": {"a": 1}}
        ctx.record("upsert_object", subject="feed", kind="write", **said)
        return [TOOL]

    result = replayed(runner_of(pipeline))

    assert [words in str(finding) for finding in result.writes] == ([True] if words else [])
    assert replayed(runner_of(pipeline, compare="content")).ok is not bool(words)


@pytest.mark.parametrize("whose", ["made in the run", "from before", "of the first run", "a child's"])
def test_what_is_written_for_another_context_is_in_the_ledger_all_the_same(
    runner_of: RunnerOf, whose: str
) -> None:
    sink = SimulationConnector(name="sink", context=ExecutionContext.create("before", "test"))

    def pipeline(ctx: ExecutionContext) -> list[dict[str, Any]]:
        if whose == "made in the run":
            sink._context = ExecutionContext.create("within", "test", max_budget_units=1)
        elif whose == "a child's":
            sink._context = ctx.child()
        elif whose == "of the first run" and not ctx.is_replay:
            sink._context = ctx
        sink.upsert_object({"type": "note"})
        assert sink._context is not None
        assert sink._context.budget.used >= 1
        return [TOOL]

    runner = runner_of(pipeline)
    result = replayed(runner)

    assert [write.name for write in result.first.writes] == ["sink.upsert_object()"]
    assert [write.name for write in result.again.writes] == ["sink.upsert_object()"]
    assert "the replay made write 1, sink.upsert_object()" in str(result)


def test_a_write_that_says_it_is_not_idempotent_must_be_suppressed(runner_of: RunnerOf) -> None:
    def pipeline(ctx: ExecutionContext) -> list[dict[str, Any]]:
        details = {"idempotent": False}
        ctx.record("send", subject="mail", kind="write", target_ref="ada", content="hello", details=details)
        return [TOOL]

    (finding,) = replayed(runner_of(pipeline)).writes

    assert "the replay made write 1, mail.send(ada)" in str(finding)
    assert "it is not idempotent, so that it has happened twice now" in str(finding)


def test_a_replay_that_writes_more_often_than_the_first_run_is_told(runner_of: RunnerOf) -> None:
    def pipeline(ctx: ExecutionContext) -> list[dict[str, Any]]:
        for _ in range(2 if ctx.is_replay else 1):
            ctx.record("upsert_object", subject="feed", kind="write", target_ref="tool--1", content=TOOL)
        return [TOOL]

    (finding,) = replayed(runner_of(pipeline)).writes

    assert "write 2, feed.upsert_object(tool--1)" in str(finding)
    assert "more often than in the first run" in str(finding)


def test_one_run_that_writes_the_same_twice_is_told_with_both_lines(
    module: WriteModule, runner_of: RunnerOf
) -> None:
    made = module(
        """
        def pipeline(ctx, connector):
            if not ctx.is_replay:
                connector.upsert_object({"id": "tool--2"})
                connector.upsert_object({"id": "tool--3"})
                connector.upsert_object({"id": "tool--2"})
            return connector.list_objects()
        """
    )
    name = f"{made.__name__}.py"

    (finding,) = replayed(runner_of(made.pipeline, world=feed)).writes

    assert finding.message == (
        f"one run wrote the same twice: write 1, feed.upsert_object(tool--2) at {name}:3, "
        f"and again as write 3 at {name}:5"
    )
    assert (finding.site, finding.is_own) == (f"{name}:5", True)


def test_writing_something_else_in_between_is_no_double_write(runner_of: RunnerOf) -> None:
    def pipeline(ctx: ExecutionContext, connector: SimulationConnector) -> list[dict[str, Any]]:
        if not ctx.is_replay:
            connector.upsert_object(TOOL)
            connector.delete_object("tool--1")
            connector.upsert_object(TOOL)
        return connector.list_objects()

    assert replayed(runner_of(pipeline, world=feed)).findings == ()


def test_the_log_that_is_given_counts_and_not_what_the_runner_remembers(runner_of: RunnerOf) -> None:
    def pipeline(ctx: ExecutionContext, connector: SimulationConnector) -> list[dict[str, Any]]:
        connector.upsert_object(TOOL)
        return connector.list_objects()

    first, second = runner_of(pipeline, world=feed), runner_of(pipeline, world=feed)
    ids = first.run_first()

    assert second.replay(first.last_execution_log, ids).findings == ()
    assert [finding.kind for finding in second.replay([], ids).findings] == ["write"]
    assert second.replay([], ["tool--9"], check=False).missing == ("tool--9",)


def test_the_cause_of_a_difference_is_named_by_its_line(module: WriteModule, runner_of: RunnerOf) -> None:
    made = module(
        """
        import os, random, time
        from datetime import datetime

        def pipeline(ctx):
            started = time.perf_counter()
            zone = os.environ.get("TZ")
            stamp = datetime.now().isoformat()
            return [{"id": f"tool--{stamp}"}]
        """
    )
    result = replayed(runner_of(made.pipeline))

    assert [str(cause) for cause in result.causes] == [
        f"{made.__name__}.py:7 reads datetime.now()",
        f"{made.__name__}.py:5 reads time.perf_counter()",
    ]
    assert f"likely causes:\n  {made.__name__}.py:7 reads datetime.now()" in str(result)


def test_the_id_of_the_context_is_a_cause_that_nobody_has_to_read(
    module: WriteModule, runner_of: RunnerOf
) -> None:
    made = module("def pipeline(ctx):\n    return [{'id': f'run--{ctx.context_id}'}]\n")

    (cause,) = replayed(runner_of(made.pipeline)).causes

    assert str(cause) == f"{made.__name__}.py:1 reads ctx.context_id"


def test_without_causes_nothing_is_listened_to(module: WriteModule, runner_of: RunnerOf) -> None:
    made = module("import random\ndef pipeline(ctx):\n    return [{'id': str(random.random())}]\n")

    result = replayed(runner_of(made.pipeline, find_causes=False))

    assert (result.ok, result.causes) == (False, ())


def test_imposed_sources_make_a_pipeline_the_same_again(module: WriteModule, runner_of: RunnerOf) -> None:
    from understudy.simulation.replay.deterministic import Deterministic

    made = module(
        """
        import random, time, uuid
        from datetime import datetime
        def pipeline(ctx):
            return [{"id": str(uuid.uuid4()), "n": random.random(), "t": time.time(), "at": str(datetime.now())}]
        """
    )
    runner = runner_of(made.pipeline, impose=Deterministic(seed=7), compare="content")

    assert replayed(runner, check=True).findings == ()
    assert runner.run_first() == runner.run_first()
    assert runner.run_first() != runner_of(made.pipeline, impose=Deterministic(seed=8)).run_first()


def test_async_pipelines_are_run_from_blocking_and_from_async_code(runner_of: RunnerOf) -> None:
    async def pipeline(ctx: ExecutionContext) -> list[dict[str, Any]]:
        await asyncio.sleep(0)
        assert current_context() is ctx
        return [TOOL, *([] if ctx.is_replay else [{"id": "tool--2"}])]

    async def in_async() -> ReplayResult:
        runner = runner_of(pipeline)
        ids = await runner.run_first_async()
        assert runner.last_execution_log[-1]["operation"] == "run"
        with pytest.raises(AssertionError, match="tool--2"):
            await runner.replay_async(runner.last_execution_log, ids)
        return await runner.replay_async(runner.last_execution_log, ids, check=False)

    assert replayed(runner_of(pipeline)).missing == ("tool--2",)
    assert asyncio.run(in_async()).missing == ("tool--2",)


def test_a_blocking_pipeline_does_not_block_async_code(runner_of: RunnerOf) -> None:
    async def both() -> list[str]:
        free = asyncio.Event()
        loop = asyncio.get_running_loop()

        def pipeline(ctx: ExecutionContext) -> list[dict[str, Any]]:
            asyncio.run_coroutine_threadsafe(_set(free), loop).result(30)
            return [TOOL]

        return await runner_of(pipeline).run_first_async()

    async def _set(event: asyncio.Event) -> None:
        event.set()

    assert asyncio.run(both()) == ["tool--1"]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ReplayRunner("pipeline"), "it is a str, and no function of a context"),  # type: ignore[arg-type]
        (lambda: ReplayRunner(lambda *, ctx: []), r"cannot be called with the context: too many positional"),
        (lambda: ReplayRunner(lambda ctx: [], world=dict), "cannot be called with the context and the world"),
        (lambda: ReplayRunner(lambda ctx: [], compare="all"), "neither 'ids' nor 'content'"),  # type: ignore[arg-type]
        (lambda: ReplayRunner(lambda ctx: []).replay("log", []), "a list of entries"),  # type: ignore[arg-type]
        (lambda: ReplayRunner(lambda ctx: []).replay(None, []), "a list of entries"),  # type: ignore[arg-type]
        (lambda: ReplayRunner(lambda ctx: []).replay([], "tool--1"), '="tool--1" is no list of ids'),
        (lambda: ReplayRunner(lambda ctx: []).replay([], None), "=null is no list of ids"),  # type: ignore[arg-type]
        (lambda: ReplayRunner(lambda ctx: []).replay([], [TOOL]), "is no list of ids"),  # type: ignore[list-item]
        (lambda: ReplayRunner(lambda ctx: [], compare="content").replay([], []), "call run_first"),
    ],
)
def test_what_cannot_be_run_is_refused_before_it_is(make: Callable[[], object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        make()
