"""Calls that are foreseen: made in one cell without coming back, yet each lives and dies by itself."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from looping import in_a_loop
from understudy.engine.cells.cell import Call, CellDied, CellOverdue, CellPlan
from understudy.engine.cells.pool import CellPool
from waiting import wait_for

PLAN = CellPlan("engine.cell_servant:Servant", {}, memory=200)
PATIENCE = 60.0

ANN: Call = ("greet", ("ann",))
BOB: Call = ("greet", ("bob",))
CID: Call = ("greet", ("cid",))


@pytest.fixture(autouse=True)
def _servants_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))


@asynccontextmanager
async def foreseeing(*calls: Call, most: int = 1) -> AsyncIterator[Callable[..., Awaitable[list[Any]]]]:
    pool = CellPool(PLAN, most=most)
    pool.foresee(calls)

    async def make(call: Call, seconds: float = PATIENCE) -> list[Any]:
        method, arguments = call
        return [item async for item in pool.call(method, *arguments, seconds=seconds)]

    try:
        yield make
    finally:
        pool.close()


@in_a_loop
async def test_a_call_may_have_been_made_before_it_is_asked_for(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    async with foreseeing(ANN, touch := ("touch", (str(mark),))) as make:
        assert await make(ANN) == ["hello ann", "call 1"]
        wait_for(mark.exists)
        assert await make(touch) == [str(mark)]


@in_a_loop
async def test_they_are_answered_in_their_order_and_leave_the_cell_to_others() -> None:
    async with foreseeing(ANN, BOB) as make:
        assert await make(ANN) == ["hello ann", "call 1"]
        assert await make(BOB) == ["hello bob", "call 2"]
        assert await make(CID) == ["hello cid", "call 3"]


@pytest.mark.parametrize(
    ("last", "words"),
    [
        (("leave", (3,)), "ended with exit code 3"),
        (("loop_natively", ()), "ran longer than the 0.3 s allowed"),
        (("allocate", (100_000,)), "needs more than the 200 MiB"),
    ],
)
@in_a_loop
async def test_the_end_of_the_cell_is_told_of_the_call_that_was_it_and_of_no_other(
    last: Call, words: str
) -> None:
    async with foreseeing(ANN, last, BOB, CID) as make:
        assert await make(ANN) == ["hello ann", "call 1"]
        with pytest.raises(CellDied, match=words):
            await make(last, 0.3 if last[0] == "loop_natively" else PATIENCE)
        assert await make(BOB) == ["hello bob", "call 1"]
        assert await make(CID) == ["hello cid", "call 2"]


@in_a_loop
async def test_an_answer_arrives_though_the_call_behind_it_never_ends() -> None:
    async with foreseeing(ANN, ("loop_natively", ())) as make:
        assert await make(ANN) == ["hello ann", "call 1"]


@in_a_loop
async def test_what_a_call_raises_keeps_the_next_ones_from_nothing() -> None:
    async with foreseeing(failing := ("fail_after", (1, "key")), ANN) as make:
        with pytest.raises(KeyError):
            await make(failing)
        assert await make(ANN) == ["hello ann", "call 1"]


@in_a_loop
async def test_the_time_of_a_call_counts_from_its_own_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = asyncio.get_running_loop()
    late, time = 0.0, loop.time
    monkeypatch.setattr(loop, "time", lambda: time() + late)
    async with foreseeing(ANN, ("loop", ()), BOB) as make:
        await make(ANN)
        late = 2 * PATIENCE
        with pytest.raises(CellOverdue):
            await make(("loop", ()), 0.1)
        late = 4 * PATIENCE
        assert await make(BOB, PATIENCE) == ["hello bob", "call 1"]


@in_a_loop
async def test_a_call_that_is_given_up_costs_the_next_ones_nothing_but_the_cell() -> None:
    async with foreseeing(("loop", ()), ANN) as make:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await make(("loop", ()))
        assert await make(ANN) == ["hello ann", "call 1"]


@in_a_loop
async def test_a_call_that_nobody_makes_after_all_is_passed_over() -> None:
    async with foreseeing(ANN, BOB, CID) as make:
        assert await make(ANN) == ["hello ann", "call 1"]
        assert (await make(CID))[0] == "hello cid"
        assert (await make(BOB))[0] == "hello bob"


@in_a_loop
async def test_more_than_a_message_takes_arrives_whole_in_both_directions() -> None:
    large = [("repeat", (letter.encode() * (3 << 20),)) for letter in "abc"]
    async with foreseeing(*large) as make:
        for call in large:
            assert await make(call) == [call[1][0]]


@in_a_loop
async def test_a_cell_in_the_middle_of_a_call_ends_with_the_pool() -> None:
    pool = CellPool(PLAN, most=1)
    items = pool.call("process", seconds=PATIENCE)
    process = await anext(items)
    pool.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    await items.aclose()
