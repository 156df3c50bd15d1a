"""Cells for several tasks at once: an idle one is reused, a new one is started when all are busy."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from understudy.engine.cells.cell import Cell, CellPlan


class CellPool:
    """At most `most` cells of one plan, as many as processors unless said otherwise."""

    def __init__(self, plan: CellPlan, most: int = 0) -> None:
        self._plan = plan
        self._idle: list[Cell] = []
        self._places = asyncio.Semaphore(most or os.cpu_count() or 1)

    def adopt(self, cell: Cell) -> None:
        """Take over a cell that is running already."""
        self._idle.append(cell)

    async def call(self, method: str, *arguments: Any, seconds: float) -> AsyncGenerator[Any, None]:
        """Call a method of the servant in whichever cell is free."""
        async with self._places:
            cell = self._idle.pop() if self._idle else Cell(self._plan)
            try:
                async with aclosing(cell.call_async(method, *arguments, seconds=seconds)) as items:
                    async for item in items:
                        yield item
            finally:
                if cell.is_alive:
                    self._idle.append(cell)

    def close(self) -> None:
        """End all cells."""
        while self._idle:
            self._idle.pop().kill()
