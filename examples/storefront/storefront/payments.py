"""Taking the money, in the background: an order is pending until the bank has answered."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from storefront.bugs import NO_BUGS, Bugs
from storefront.catalogue import Catalogue
from storefront.orders import Order

Wait = Callable[[float], Awaitable[None]]
BANK_SECONDS = 0.15
LIMIT = 100_000


class Payments:
    """One background task per order; the bank declines what is above LIMIT cents."""

    def __init__(self, catalogue: Catalogue, wait: Wait, bugs: Bugs = NO_BUGS) -> None:
        self._catalogue = catalogue
        self._wait = wait
        self._bugs = bugs
        self._tasks: set[asyncio.Task[None]] = set()

    def submit(self, order: Order) -> None:
        """Start taking the payment for an order."""
        if "stuck-payment" in self._bugs:
            return
        task = asyncio.create_task(self._settle(order))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Give up on payments that are still under way."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _settle(self, order: Order) -> None:
        await self._wait(BANK_SECONDS)
        if order.status != "pending":
            return
        if order.total > LIMIT:
            self._catalogue.put_back(order.quantities)
            order.become("declined")
        else:
            order.become("paid")
