"""Side effects that are not on connectors: each made once for its key, and written to the context's log."""

from __future__ import annotations

import threading
from collections.abc import Callable, MutableMapping
from typing import Any

from understudy.context import current_context
from understudy.core.canonical import content_hash
from understudy.core.errors import UnderstudyError
from understudy.simulation.replay.deliveries import about_to_write
from understudy.simulation.replay.ledger import SUPPRESSED


class EffectConflict(UnderstudyError):
    """A key that stands for one effect was used for another."""


class SideEffects:
    """Makes side effects, each once for its key, however often the pipeline is run again with the same ledger.

    The ledger is any mutable mapping from text; one that outlives the process (a `shelve`, a table) lets a pipeline
    that was killed resume without sending anything twice. An effect without a key (None) is made every time.

    >>> sent = []
    >>> effects = SideEffects()
    >>> effects.perform("invoice-1", {"to": "ada"}, lambda: sent.append("ada"))
    >>> effects.perform("invoice-1", {"to": "ada"}, lambda: sent.append("ada"))
    >>> sent
    ['ada']
    """

    def __init__(self, ledger: MutableMapping[str, Any] | None = None, *, name: str = "effects") -> None:
        self._ledger: MutableMapping[str, Any] = {} if ledger is None else ledger
        self._name = name
        self._lock = threading.RLock()

    def perform(
        self, key: str | None, payload: Any, effect: Callable[[], Any], *, operation: str = "perform"
    ) -> Any:
        """Make the effect and keep what it returns; if it has been made for this key, only return that.

        The same key with another payload raises EffectConflict, for one of the two would be lost.
        """
        with self._lock:
            digest = content_hash(payload)
            if key is not None and key in self._ledger:
                made = self._ledger[key]
                if made["content"] != digest:
                    raise EffectConflict(
                        f"{self._name}: the effect {key!r} was made before with another payload; "
                        "give every effect a key of its own, made from all that makes it different"
                    )
                self._record(key, payload, operation, SUPPRESSED)
                return made["result"]
            about_to_write()
            result = effect()
            if key is not None:
                self._ledger[key] = {"content": digest, "result": result}
            self._record(key, payload, operation, "ok")
            return result

    def is_made(self, key: str) -> bool:
        """True if the effect with this key was made."""
        return key in self._ledger

    def _record(self, key: str | None, payload: Any, operation: str, status: str) -> None:
        context = current_context()
        if context is not None:
            context.record(
                operation,
                subject=self._name,
                kind="write",
                target_ref=key or "",
                content=payload,
                status=status,
            )
