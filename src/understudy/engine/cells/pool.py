"""Cells for several tasks at once: an idle one is reused, a new one is started when all are busy."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from typing import Any

from understudy.engine.cells.cell import Call, Cell, CellPlan


class CellPool:
    """At most `most` cells of one plan, as many as processors unless said otherwise."""

    def __init__(self, plan: CellPlan, most: int = 0) -> None:
        self._plan = plan
        self._idle: list[Cell] = []
        self._lent: set[Cell] = set()
        self._foreseen: dict[Call, _Queue] = {}
        self._places = asyncio.Semaphore(most or os.cpu_count() or 1)

    def adopt(self, cell: Cell) -> None:
        """Take over a cell that is running already."""
        self._idle.append(cell)

    def foresee(self, calls: Iterable[Call]) -> None:
        """Somebody is going to make these calls in this order, and no other one of this pool in between.

        Their arguments are hashable, unlike those of calls that nobody foresees.

        They are made in one cell together, so that some may have been made already when they are asked for. If one
        is the end of the cell, those behind it are made in another one.
        """
        queue = _Queue(self, dict.fromkeys(calls))
        self._foreseen.update(dict.fromkeys(queue.calls, queue))

    def call(self, method: str, *arguments: Any, seconds: float) -> AsyncGenerator[Any, None]:
        """Call a method of the servant in whichever cell is free."""
        call = (method, arguments)
        queue = self._foreseen.pop(call, None) if self._foreseen else None
        if queue is None or call not in queue.calls:  # it was passed over, and is made after all
            queue = _Queue(self, [call])
        return queue.answer(call, seconds)

    async def lend(self) -> Cell:
        """A cell for one borrower, once there is a place."""
        await self._places.acquire()
        try:
            cell = self._idle.pop() if self._idle else Cell(self._plan)
        except BaseException:
            self._places.release()
            raise
        self._lent.add(cell)
        return cell

    def take_back(self, cell: Cell) -> None:
        """The borrower needs it no more."""
        self._lent.discard(cell)
        if cell.is_alive:
            self._idle.append(cell)
        self._places.release()

    def close(self) -> None:
        """End all cells."""
        self._foreseen.clear()
        for cell in (*self._idle, *self._lent):
            cell.kill()
        self._idle.clear()
        self._lent.clear()


class _Queue:
    """Calls of one task, which share a cell for as long as it lives."""

    def __init__(self, pool: CellPool, calls: Iterable[Call]) -> None:
        self.calls = deque(calls)
        self._pool = pool
        self._cell: Cell | None = None

    async def answer(self, call: Call, seconds: float) -> AsyncGenerator[Any, None]:
        """What one of the calls yields, which are asked for in their order."""
        self._skip_to(call)
        if self._cell is None:
            self._cell = await self._pool.lend()
        cell = self._cell
        if not cell.is_asked:
            cell.ask(self.calls)
        self.calls.popleft()
        try:
            async with aclosing(cell.answer(seconds)) as items:
                async for item in items:
                    yield item
        finally:
            if not (self.calls and cell.is_alive):
                self._give_back()

    def _skip_to(self, call: Call) -> None:
        """Forget calls that nobody made after all; if they were asked for, the cell is busy with nobody's work."""
        while self.calls[0] != call:
            self.calls.popleft()
            if self._cell is not None:
                self._cell.kill()
                self._give_back()

    def _give_back(self) -> None:
        if self._cell is not None:
            self._pool.take_back(self._cell)
            self._cell = None
