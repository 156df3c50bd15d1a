"""Cells: what is called in them comes back, and what they do not survive is said; the next one is as good as new."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from understudy.engine.cells.cell import Cell, CellDied, CellPlan
from understudy.engine.cells.pool import CellPool
from understudy.engine.cells.process import CellProcess
from waiting import wait_for

PLAN = CellPlan("engine.cell_servant:Servant", {}, memory=200)
PATIENCE = 30.0


@pytest.fixture(autouse=True)
def _servants_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))


@pytest.fixture
def cell() -> Iterator[Cell]:
    cell = Cell(PLAN)
    yield cell
    cell.kill()


def called(cell: Cell, method: str, *arguments: Any, seconds: float = PATIENCE) -> list[Any]:
    return list(cell.call(method, *arguments, seconds=seconds))


async def called_async(
    owner: Cell | CellPool, method: str, *arguments: Any, seconds: float = PATIENCE
) -> list[Any]:
    call = owner.call_async if isinstance(owner, Cell) else owner.call
    return [item async for item in call(method, *arguments, seconds=seconds)]


def test_a_servant_is_made_once_and_answers_blocking_and_async_code_alike(cell: Cell) -> None:
    assert called(cell, "greet", "ann") == ["hello ann", "call 1"]
    assert asyncio.run(called_async(cell, "greet", "bob")) == ["hello bob", "call 2"]
    assert called(cell, "greet", "cid") == ["hello cid", "call 3"]


def test_messages_larger_than_a_socket_takes_at_once_arrive_whole(cell: Cell) -> None:
    assert called(cell, "echo", b"x" * (8 << 20)) == [8 << 20]
    assert asyncio.run(called_async(cell, "echo", b"x" * (8 << 20))) == [8 << 20]


def test_a_plan_can_give_its_process_variables_of_its_own() -> None:
    cell = Cell(CellPlan(PLAN.servant, {}, environment={"PYTHONHASHSEED": "7"}))
    try:
        assert called(cell, "variable", "PYTHONHASHSEED") == ["7"]
        assert called(cell, "variable", "PATH") == [os.environ["PATH"]]
    finally:
        cell.kill()


@pytest.mark.parametrize(
    ("kind", "error", "words"), [("key", KeyError, "x"), ("odd", RuntimeError, "of its own make")]
)
def test_what_a_call_raises_is_raised_after_what_it_yielded(
    cell: Cell, kind: str, error: type[Exception], words: str
) -> None:
    calls = cell.call("fail_after", 1, kind, seconds=PATIENCE)
    assert next(calls) == 1
    with pytest.raises(error, match=words):
        next(calls)
    assert called(cell, "greet", "ann")[0] == "hello ann"


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize(
    ("method", "arguments", "seconds", "words"),
    [
        ("loop", (), 0.3, "killed: it ran longer than the 0.3 s allowed"),
        ("allocate", (100_000,), PATIENCE, "needs more than the 200 MiB of memory allowed"),
        ("leave", (3,), PATIENCE, "ended with exit code 3"),
        ("die", (signal.SIGKILL,), PATIENCE, "ended by SIGKILL"),
        ("die", (signal.SIGSEGV,), PATIENCE, "nested too deeply"),
    ],
)
def test_a_call_that_a_cell_does_not_survive_says_why(
    cell: Cell, method: str, arguments: tuple[Any, ...], seconds: float, words: str, is_async: bool
) -> None:
    def call() -> list[Any]:
        if is_async:
            return asyncio.run(called_async(cell, method, *arguments, seconds=seconds))
        return called(cell, method, *arguments, seconds=seconds)

    with pytest.raises(CellDied, match=words):
        call()
    assert not cell.is_alive


def test_memory_is_counted_from_what_the_process_has_when_it_is_ready(cell: Cell) -> None:
    assert called(cell, "allocate", 100) == [100 << 20]


def test_a_servant_that_cannot_be_made_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for plan in (CellPlan(PLAN.servant, {"greeting": "refuse"}), CellPlan("no.such:Servant")):
        with pytest.raises(CellDied, match="could not start: "):
            called(Cell(plan), "greet", "ann")


def test_a_call_that_is_given_up_ends_the_process(cell: Cell) -> None:
    async def give_up() -> None:
        async with asyncio.timeout(0.1):
            await called_async(cell, "loop")

    (process,) = called(cell, "process")
    with pytest.raises(TimeoutError):
        asyncio.run(give_up())
    assert not cell.is_alive
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_a_pool_reuses_what_is_idle_starts_what_is_needed_and_replaces_what_died() -> None:
    async def work() -> None:
        pool = CellPool(PLAN, most=2)
        try:
            first = await called_async(pool, "process")
            assert await called_async(pool, "process") == first
            together = await asyncio.gather(*(called_async(pool, "greet", name) for name in "abcdef"))
            assert [greeting for greeting, _ in together] == [f"hello {name}" for name in "abcdef"]
            with pytest.raises(CellDied):
                await called_async(pool, "leave", 1)
            assert (await called_async(pool, "greet", "z"))[0] == "hello z"
        finally:
            pool.close()

    asyncio.run(work())


def test_the_process_ends_with_its_owner(cell: Cell) -> None:
    (process,) = called(cell, "process")
    cell._end.close()  # as when the owner dies
    assert cell._child.process.wait(PATIENCE) == 0
    assert process == cell._child.process.pid


def test_a_process_can_start_before_its_plan_is_known() -> None:
    for preload in ("engine.cell_servant", "no.such.module"):
        cell = Cell(PLAN, CellProcess(preload=preload))
        assert called(cell, "process") == [cell._child.process.pid]
        cell.kill()


def test_a_process_that_is_never_given_a_plan_ends_with_its_owner() -> None:
    started = CellProcess()
    process = started.process
    del started
    assert process.wait(PATIENCE) == -signal.SIGKILL


OWNER = """
from understudy.engine.cells.cell import Cell, CellPlan
cell = Cell(CellPlan("engine.cell_servant:Servant", {}))
print(*cell.call("process", seconds=60), flush=True)
list(cell.call("METHOD", seconds=600))
"""


@pytest.mark.parametrize("method", ["loop", "loop_natively"])
def test_a_call_that_never_ends_ends_with_an_owner_that_is_killed(method: str) -> None:
    command = [sys.executable, "-c", OWNER.replace("METHOD", method)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        process = int(owner.stdout.readline())
        wait_for(lambda: _seconds_used(process) > 0.5)
        owner.kill()
    wait_for(lambda: not Path(f"/proc/{process}").exists() or _state(process) == "Z")


STARTING = """
from understudy.engine.cells.cell import Cell, CellPlan
cell = Cell(CellPlan("engine.cell_servant:Servant", {}))
print(*cell.call("start_another", seconds=60), flush=True)
list(cell.call("loop", seconds=600))
"""


def test_what_a_cell_started_ends_with_an_owner_that_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", STARTING], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        started = int(owner.stdout.readline())
        owner.kill()
    wait_for(lambda: _state(started) == "Z")


def test_what_a_cell_started_ends_with_it_when_it_leaves_by_itself(cell: Cell, tmp_path: Path) -> None:
    with pytest.raises(CellDied, match="ended with exit code 3"):
        called(cell, "start_another_and_leave", str(tmp_path / "pid"))
    started = int((tmp_path / "pid").read_text())
    wait_for(lambda: _state(started) == "Z")


def _stat(process: int) -> list[str]:
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()


def _seconds_used(process: int) -> float:
    return int(_stat(process)[11]) / os.sysconf("SC_CLK_TCK")


def _state(process: int) -> str:
    try:
        return _stat(process)[0]
    except OSError:
        return "Z"
