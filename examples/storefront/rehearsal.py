"""What the shop's pipelines are rehearsed with: simulated connectors in the place of the real ones."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from storefront.bugs import parse_bugs
from storefront.catalogue import Catalogue
from storefront.marketplace import Night
from understudy.simulation import SimulationConnector

SOLD_OUT = "timer-sand"


def night() -> Night:
    """A night on which one item is sold out, whose offer of the night before is still there."""
    bugs = parse_bugs(os.environ.get("STOREFRONT_BUGS", ""))
    catalogue = Catalogue(bugs=bugs)
    catalogue.reserve({SOLD_OUT: catalogue.by_sku(SOLD_OUT).stock})
    left_over = {"type": "offer", "id": f"offer--{SOLD_OUT}", "name": "Sand timer, 3 minutes"}
    marketplace = SimulationConnector(left_over, name="marketplace")
    return Night(catalogue, marketplace, datetime(2026, 1, 1, 3, 0, tzinfo=UTC), bugs)
