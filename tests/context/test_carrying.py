"""The context in use is found by whoever is called: also in tasks, and in the threads that it is carried into."""

from __future__ import annotations

import asyncio
import inspect
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from understudy.context import ExecutionContext, carry, current_context


def make(name: str) -> ExecutionContext:
    return ExecutionContext.create(name, "x")


def who() -> str:
    context = current_context()
    return context.initiated_by if context is not None else "nobody"


def test_there_is_none_until_one_is_used_and_none_afterwards() -> None:
    assert who() == "nobody"
    with make("ann").use() as context:
        assert current_context() is context
        with make("bob").use():
            assert who() == "bob"
        assert who() == "ann"
    assert who() == "nobody"


def test_an_error_puts_back_what_was_in_use() -> None:
    with pytest.raises(ZeroDivisionError), make("ann").use():
        raise ZeroDivisionError
    assert who() == "nobody"


def test_tasks_see_the_context_of_whoever_started_them_and_not_each_others() -> None:
    async def inner(name: str) -> tuple[str, str]:
        before = who()
        with make(name).use():
            await asyncio.sleep(0)
            return before, who()

    async def outer() -> list[tuple[str, str]]:
        with make("ann").use():
            found = await asyncio.gather(*(inner(f"task {number}") for number in range(20)))
            assert who() == "ann"
            return found

    assert asyncio.run(outer()) == [("ann", f"task {number}") for number in range(20)]


def test_a_thread_sees_none_unless_it_is_carried_there() -> None:
    with make("ann").use(), ThreadPoolExecutor(1) as pool:
        assert pool.submit(who).result() == "nobody"
        assert pool.submit(carry(who)).result() == "ann"
        assert pool.submit(who).result() == "nobody"  # the pool's thread goes back to what it had


def test_what_is_carried_is_what_was_in_use_then() -> None:
    with make("ann").use():
        carried = carry(who)
    with make("bob").use():
        assert carried() == "ann"
        assert who() == "bob"
    nobody = carry(who)
    with make("bob").use():
        assert nobody() == "nobody"


def test_a_carried_function_may_run_in_many_threads_at_once() -> None:
    begin = threading.Barrier(4)

    def wait() -> str:
        begin.wait(30)
        return who()

    with make("ann").use(), ThreadPoolExecutor(4) as pool:
        carried = carry(wait)
        assert [each.result() for each in [pool.submit(carried) for _ in range(4)]] == ["ann"] * 4


def test_a_coroutine_function_stays_one() -> None:
    async def work(suffix: str) -> str:
        """What it does."""
        await asyncio.sleep(0)
        return who() + suffix

    with make("ann").use():
        carried = carry(work)
    assert inspect.iscoroutinefunction(carried)
    assert (carried.__name__, carried.__doc__) == ("work", "What it does.")
    assert asyncio.run(carried("!")) == "ann!"
    assert who() == "nobody"
