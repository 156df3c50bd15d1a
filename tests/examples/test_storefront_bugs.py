"""Each planted bug changes what its row in the README says, and nothing is wrong without it."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from storefront.bugs import REGISTRY, Bug, parse_bugs
from storefront.errors import Invalid

Client = httpx.AsyncClient


@dataclass(frozen=True, slots=True)
class Probe:
    """What to look at, what it is in a sound shop, and what with the bug."""

    look: Callable[[Client, list[float]], Any]
    sound: Any
    broken: Any


async def cart_with(client: Client, sku: str, quantity: int) -> int:
    """A new cart with one line."""
    lines = [{"sku": sku, "quantity": quantity}]
    return int((await client.post("/carts", json={"lines": lines})).json()["id"])


async def ordered(client: Client, sku: str, quantity: int, **headers: str) -> dict[str, Any]:
    """The order of a new cart with one line."""
    cart = await cart_with(client, sku, quantity)
    order: dict[str, Any] = (await client.post("/checkout", json={"cart": cart}, headers=headers)).json()
    return order


async def prices_of_tea(client: Client, waits: list[float]) -> Any:
    page = (await client.get("/items?tag=tea&sort=price&size=3")).json()
    return [item["price"] for item in page["items"]]


async def second_page(client: Client, waits: list[float]) -> Any:
    return [item["id"] for item in (await client.get("/items?page=2&size=2")).json()["items"]]


async def listed_price(client: Client, waits: list[float]) -> Any:
    return (await client.get("/items?size=1")).json()["items"][0]["price"]


async def currency(client: Client, waits: list[float]) -> Any:
    return (await client.get("/items/1")).json().get("currency", "missing")


async def status_if_unchanged(client: Client, waits: list[float]) -> Any:
    tag = (await client.get("/items/1")).headers["etag"]
    return (await client.get("/items/1", headers={"If-None-Match": tag})).status_code


async def waited_for_search(client: Client, waits: list[float]) -> Any:
    found = (await client.get("/search?q=glass")).json()["total"]
    return found, sum(waits)


async def type_of_price_list(client: Client, waits: list[float]) -> Any:
    return (await client.get("/items.csv")).headers["content-type"].partition(";")[0]


async def discounted_total(client: Client, waits: list[float]) -> Any:
    cart = await cart_with(client, "tea-green", 2)
    return (await client.put(f"/carts/{cart}/discount", json={"code": "WELCOME10"})).json()["total"]


async def status_of_minus_one(client: Client, waits: list[float]) -> Any:
    cart = await cart_with(client, "tea-green", 2)
    return (await client.post(f"/carts/{cart}/lines", json={"sku": "pot-iron", "quantity": -1})).status_code


async def stock_after_order(client: Client, waits: list[float]) -> Any:
    await ordered(client, "tea-green", 2)
    return (await client.get("/items/1")).json()["stock"]


async def status_after_a_while(client: Client, waits: list[float]) -> Any:
    order = await ordered(client, "tea-green", 2)
    for _ in range(20):
        await asyncio.sleep(0)  # the turn of the task that takes the payment
        order = (await client.get(f"/orders/{order['id']}")).json()
    return order["status"]


async def orders_of_one_key(client: Client, waits: list[float]) -> Any:
    cart = await cart_with(client, "tea-green", 2)
    answers = [
        await client.post("/checkout", json={"cart": cart}, headers={"Idempotency-Key": "once"})
        for _ in range(2)
    ]
    return [answer.json()["id"] for answer in answers]


async def status_of_foreign_order(client: Client, waits: list[float]) -> Any:
    order = await ordered(client, "tea-green", 2)
    token = (await client.post("/login", json={"customer": "linus"})).json()["token"]
    headers = {"Authorization": f"Bearer {token}"}
    return (await client.get(f"/orders/{order['id']}", headers=headers)).status_code


async def caching_of_order(client: Client, waits: list[float]) -> Any:
    order = await ordered(client, "tea-green", 2)
    return (await client.get(f"/orders/{order['id']}")).headers["cache-control"]


async def status_of_old_checkout(client: Client, waits: list[float]) -> Any:
    cart = await cart_with(client, "tea-green", 2)
    return (await client.post("/legacy/checkout", json={"cart": cart}, follow_redirects=True)).status_code


async def main_tag_of_gift_card(client: Client, waits: list[float]) -> Any:
    answer = await client.post("/graphql", json={"query": "{ item(id: 24) { mainTag } }"})
    return [error["message"] for error in answer.json().get("errors", [])]


async def length_of_stream(client: Client, waits: list[float]) -> Any:
    query = 'subscription { stockChanges(sku: "tea-mint", first: 3) { stock } }'
    answer = await client.get("/graphql", params={"query": query}, headers={"Accept": "text/event-stream"})
    return answer.text.count("event: next"), answer.text.count("event: complete")


PROBES = {
    "wrong-order": Probe(prices_of_tea, [390, 410, 450], [1150, 2300, 390]),
    "overlapping-pages": Probe(second_page, [3, 4], [2, 3]),
    "price-as-text": Probe(listed_price, 450, "4.50"),
    "missing-currency": Probe(currency, "EUR", "missing"),
    "ignored-etag": Probe(status_if_unchanged, 304, 200),
    "slow-search": Probe(waited_for_search, (3, 0), (3, 1.2)),
    "csv-as-html": Probe(type_of_price_list, "text/csv", "text/html"),
    "wrong-total": Probe(discounted_total, 810, 900),
    "negative-quantity": Probe(status_of_minus_one, 422, 201),
    "stale-stock": Probe(stock_after_order, 58, 60),
    "stuck-payment": Probe(status_after_a_while, "paid", "pending"),
    "double-order": Probe(orders_of_one_key, [1, 1], [1, 2]),
    "leaked-order": Probe(status_of_foreign_order, 404, 200),
    "shared-cache": Probe(caching_of_order, "no-store", "public, max-age=3600"),
    "lost-method": Probe(status_of_old_checkout, 201, 405),
    "graphql-crash": Probe(main_tag_of_gift_card, [], ["tuple index out of range"]),
    "short-stream": Probe(length_of_stream, (3, 1), (2, 1)),
}


# The others are bugs of what works beside the shop, and are shown where that is tested.
OF_THE_SHOP = [bug for bug in REGISTRY if bug.caught_by[0].endswith(".yaml")]


@pytest.mark.parametrize("bug", OF_THE_SHOP, ids=lambda bug: bug.name)
def test_a_planted_bug_does_what_its_row_says(bug: Bug, in_shop: Callable[..., Any]) -> None:
    probe = PROBES[bug.name]

    assert in_shop(probe.look) == probe.sound
    assert in_shop(probe.look, bug.name) == probe.broken


@pytest.mark.parametrize("bug", OF_THE_SHOP, ids=lambda bug: bug.name)
def test_no_bug_hides_another_when_all_are_planted(bug: Bug, in_shop: Callable[..., Any]) -> None:
    probe = PROBES[bug.name]

    assert in_shop(probe.look, "all") != probe.sound


def test_the_readme_lists_the_bugs_of_the_registry(storefront_root: Path) -> None:
    text = (storefront_root / "README.md").read_text(encoding="utf-8")
    row = re.compile(r"^\| `([\w-]+)` \| (.+?) \| (.+?) \| `([\w.]+)`: (.+?) \|$", re.MULTILINE)

    listed = [Bug(found[1], found[2], found[3], (found[4], found[5])) for found in row.finditer(text)]

    assert listed == list(REGISTRY)


@pytest.mark.parametrize("bug", OF_THE_SHOP, ids=lambda bug: bug.name)
def test_the_case_that_catches_a_bug_exists(bug: Bug, storefront_root: Path) -> None:
    file, name = bug.caught_by
    script = yaml.safe_load((storefront_root / "scripts" / file).read_text(encoding="utf-8"))

    assert name in [case["name"] for entries in script.values() for case in entries]


def test_the_symptoms_are_all_different() -> None:
    symptoms = [bug.symptom for bug in REGISTRY]

    assert len(REGISTRY) >= 10
    assert len(set(symptoms)) == len(symptoms), json.dumps(symptoms, indent=2)


def test_bugs_are_named_with_commas_between_them() -> None:
    assert parse_bugs("") == frozenset()
    assert parse_bugs(" wrong-total ,stale-stock,") == {"wrong-total", "stale-stock"}
    assert parse_bugs("all") == {bug.name for bug in REGISTRY}


def test_a_bug_that_does_not_exist_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(Invalid, match=r"no bug named 'wrong-totals' \(did you mean 'wrong-total'\?\)"):
        parse_bugs("stale-stock,wrong-totals")
