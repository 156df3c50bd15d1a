"""The stage: one value per scope, failures remembered, everything torn down in the opposite order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from understudy.core.errors import UnderstudyError
from understudy.engine.stage import Resource, ResourceFailed, Scope, Stage

Log = list[str]


def thing(name: str, log: Log, scope: Scope = Scope.RUN, uses: Resource[str] | None = None) -> Resource[str]:
    """A resource that writes down when it is opened and closed."""

    @asynccontextmanager
    async def make(stage: Stage) -> AsyncIterator[str]:
        if uses is not None:
            await stage.get(uses)
        log.append(f"open {name}")
        try:
            yield f"value of {name}"
        finally:
            log.append(f"close {name}")

    return Resource(name, scope, make)


def test_a_resource_is_made_on_first_use_and_once() -> None:
    async def go() -> Log:
        log: Log = []
        stage = Stage()
        resource = thing("a", log)
        assert log == []
        values = await asyncio.gather(*(stage.narrower().narrower().get(resource) for _ in range(3)))
        assert values == ["value of a"] * 3
        await stage.aclose()
        return log

    assert asyncio.run(go()) == ["open a", "close a"]


@pytest.mark.parametrize(("scope", "opened"), [(Scope.RUN, 1), (Scope.WORKER, 2), (Scope.UNIT, 4)])
def test_every_scope_has_its_own_value(scope: Scope, opened: int) -> None:
    async def go() -> Log:
        log: Log = []
        run = Stage()
        for _ in range(2):
            worker = run.narrower()
            for _ in range(2):
                unit = worker.narrower()
                await unit.get(thing("a", log, scope))
                await unit.get(thing("a", log, scope))
                await unit.aclose()
            await worker.aclose()
        await run.aclose()
        return log

    log = asyncio.run(go())
    assert (log.count("open a"), log.count("close a")) == (opened, opened)


def test_what_was_made_last_is_torn_down_first() -> None:
    async def go() -> Log:
        log: Log = []
        stage = Stage()
        base = thing("base", log)
        await stage.get(thing("upper", log, uses=base))
        await stage.get(thing("beside", log))
        await stage.aclose()
        return log

    assert asyncio.run(go()) == [
        "open base",
        "open upper",
        "open beside",
        "close beside",
        "close upper",
        "close base",
    ]


def test_what_lives_long_cannot_use_what_lives_shorter() -> None:
    async def go() -> None:
        log: Log = []
        stage = Stage().narrower().narrower()
        with pytest.raises(UnderstudyError, match="'short' lives for one unit only") as caught:
            await stage.get(thing("long", log, Scope.WORKER, uses=thing("short", log, Scope.UNIT)))
        assert "whole worker" in str(caught.value)

    asyncio.run(go())


def failing(error: Exception, calls: Log) -> Resource[str]:
    @asynccontextmanager
    async def make(stage: Stage) -> AsyncIterator[str]:
        calls.append("try")
        raise error
        yield ""

    return Resource("broken", Scope.RUN, make)


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (OSError("no port"), ResourceFailed, "broken could not be made: no port"),
        (KeyError(), ResourceFailed, "broken could not be made: KeyError"),
        (UnderstudyError("it says why"), UnderstudyError, "it says why"),
    ],
)
def test_a_failure_is_remembered_and_told_to_everybody(
    error: Exception, kind: type[Exception], text: str
) -> None:
    async def go() -> None:
        calls: Log = []
        stage = Stage()
        resource = failing(error, calls)
        for _ in range(3):
            with pytest.raises(kind, match=text):
                await stage.get(resource)
        assert calls == ["try"]
        await stage.aclose()

    asyncio.run(go())


def slow(log: Log, begun: asyncio.Event, go_on: asyncio.Event) -> Resource[str]:
    @asynccontextmanager
    async def make(stage: Stage) -> AsyncIterator[str]:
        begun.set()
        try:
            await go_on.wait()
        except asyncio.CancelledError:
            log.append("given up")
            raise
        try:
            yield "at last"
        finally:
            log.append("close")

    return Resource("slow", Scope.RUN, make)


def test_a_case_that_is_cancelled_while_it_waits_does_not_cost_the_others_their_resource() -> None:
    async def go() -> Log:
        log: Log = []
        begun, go_on, stage = asyncio.Event(), asyncio.Event(), Stage()
        resource = slow(log, begun, go_on)
        first = asyncio.create_task(stage.get(resource))
        await begun.wait()
        second = asyncio.create_task(stage.get(resource))
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        go_on.set()
        assert await second == "at last"
        await stage.aclose()
        return log

    assert asyncio.run(go()) == ["close"]


def test_what_is_still_being_made_at_the_end_is_given_up() -> None:
    async def go() -> Log:
        log: Log = []
        begun, stage = asyncio.Event(), Stage()
        waiting = asyncio.create_task(stage.get(slow(log, begun, asyncio.Event())))
        await begun.wait()
        waiting.cancel()
        await stage.aclose()
        return log

    assert asyncio.run(go()) == ["given up"]


def closing(name: str, log: Log, fails: bool) -> Resource[str]:
    @asynccontextmanager
    async def make(stage: Stage) -> AsyncIterator[str]:
        yield name
        log.append(f"close {name}")
        if fails:
            raise OSError(f"{name} sticks")

    return Resource(name, Scope.RUN, make)


def test_a_teardown_that_fails_does_not_keep_the_others_from_theirs() -> None:
    async def go() -> Log:
        log: Log = []
        stage = Stage()
        for name, fails in (("a", False), ("b", True), ("c", False)):
            await stage.get(closing(name, log, fails))
        with pytest.raises(ResourceFailed, match="b could not be torn down: OSError: b sticks"):
            await stage.aclose()
        return log

    assert asyncio.run(go()) == ["close c", "close b", "close a"]


def test_a_worker_process_asks_for_what_the_whole_run_has_one_of() -> None:
    asked: Log = []

    async def ask(name: str) -> str:
        asked.append(name)
        return "from the parent"

    def make(stage: Stage) -> AbstractAsyncContextManager[str]:
        raise AssertionError("made here")

    async def go() -> str:
        unit = Stage(remote=ask).narrower().narrower()
        await unit.get(Resource("target", Scope.RUN, make))
        return await unit.get(Resource("target", Scope.RUN, make))

    assert asyncio.run(go()) == "from the parent"
    assert asked == ["target"]


def test_a_teardown_that_is_cancelled_does_not_keep_the_others_from_theirs() -> None:
    async def go() -> Log:
        log: Log = []
        stage, begun = Stage(), asyncio.Event()

        @asynccontextmanager
        async def make(stage: Stage) -> AsyncIterator[str]:
            yield ""
            begun.set()
            await asyncio.Event().wait()

        await stage.get(closing("first", log, fails=False))
        await stage.get(Resource("endless", Scope.RUN, make))
        closes = asyncio.create_task(stage.aclose())
        await begun.wait()
        closes.cancel()
        with pytest.raises(asyncio.CancelledError):
            await closes
        return log

    assert asyncio.run(go()) == ["close first"]


def test_what_was_given_up_is_not_begun_again() -> None:
    async def go() -> Log:
        log: Log = []
        begun, stage = asyncio.Event(), Stage()
        resource = slow(log, begun, asyncio.Event())
        waiting = asyncio.create_task(stage.get(resource))
        await begun.wait()
        waiting.cancel()
        await stage.get(thing("other", log))
        await stage.give_up()
        with pytest.raises(ResourceFailed, match="slow was given up before it was ready"):
            await stage.get(resource)
        assert await stage.get(thing("other", log)) == "value of other"
        await stage.aclose()
        return log

    assert asyncio.run(go()) == ["open other", "given up", "close other"]
