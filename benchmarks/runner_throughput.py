"""500 GETs by the testbed's runner alone, against loops over the bare clients, and against Tavern."""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from benchmarks.claims import Claim, report
from benchmarks.fast_server import fast_server
from benchmarks.items import peers_python, suite, write_tavern_file
from benchmarks.measuring import difference, ratio, rounds, show, timed_commands
from understudy.testbed.models import Suite
from understudy.testbed.runner import RunOptions, run_async
from understudy.wire.messages import Request
from understudy.wire.pyreqwest_transport import open_transport
from understudy.wire.transport import DEFAULT_RESPONSE_LIMIT, DEFAULT_TIMEOUT

CASES = 500
CONCURRENCY = 32
ROUNDS = 25
TAVERN_ROUNDS = 3

RUNNER = "understudy's runner"
TRANSPORT = "bare loop over the same transport"
AIOHTTP = "bare aiohttp"
PYREQWEST = "bare pyreqwest"

Get = Callable[[int], Awaitable[tuple[int, str]]]
Client = Callable[[str], AbstractAsyncContextManager[Get]]


@asynccontextmanager
async def over_transport(base_url: str) -> AsyncIterator[Get]:
    """Requests over the transport that the runner uses, with the runner's limit and timeout."""
    transport = open_transport()

    async def get(number: int) -> tuple[int, str]:
        request = Request("GET", f"{base_url}/items/{number}")
        response = await transport.send(request, limit=DEFAULT_RESPONSE_LIMIT, timeout=DEFAULT_TIMEOUT)
        return response.status, response.body.decode("utf-8", "replace")

    try:
        yield get
    finally:
        await transport.aclose()


@asynccontextmanager
async def over_aiohttp(base_url: str) -> AsyncIterator[Get]:
    """Requests as one writes them with aiohttp."""
    import aiohttp

    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=DEFAULT_TIMEOUT)) as session:

        async def get(number: int) -> tuple[int, str]:
            async with session.get(f"{base_url}/items/{number}") as response:
                return response.status, await response.text()

        yield get


@asynccontextmanager
async def over_pyreqwest(base_url: str) -> AsyncIterator[Get]:
    """Requests as one writes them with pyreqwest: unbounded, no redirects of our kind, no words for errors."""
    from pyreqwest.client import ClientBuilder

    async with ClientBuilder().no_proxy().build() as client:

        async def get(number: int) -> tuple[int, str]:
            response = await client.get(f"{base_url}/items/{number}").build().send()
            return response.status, await response.text()

        yield get


async def loop(client: Client, base_url: str, concurrency: int) -> None:
    """All requests in turn, or by as many workers as there is concurrency, each answer checked."""
    waiting = iter(range(1, CASES + 1))
    async with client(base_url) as get:

        async def work() -> None:
            for number in waiting:
                status, text = await get(number)
                if status != 200 or f'"id":{number},' not in text:
                    raise SystemExit(f"item {number} was answered with {status} {text}")

        if concurrency == 1:
            await work()
        else:
            async with asyncio.TaskGroup() as tasks:
                for _ in range(concurrency):
                    tasks.create_task(work())


async def runner(plan: Suite, base_url: str, concurrency: int) -> None:
    """The same by the testbed's runner."""
    result = await run_async(plan, RunOptions(base_url=base_url, concurrency=concurrency))
    if result.summary.passed != CASES:
        raise SystemExit(f"not all cases passed: {result.summary}")


def rate(work: Awaitable[None]) -> float:
    """Requests per second."""

    async def timed() -> float:
        began = time.perf_counter()
        await work
        return CASES / (time.perf_counter() - began)

    return asyncio.run(timed())


def contenders(base_url: str, concurrency: int) -> dict[str, Callable[[], float]]:
    """Everyone who sends the requests, by name."""
    plan = Suite.model_validate(suite(range(1, CASES + 1)))
    clients: dict[str, Client] = {TRANSPORT: over_transport, AIOHTTP: over_aiohttp, PYREQWEST: over_pyreqwest}
    loops = {
        name: lambda client=client: rate(loop(client, base_url, concurrency))
        for name, client in clients.items()
    }
    return {RUNNER: lambda: rate(runner(plan, base_url, concurrency)), **loops}


def tavern_rate(base_url: str) -> float:
    """Tavern's requests per second, without the time that its process takes to start."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        python = str(peers_python())
        files = [write_tavern_file(folder, range(1, count + 1), base_url) for count in (1, CASES)]
        commands = {
            file: [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", name, file]
            for file in files
        }
        times = timed_commands(commands, folder, TAVERN_ROUNDS)
        return (CASES - 1) / difference(times, files[1], files[0]) * 1000


def main() -> int:
    """Measure, show, and judge the claims."""
    with fast_server() as base_url:
        in_turn = rounds(contenders(base_url, 1), ROUNDS)
        show(f"{CASES} GETs, one after the other", in_turn, "/s")
        at_once = rounds(contenders(base_url, CONCURRENCY), ROUNDS)
        show(f"{CASES} GETs, {CONCURRENCY} at once", at_once, "/s")
        tavern = tavern_rate(base_url)
        print(f"  {'Tavern, its start taken off':<44} {tavern:>9,.1f} /s")
    ours = sorted(in_turn[RUNNER])[ROUNDS // 2]
    return report(
        Claim(
            "runner in turn, by a bare loop over its transport",
            ratio(in_turn, RUNNER, TRANSPORT),
            at_least=0.8,
        ),
        Claim("runner in turn, by bare aiohttp", ratio(in_turn, RUNNER, AIOHTTP), at_least=1),
        Claim(
            "runner at 32, by a bare loop over its transport", ratio(at_once, RUNNER, TRANSPORT), at_least=0.8
        ),
        Claim("runner in turn, by Tavern", ours / tavern, at_least=1),
        Claim("runner in turn, by bare pyreqwest", ratio(in_turn, RUNNER, PYREQWEST)),
        Claim("runner at 32, by bare pyreqwest", ratio(at_once, RUNNER, PYREQWEST)),
        Claim("runner at 32, by bare aiohttp", ratio(at_once, RUNNER, AIOHTTP)),
    )


if __name__ == "__main__":
    sys.exit(main())
