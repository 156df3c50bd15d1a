"""Telling somebody at once: in threads of its own, bounded in time and number, and never in anybody's way."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

from understudy.core.brief import brief
from understudy.governance.reviews import ReviewItem

MOST_AT_ONCE = 8
PATIENCE = 10.0
Notifier = Callable[[ReviewItem], Any]
Tell = Callable[[str, str, str], None]


class Notifications:
    """Calls a notifier for review items and tells the trail what came of it.

    A notifier that fails is told of, one that hangs is told of after `patience` seconds and left alone; when
    too many hang, further items are told of as not notified.
    """

    def __init__(self, notifier: Notifier, tell: Tell, patience: float = PATIENCE) -> None:
        self._notifier = notifier
        self._tell = tell
        self._patience = patience
        self._places = threading.BoundedSemaphore(MOST_AT_ONCE)
        self._watching: set[threading.Thread] = set()
        self._lock = threading.Lock()

    def send(self, item: ReviewItem) -> None:
        """Begin to notify, and return at once."""
        if not self._places.acquire(blocking=False):
            self._say(item, "not notified", f"{MOST_AT_ONCE} notifications still run")
            return
        watcher = threading.Thread(
            target=self._watch, args=(item,), name="understudy-notification", daemon=True
        )
        with self._lock:
            self._watching.add(watcher)
        try:
            watcher.start()
        except RuntimeError as error:  # no more threads
            self._places.release()
            with self._lock:
                self._watching.discard(watcher)
            self._say(item, "not notified", str(error))

    def settle(self, timeout: float) -> bool:
        """Wait until what was begun has been told of; False if that takes longer."""
        deadline = time.monotonic() + timeout
        with self._lock:
            watching = list(self._watching)
        for watcher in watching:
            watcher.join(max(deadline - time.monotonic(), 0))
        return not any(watcher.is_alive() for watcher in watching)

    def _watch(self, item: ReviewItem) -> None:
        try:
            done = threading.Event()
            outcome: list[str] = []
            runner = threading.Thread(
                target=self._run, args=(item, outcome, done), name="understudy-notifier", daemon=True
            )
            try:
                runner.start()
            except RuntimeError as error:
                self._places.release()
                self._say(item, "not notified", str(error))
                return
            if not done.wait(self._patience):
                self._say(
                    item, "not notified", f"the notifier has not ended within {self._patience:g} seconds"
                )
            elif outcome:
                self._say(item, "not notified", outcome[0])
            else:
                self._say(item, "notified", "")
        finally:
            with self._lock:
                self._watching.discard(threading.current_thread())

    def _run(self, item: ReviewItem, outcome: list[str], done: threading.Event) -> None:
        try:
            told = self._notifier(item)
            if inspect.isawaitable(told):
                asyncio.run(_awaited(told))
        except BaseException as error:  # a notifier may raise anything, SystemExit too
            outcome.append(f"the notifier raised {type(error).__name__}: {brief(str(error))}")
        finally:
            self._places.release()
            done.set()

    def _say(self, item: ReviewItem, event: str, reason: str) -> None:
        try:
            self._tell(item.id, event, reason)
        except Exception:
            # The entry is in the queue, which is what counts; a trail that cannot be written must not undo it.
            return


async def _awaited(told: Awaitable[Any]) -> None:
    await told
