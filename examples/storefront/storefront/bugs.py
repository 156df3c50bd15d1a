"""The bugs that can be planted, so that a demonstration can show what a red run looks like.

Each name is looked up where the code then goes wrong: search for the name in quotes. `caught_by` names the
case of the suite that shows it, by file and name. The README's table repeats this one; a test compares them.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from storefront.errors import Invalid

Bugs = frozenset[str]
NO_BUGS: Bugs = frozenset()


@dataclass(frozen=True, slots=True)
class Bug:
    """One planted bug: its name, what the shop does wrong, how that shows, and which case sees it."""

    name: str
    effect: str
    symptom: str
    caught_by: tuple[str, str]


REGISTRY: tuple[Bug, ...] = (
    Bug(
        "wrong-order",
        "prices are sorted as text, so that 1150 comes before 450",
        "wrong ordering",
        ("catalogue.yaml", "cheapest tea first"),
    ),
    Bug(
        "overlapping-pages",
        "every page but the first begins with the last item of the page before",
        "wrong value in a list",
        ("catalogue.yaml", "the second page goes on where the first ended"),
    ),
    Bug(
        "price-as-text",
        'lists give the price as text ("4.50") instead of cents',
        "schema violation",
        ("catalogue.yaml", "every listed item has the agreed shape"),
    ),
    Bug(
        "missing-currency",
        "an item does not say which currency its price is in",
        "missing field",
        ("catalogue.yaml", "an item says everything about itself"),
    ),
    Bug(
        "ignored-etag",
        "If-None-Match is not looked at",
        "wrong status (200 instead of 304)",
        ("catalogue.yaml", "an unchanged item is not sent again"),
    ),
    Bug(
        "slow-search",
        "a search takes 1.2 seconds",
        "latency above the bound",
        ("catalogue.yaml", "search answers in time"),
    ),
    Bug(
        "csv-as-html",
        "the price list is served as text/html",
        "wrong content type",
        ("catalogue.yaml", "the price list is a CSV file"),
    ),
    Bug(
        "wrong-total",
        "the total of a cart ignores the discount",
        "wrong JSON value",
        ("carts.yaml", "a code takes ten per cent off"),
    ),
    Bug(
        "negative-quantity",
        "a quantity below one is accepted",
        "wrong status (201 instead of 422)",
        ("carts.yaml", "a quantity below one is refused"),
    ),
    Bug(
        "stale-stock",
        "an order does not lower the stock",
        "wrong JSON value after another call",
        ("orders.yaml", "an order lowers the stock"),
    ),
    Bug(
        "stuck-payment",
        "the payment is never made, the order stays pending",
        "a condition that never comes true",
        ("orders.yaml", "the order is paid in the end"),
    ),
    Bug(
        "double-order",
        "the idempotency key is ignored, a repeated checkout orders twice",
        "wrong JSON value on repetition",
        ("orders.yaml", "the same key orders only once"),
    ),
    Bug(
        "leaked-order",
        "anyone who is logged in can read every order",
        "data of another customer (200 instead of 404)",
        ("orders.yaml", "an order is hidden from other customers"),
    ),
    Bug(
        "shared-cache",
        "an order may be kept by shared caches",
        "wrong header",
        ("orders.yaml", "an order is kept out of caches"),
    ),
    Bug(
        "lost-method",
        "the old checkout redirects with 302, so that POST becomes GET",
        "redirect that loses the method",
        ("orders.yaml", "the old checkout still works"),
    ),
    Bug(
        "graphql-crash",
        "the main tag of an item without tags is looked up anyway",
        "GraphQL error beside the data",
        ("graphql.yaml", "an item without tags"),
    ),
    Bug(
        "short-stream",
        "a subscription ends one event early",
        "stream that ends early",
        ("graphql.yaml", "three deliveries of rooibos"),
    ),
    Bug(
        "clock-in-id",
        "the nightly pipeline puts the time of day into the ids of its offers",
        "ids that are others in a replay",
        ("marketplace.py", "offers of the night"),
    ),
    Bug(
        "double-write",
        "the nightly pipeline writes the offer of an item without tags twice",
        "a side effect that is made twice",
        ("marketplace.py", "offers of the night"),
    ),
    Bug(
        "unguarded-export",
        "the clerk is given the export of all customers without its guard",
        "a forbidden tool that ran",
        ("letters.py", "no letter makes the clerk export the customers"),
    ),
    Bug(
        "loose-approval",
        "the approval of a refund is bound to the order alone, not to its amount",
        "an approval that is used for other arguments",
        ("letters.py", "a claim that grew while it was looked at is not paid"),
    ),
)


def parse_bugs(text: str) -> Bugs:
    """The bugs that `text` asks for: names with commas between them, `all`, or nothing.

    >>> sorted(parse_bugs("stale-stock, wrong-total"))
    ['stale-stock', 'wrong-total']
    """
    known = [bug.name for bug in REGISTRY]
    names = [name.strip() for name in text.split(",") if name.strip()]
    if names == ["all"]:
        return frozenset(known)
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"known are: all, {', '.join(known)}"
            raise Invalid(f"there is no bug named {name!r} ({hint})")
    return frozenset(names)
