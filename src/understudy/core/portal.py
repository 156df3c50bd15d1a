"""The one bridge from blocking to async code: every blocking function of ours is a thin twin over it."""

from __future__ import annotations

import asyncio
import atexit
import os
import sys
import threading
from collections.abc import Awaitable, Callable
from typing import Any, ParamSpec, TypeVar, cast

from understudy.core.errors import UnderstudyError

P = ParamSpec("P")
T = TypeVar("T")

THREAD_NAME = "understudy-portal"
EXIT_PATIENCE = 5.0

if sys.platform == "win32":
    _SystemLoop = asyncio.ProactorEventLoop
else:
    _SystemLoop = asyncio.SelectorEventLoop


class BlockingCallError(UnderstudyError, RuntimeError):
    """A blocking function was called where it would wait for itself for ever."""


def run_blocking(coroutine_function: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a coroutine function from blocking code, with or without an event loop running around it.

    It runs in the portal's own thread and sees a copy of the caller's context variables. Ctrl-C cancels it,
    waits for its clean-up (a second Ctrl-C does not) and is raised here.

    >>> async def double(number: int) -> int:
    ...     return 2 * number
    >>> run_blocking(double, 21)
    42
    """
    portal = _the_portal()
    if portal.is_current_thread():
        name = getattr(coroutine_function, "__name__", repr(coroutine_function))
        raise BlockingCallError(
            f"a blocking function was called from async code that itself runs in the portal thread, "
            f"and would wait for ever; use its async twin there: await {name}(...)"
        )
    return portal.call(lambda: coroutine_function(*args, **kwargs))


class _Call:
    """One coroutine on its way through the portal: its task, and what came of it."""

    def __init__(self, start: Callable[[], Awaitable[Any]]) -> None:
        self._start = start
        self._task: asyncio.Task[None] | None = None
        self._given_up = False
        self.done = threading.Event()
        self.value: Any = None
        self.error: BaseException | None = None

    def begin(self) -> None:
        """Start the coroutine; called in the portal thread."""
        if not self._given_up:
            self._task = asyncio.get_running_loop().create_task(self._run())
            self._task.add_done_callback(self._finish)

    def give_up(self) -> None:
        """Cancel the coroutine, or see that it never starts; called in the portal thread."""
        self._given_up = True
        if self._task is None:
            self.done.set()
        else:
            self._task.cancel()

    async def _run(self) -> None:
        try:
            self.value = await self._start()
        except BaseException as error:
            # Also KeyboardInterrupt and SystemExit: left in a task, they would end the portal's loop.
            self.error = error

    def _finish(self, task: asyncio.Task[None]) -> None:
        if task.cancelled():
            self.error = asyncio.CancelledError()
        self.done.set()

    def result(self) -> Any:
        """The value, or the error raised with the traceback that it has."""
        try:
            if self.error is not None:
                raise self.error
            return self.value
        finally:
            self.error = None  # it refers to this frame, which refers to this call


class _PortalLoop(_SystemLoop):
    def __del__(self) -> None:
        # Closing is the portal's business; and in a forked child this loop is still the parent's.
        return


class _Portal:
    """A daemon thread with an event loop."""

    def __init__(self) -> None:
        self._loop = _PortalLoop()
        self._thread = threading.Thread(target=self._serve, name=THREAD_NAME, daemon=True)
        self._thread.start()

    def is_current_thread(self) -> bool:
        return threading.current_thread() is self._thread

    def call(self, start: Callable[[], Awaitable[T]]) -> T:
        call = _Call(start)
        try:
            # This hands over a copy of the caller's context variables as well.
            self._loop.call_soon_threadsafe(call.begin)
            call.done.wait()
        except BaseException as interrupt:
            self._loop.call_soon_threadsafe(call.give_up)
            call.done.wait()
            trouble, call.error = call.error, None
            if trouble is None or isinstance(trouble, asyncio.CancelledError):
                raise
            raise interrupt from trouble
        return cast("T", call.result())

    def stop(self) -> None:
        """Cancel what still runs, close the loop and end the thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(EXIT_PATIENCE)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        while True:
            try:
                self._loop.run_forever()
                break
            except (KeyboardInterrupt, SystemExit):
                # A task below a call raised it: whoever awaits that task is told, and the others go on.
                continue
        try:
            tasks = asyncio.all_tasks(self._loop)
            for task in tasks:
                task.cancel()
            self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        finally:
            asyncio.set_event_loop(None)
            self._loop.close()


class _Holder:
    """The portal of this process, made on first use."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.portal: _Portal | None = None

    def forget(self) -> None:
        """In a forked child the portal's thread does not exist, and its lock may be held for ever."""
        self.lock = threading.Lock()
        self.portal = None

    def stop(self) -> None:
        portal, self.portal = self.portal, None
        if portal is not None:
            portal.stop()


_holder = _Holder()
atexit.register(_holder.stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_holder.forget)


def _the_portal() -> _Portal:
    with _holder.lock:
        if _holder.portal is None:
            _holder.portal = _Portal()
        return _holder.portal
