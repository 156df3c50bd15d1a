"""The shop as a whole: its parts put together, with the clock and the waiting given from outside."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime

from storefront.bugs import NO_BUGS, Bugs
from storefront.carts import Carts
from storefront.catalogue import Catalogue
from storefront.customers import Customers, Sessions
from storefront.orders import Clock, Orders
from storefront.payments import Payments, Wait


@dataclass(frozen=True, slots=True)
class Shop:
    """Everything that a request can need."""

    catalogue: Catalogue
    customers: Customers
    sessions: Sessions
    carts: Carts
    orders: Orders
    payments: Payments
    wait: Wait
    bugs: Bugs


def real_time() -> datetime:
    """The present moment."""
    return datetime.now(UTC)


def open_shop(bugs: Bugs = NO_BUGS, clock: Clock = real_time, wait: Wait = asyncio.sleep) -> Shop:
    """A shop with full shelves, no carts and no orders."""
    catalogue = Catalogue(bugs=bugs)
    payments = Payments(catalogue, wait, bugs)
    return Shop(
        catalogue=catalogue,
        customers=Customers(),
        sessions=Sessions(),
        carts=Carts(catalogue, bugs),
        orders=Orders(catalogue, clock, payments.submit, bugs),
        payments=payments,
        wait=wait,
        bugs=bugs,
    )
