"""The portal: blocking calls over coroutines, inside and outside of event loops."""

from __future__ import annotations

import asyncio
import contextvars
import os
import signal
import subprocess
import sys
import textwrap
import threading
import traceback
from typing import NoReturn

import pytest

from understudy.core.portal import THREAD_NAME, BlockingCallError, run_blocking

who: contextvars.ContextVar[str] = contextvars.ContextVar("who", default="nobody")


async def add(left: int, *, right: int) -> int:
    await asyncio.sleep(0)
    return left + right


def run_python(program: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-X", "dev", "-c", textwrap.dedent(program)]
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)


def test_a_coroutine_function_is_called_with_its_arguments_and_its_value_returned() -> None:
    assert run_blocking(add, 1, right=2) == 3


def test_it_works_inside_a_running_event_loop() -> None:
    async def outer() -> int:
        return run_blocking(add, 20, right=22)

    assert asyncio.run(outer()) == 42


def test_all_calls_share_one_daemon_thread_however_many_threads_call() -> None:
    async def thread_name() -> str:
        assert threading.current_thread().daemon
        return threading.current_thread().name

    names: list[str] = []
    threads = [threading.Thread(target=lambda: names.append(run_blocking(thread_name))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert names == [THREAD_NAME] * 8
    assert [thread.name for thread in threading.enumerate()].count(THREAD_NAME) == 1


def test_calls_of_several_threads_run_side_by_side() -> None:
    waiting = threading.Event()
    release: list[asyncio.Event] = []

    async def hold() -> str:
        release.append(asyncio.Event())
        waiting.set()
        await release[0].wait()
        return "released"

    async def let_go() -> None:
        release[0].set()

    results: list[str] = []
    holder = threading.Thread(target=lambda: results.append(run_blocking(hold)))
    holder.start()
    assert waiting.wait(10)
    run_blocking(let_go)
    holder.join(10)
    assert results == ["released"]


def test_an_error_is_raised_with_the_traceback_of_where_it_happened() -> None:
    async def deep_inside() -> NoReturn:
        raise ValueError("boom")

    async def outside() -> None:
        await deep_inside()

    with pytest.raises(ValueError, match="boom") as caught:
        run_blocking(outside)
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert names[0].startswith("test_an_error")
    assert names[-2:] == ["outside", "deep_inside"]


def test_wrong_arguments_are_the_callers_type_error() -> None:
    with pytest.raises(TypeError, match="right"):
        run_blocking(add, 1)  # type: ignore[call-arg]  # the mistake under test


def test_context_variables_of_the_caller_are_seen_and_not_changed() -> None:
    async def look_and_change() -> str:
        seen = who.get()
        who.set("coroutine")
        return seen

    token = who.set("caller")
    try:
        assert run_blocking(look_and_change) == "caller"
        assert who.get() == "caller"
    finally:
        who.reset(token)


def test_a_blocking_call_from_the_portal_thread_names_the_async_twin() -> None:
    async def run_async() -> int:
        return 1

    async def calls_blocking() -> int:
        return run_blocking(run_async)

    with pytest.raises(BlockingCallError, match=r"await run_async\(\.\.\.\)"):
        run_blocking(calls_blocking)


def test_a_worker_thread_of_a_coroutine_may_call_blocking_functions() -> None:
    async def outer() -> int:
        return await asyncio.to_thread(run_blocking, add, 1, right=1)

    assert run_blocking(outer) == 2


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, asyncio.CancelledError])
def test_what_ends_a_program_passes_through_and_leaves_the_portal_working(kind: type[BaseException]) -> None:
    async def end() -> None:
        raise kind

    async def end_in_a_task_below() -> None:
        await asyncio.create_task(end())

    for coroutine_function in (end, end_in_a_task_below):
        with pytest.raises(kind):
            run_blocking(coroutine_function)
    assert run_blocking(add, 1, right=2) == 3


def test_ctrl_c_cancels_the_coroutine_and_waits_for_its_clean_up() -> None:
    steps: list[str] = []

    async def interrupted() -> None:
        try:
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await asyncio.sleep(0.05)  # a clean-up takes its time
            steps.append("cleaned up")
            raise

    with pytest.raises(KeyboardInterrupt):
        run_blocking(interrupted)
    assert steps == ["cleaned up"]


def test_ctrl_c_is_raised_even_if_the_coroutine_swallows_the_cancellation() -> None:
    async def stubborn() -> str:
        os.kill(os.getpid(), signal.SIGINT)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "never mind"
        return "unreachable"

    with pytest.raises(KeyboardInterrupt):
        run_blocking(stubborn)


def test_a_clean_up_that_fails_after_ctrl_c_is_told_as_its_cause() -> None:
    async def messy() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        try:
            await asyncio.Event().wait()
        finally:
            raise OSError("cannot clean up")

    with pytest.raises(KeyboardInterrupt) as caught:
        run_blocking(messy)
    assert str(caught.value.__cause__) == "cannot clean up"


def test_a_forked_child_makes_its_own_portal() -> None:
    finished = run_python(
        """
        import os, sys
        from understudy.core.portal import run_blocking

        async def pid():
            return os.getpid()

        assert run_blocking(pid) == os.getpid()
        child = os.fork()
        if child == 0:
            assert run_blocking(pid) == os.getpid()
            sys.exit(7)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert run_blocking(pid) == os.getpid()
        print("child", status)
        """
    )
    # Newer versions of Python warn of a fork beside threads; that is the caller's doing, and not asked here.
    assert finished.stdout == "child 7\n", finished.stderr


def test_the_interpreter_ends_without_a_word_even_while_a_coroutine_runs() -> None:
    finished = run_python(
        """
        import asyncio, threading
        from understudy.core.portal import run_blocking

        started = threading.Event()

        async def for_ever():
            try:
                started.set()
                await asyncio.Event().wait()
            finally:
                print("cleaned up", flush=True)

        def call():
            try:
                run_blocking(for_ever)
            except asyncio.CancelledError:
                pass

        threading.Thread(target=call, daemon=True).start()
        started.wait()
        """
    )
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "cleaned up\n", "")


def test_importing_it_starts_no_thread() -> None:
    finished = run_python("import threading, understudy.core.portal; print(threading.active_count())")
    assert finished.stdout == "1\n"
