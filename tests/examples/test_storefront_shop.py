"""The storefront is a real shop: what it promises about stock, repetition, owners and bad input holds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest

Client = httpx.AsyncClient
InShop = Callable[..., Any]
STREAM = {"Accept": "text/event-stream"}


async def new_cart(client: Client, *lines: tuple[str, int]) -> dict[str, Any]:
    """A new cart with these lines."""
    body = {"lines": [{"sku": sku, "quantity": quantity} for sku, quantity in lines]}
    answer = await client.post("/carts", json=body)
    assert answer.status_code == 201, answer.text
    cart: dict[str, Any] = answer.json()
    return cart


async def order(client: Client, *lines: tuple[str, int]) -> dict[str, Any]:
    """The order of a new cart."""
    cart = await new_cart(client, *lines)
    placed: dict[str, Any] = (await client.post("/checkout", json={"cart": cart["id"]})).json()
    return placed


async def stock_of(client: Client, item: int) -> int:
    """How many of an item there are."""
    return int((await client.get(f"/items/{item}")).json()["stock"])


def test_an_order_says_what_was_bought_and_when(in_shop: InShop) -> None:
    async def scenario(client: Client, waits: list[float]) -> Any:
        return await order(client, ("tea-green", 2), ("cup-glass", 1))

    assert in_shop(scenario) == {
        "id": 1,
        "customer": "ada",
        "status": "pending",
        "lines": [
            {"sku": "tea-green", "name": "Green tea", "price": 450, "quantity": 2, "amount": 900},
            {"sku": "cup-glass", "name": "Double-walled glass", "price": 990, "quantity": 1, "amount": 990},
        ],
        "discount": 0,
        "total": 1890,
        "placedAt": "2026-01-01T12:00:00+00:00",
    }


def test_checkout_takes_everything_or_nothing(in_shop: InShop) -> None:
    async def scenario(client: Client, waits: list[float]) -> Any:
        late = await new_cart(client, ("tea-green", 1), ("pot-clay", 6))
        await order(client, ("pot-clay", 1))
        answer = await client.post("/checkout", json={"cart": late["id"]})
        return answer.status_code, answer.json()["detail"], await stock_of(client, 1)

    assert in_shop(scenario) == (409, "only 5 of pot-clay left", 60)


def test_a_key_that_was_used_for_another_cart_is_refused(in_shop: InShop) -> None:
    async def scenario(client: Client, waits: list[float]) -> Any:
        carts = [await new_cart(client, ("tea-green", 1)) for _ in range(2)]
        key = {"Idempotency-Key": "same"}
        return [
            (await client.post("/checkout", json={"cart": cart["id"]}, headers=key)).status_code
            for cart in carts
        ]

    assert in_shop(scenario) == [201, 422]


def test_a_cart_is_checked_out_once_without_a_key(in_shop: InShop) -> None:
    async def scenario(client: Client, waits: list[float]) -> Any:
        cart = await new_cart(client, ("tea-green", 1))
        return [(await client.post("/checkout", json={"cart": cart["id"]})).status_code for _ in range(2)]

    assert in_shop(scenario) == [201, 409]


def test_cancelling_puts_everything_back_once(in_shop: InShop) -> None:
    async def scenario(client: Client, waits: list[float]) -> Any:
        placed = await order(client, ("tea-green", 3))
        taken = await stock_of(client, 1)
        answers = [(await client.post(f"/orders/{placed['id']}/cancel")).status_code for _ in range(2)]
        return taken, answers, await stock_of(client, 1)

    assert in_shop(scenario) == (57, [200, 409], 60)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/carts/1", None),
        ("DELETE", "/carts/1", None),
        ("POST", "/carts/1/lines", {"sku": "tea-green"}),
        ("POST", "/checkout", {"cart": 1}),
        ("GET", "/orders/1", None),
        ("GET", "/orders/1/events", None),
        ("POST", "/orders/1/cancel", None),
    ],
)
def test_what_belongs_to_another_customer_is_not_there(
    method: str, path: str, body: dict[str, Any] | None, in_shop: InShop
) -> None:
    async def scenario(client: Client, waits: list[float]) -> Any:
        await new_cart(client, ("tea-green", 1))
        await order(client, ("tea-green", 1))
        token = (await client.post("/login", json={"customer": "linus"})).json()["token"]
        client.headers["Authorization"] = f"Bearer {token}"
        listed = (await client.get("/orders")).json()
        return listed, (await client.request(method, path, json=body)).status_code

    assert in_shop(scenario) == ({"orders": [], "total": 0}, 404)


def test_a_declined_order_puts_everything_back_and_its_stream_says_so(in_shop: InShop) -> None:
    async def scenario(client: Client, waits: list[float]) -> Any:
        placed = await order(client, ("kettle-copper", 4))
        stream = await client.get(f"/orders/{placed['id']}/events")
        return stream.text.split("\n\n"), await stock_of(client, 15), waits

    assert in_shop(scenario) == (
        [
            'event: status\ndata: {"id":1,"status":"pending"}',
            'event: status\ndata: {"id":1,"status":"declined"}',
            "",
        ],
        30,
        [0.15],
    )


def test_an_entity_tag_changes_with_the_stock(in_shop: InShop) -> None:
    async def scenario(client: Client, waits: list[float]) -> Any:
        before = (await client.get("/items/1")).headers["etag"]
        await order(client, ("tea-green", 1))
        after = await client.get("/items/1", headers={"If-None-Match": before})
        return after.status_code, after.headers["etag"] == before

    assert in_shop(scenario) == (200, False)


def test_a_discount_lapses_when_the_cart_falls_below_its_minimum(in_shop: InShop) -> None:
    async def scenario(client: Client, waits: list[float]) -> Any:
        path = f"/carts/{(await new_cart(client, ('tea-white', 2)))['id']}"
        applied = (await client.put(f"{path}/discount", json={"code": "FIVER"})).json()["total"]
        changed = (await client.patch(f"{path}/lines/tea-white", json={"quantity": 1})).json()["total"]
        return applied, changed

    assert in_shop(scenario) == (1800, 1150)


def test_a_refused_line_leaves_no_cart_behind(in_shop: InShop) -> None:
    async def scenario(client: Client, waits: list[float]) -> Any:
        refused = await client.post("/carts", json={"lines": [{"sku": "pot-clay", "quantity": 7}]})
        return refused.status_code, (await client.get("/carts/1")).status_code

    assert in_shop(scenario) == (409, 404)


@pytest.mark.parametrize(
    ("method", "path", "content", "status", "code"),
    [
        ("POST", "/login", b"", 400, "BAD_REQUEST"),
        ("POST", "/login", b"{", 400, "BAD_REQUEST"),
        ("POST", "/login", b"\xff\xfe", 400, "BAD_REQUEST"),
        ("POST", "/login", b"[" * 60_000, 400, "BAD_REQUEST"),
        ("POST", "/login", b" " * 70_000, 413, "TOO_LARGE"),
        ("POST", "/login", b"[]", 422, "INVALID"),
        ("POST", "/login", b'{"customer": 1}', 422, "INVALID"),
        ("POST", "/login", b'{"customer": "mallory"}', 401, "UNAUTHENTICATED"),
        ("POST", "/carts", b'{"lines": [1]}', 422, "INVALID"),
        ("POST", "/checkout", b'{"cart": true}', 422, "INVALID"),
        ("GET", "/items/one", b"", 404, "NOT_FOUND"),
        ("GET", "/items/" + "9" * 5000, b"", 404, "NOT_FOUND"),
        ("GET", "/items?page=0", b"", 422, "INVALID"),
        ("GET", "/items?size=many", b"", 422, "INVALID"),
        ("GET", "/session", b"", 404, "NOT_FOUND"),
        ("GET", "/nowhere", b"", 404, "NOT_FOUND"),
        ("PUT", "/items", b"", 405, "METHOD_NOT_ALLOWED"),
        ("POST", "/graphql", b"{}", 422, "INVALID"),
        ("POST", "/graphql", b'{"query": "{items{total}}", "variables": []}', 422, "INVALID"),
        (
            "POST",
            "/graphql",
            b'{"query": "subscription{stockChanges(sku:\\"a\\"){stock}}"}',
            405,
            "METHOD_NOT_ALLOWED",
        ),
        ("GET", "/graphql?query=mutation{createCart{id}}", b"", 405, "METHOD_NOT_ALLOWED"),
        ("GET", "/graphql?query={items{total}}&variables={", b"", 400, "BAD_REQUEST"),
        ("GET", '/graphql?query=subscription{stockChanges(sku:"a"){stock}}', b"", 406, "NOT_ACCEPTABLE"),
    ],
)
def test_bad_input_is_answered_by_a_problem(
    method: str, path: str, content: bytes, status: int, code: str, in_shop: InShop
) -> None:
    async def scenario(client: Client, waits: list[float]) -> Any:
        return await client.request(method, path, content=content)

    answer = in_shop(scenario)

    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
    assert answer.json()["status"] == status
    assert answer.json()["code"] == code
    assert answer.json()["detail"]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("{", "Syntax Error"),
        ("{ colour }", "Cannot query field 'colour'"),
        ("query A { items { total } } query B { items { total } }", "operationName"),
        ("{ item(id: 99) { name } }", "there is no such item"),
        ("{ items(size: 0) { total } }", "size goes from 1 to 50"),
        ("{a" * 20_000, "nested too deeply"),
    ],
)
def test_graphql_says_what_is_wrong_in_its_errors(query: str, message: str, in_shop: InShop) -> None:
    async def scenario(client: Client, waits: list[float]) -> Any:
        return await client.post("/graphql", json={"query": query})

    answer = in_shop(scenario)

    assert answer.status_code == 200
    assert [message in error["message"] for error in answer.json()["errors"]] == [True]


def test_graphql_needs_the_login_only_for_what_belongs_to_a_customer(in_shop: InShop) -> None:
    async def scenario(client: Client, waits: list[float]) -> Any:
        del client.headers["Authorization"]
        query = "{ items(size: 1) { items { sku } } orders { id } }"
        return (await client.post("/graphql", json={"query": query})).json()

    answer = in_shop(scenario)

    assert answer["data"] is None
    assert answer["errors"][0]["extensions"] == {"code": "UNAUTHENTICATED"}
    assert answer["errors"][0]["path"] == ["orders"]


def test_a_subscription_goes_on_with_what_happens_after_it_began(in_shop: InShop) -> None:
    async def scenario(client: Client, waits: list[float]) -> Any:
        query = {
            "query": "subscription S($sku: String!) { stockChanges(sku: $sku, first: 4) { change stock } }",
            "operationName": "S",
            "variables": '{"sku": "tea-green"}',
        }
        following = asyncio.create_task(client.get("/graphql", params=query, headers=STREAM))
        await order(client, ("tea-green", 5))
        return (await following).text

    events = in_shop(scenario).split("\n\n")

    assert events[3:] == [
        'event: next\ndata: {"data":{"stockChanges":{"change":-5,"stock":55}}}',
        "event: complete\ndata:",
        "",
    ]


def test_a_session_remembers_the_last_five_items_newest_first(in_shop: InShop) -> None:
    async def scenario(client: Client, waits: list[float]) -> Any:
        started = await client.post("/session")
        for item in (1, 2, 3, 4, 5, 6, 4):
            await client.get(f"/items/{item}")
        seen = (await client.get("/session")).json()["recent"]
        ended = await client.delete("/session")
        return "HttpOnly" in started.headers["set-cookie"], seen, ended.status_code, list(client.cookies)

    skus = ["tea-oolong", "tea-mint", "tea-rooibos", "tea-white", "tea-black"]
    assert in_shop(scenario) == (True, skus, 204, [])
