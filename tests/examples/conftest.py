"""The storefront, made importable: in this process with a client that is logged in, or in one of its own."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

STOREFRONT = Path(__file__).parents[2] / "examples" / "storefront"
sys.path.insert(0, str(STOREFRONT))

from storefront.bugs import parse_bugs  # noqa: E402
from storefront.http import make_app  # noqa: E402
from storefront.payments import Wait  # noqa: E402
from storefront.shop import open_shop  # noqa: E402

MOMENT = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
Scenario = Callable[[httpx.AsyncClient, list[float]], Awaitable[Any]]


async def visit(scenario: Scenario, bugs: str) -> Any:
    """Open a shop whose clock stands and whose waiting is only noted down, and go through a scenario in it."""
    waits: list[float] = []

    async def note(seconds: float) -> None:
        waits.append(seconds)
        await asyncio.sleep(0)

    # A stream that never ends would otherwise hang the test that waits for its end.
    async with asyncio.timeout(10):
        return await walk(scenario, bugs, note, waits)


async def walk(scenario: Scenario, bugs: str, wait: Wait, waits: list[float]) -> Any:
    """Log in as ada and go."""
    app = make_app(open_shop(parse_bugs(bugs), clock=lambda: MOMENT, wait=wait))
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app=app), base_url="http://shop.test", trust_env=False
    ) as client:
        token = (await client.post("/login", json={"customer": "ada"})).json()["token"]
        client.headers["Authorization"] = f"Bearer {token}"
        return await scenario(client, waits)


@pytest.fixture(name="in_shop")
def _in_shop() -> Callable[..., Any]:
    """Go through a scenario in a fresh shop, with bugs planted if named."""

    def run(scenario: Scenario, bugs: str = "") -> Any:
        return asyncio.run(visit(scenario, bugs))

    return run


@pytest.fixture(scope="session", name="storefront_root")
def _storefront_root() -> Path:
    """The folder of the example."""
    return STOREFRONT


@contextmanager
def serving(*arguments: str) -> Iterator[str]:
    """Run the shop as a process of its own; yields its base URL, which it prints once it listens."""
    environment = {name: value for name, value in os.environ.items() if name != "STOREFRONT_BUGS"}
    command = [sys.executable, "-m", "storefront", "--port", "0", *arguments]
    with subprocess.Popen(
        command, cwd=STOREFRONT, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://[\d.:]+", process.stdout.readline())
            assert found, "the shop did not say where it is"
            yield found[0]
        finally:
            process.terminate()
            process.wait(timeout=10)


@pytest.fixture(scope="session", name="serve_shop")
def _serve_shop() -> Callable[..., AbstractContextManager[str]]:
    """Run the shop as a process of its own, with these arguments."""
    return serving
