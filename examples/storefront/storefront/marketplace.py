"""The nightly pipeline: offers what is on the shelf at a marketplace, and takes back what is sold out.

It is given its night: the shelf, the marketplace, and the moment for which it works. So it does the same again when
it is run again, and a night that was cut short can be repeated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

from storefront.bugs import NO_BUGS, Bugs
from storefront.catalogue import CURRENCY, Catalogue, Item

Offer = dict[str, Any]


class Context(Protocol):
    """What the pipeline has to know of the run that it is part of."""

    @property
    def is_replay(self) -> bool:
        """True if the run repeats an earlier one, and must not have effects of its own."""
        ...


class Marketplace(Protocol):
    """The marketplace's connector."""

    def list_objects(self, stix_type: str) -> list[Offer]:
        """The offers that are there."""
        ...

    def upsert_object(self, obj: Offer) -> Any:
        """Make an offer, or change it."""
        ...

    def delete_object(self, stix_id: str) -> None:
        """Take an offer back."""
        ...


@dataclass(frozen=True, slots=True)
class Night:
    """What one run of the pipeline works on."""

    catalogue: Catalogue
    marketplace: Marketplace
    moment: datetime
    bugs: Bugs = NO_BUGS


def publish(ctx: Context, night: Night) -> Iterator[Offer]:
    """Bring the marketplace up to date; the offers that it then has."""
    offered = {offer["id"] for offer in night.marketplace.list_objects("offer")}
    for item in night.catalogue.all():
        offer = offer_of(item, night)
        if item.stock:
            _write(ctx, night, offer, item)
            yield offer
        elif offer["id"] in offered and not ctx.is_replay:
            night.marketplace.delete_object(offer["id"])


def offer_of(item: Item, night: Night) -> Offer:
    """An item as the marketplace has it; its id follows from the item, so that it is one offer for ever."""
    suffix = f"-{datetime.now(UTC):%H%M%S%f}" if "clock-in-id" in night.bugs else ""
    return {
        "type": "offer",
        "id": f"offer--{item.sku}{suffix}",
        "name": item.name,
        "price": {"cents": item.price, "currency": CURRENCY},
        "stock": item.stock,
        "modified": night.moment.isoformat(),
    }


def _write(ctx: Context, night: Night, offer: Mapping[str, Any], item: Item) -> None:
    if ctx.is_replay:
        return
    night.marketplace.upsert_object(dict(offer))
    if "double-write" in night.bugs and not item.tags:
        night.marketplace.upsert_object(dict(offer))
