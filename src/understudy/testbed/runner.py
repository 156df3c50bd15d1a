"""Runs suites against a running server: the founding document's `Run`, `RunHTTP` and `HTTPRunner`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from understudy.core.errors import InputError
from understudy.core.portal import run_blocking
from understudy.testbed.case_run import CaseResult
from understudy.testbed.composition import Runner, runner_func
from understudy.testbed.group_run import run_groups
from understudy.testbed.items import Item, suite_items
from understudy.testbed.models import GraphQLSuite, Suite
from understudy.testbed.results import GraphQLRunResult, HTTPRunResult, Report, trusted
from understudy.testbed.session import Session, check_base_url, check_response_limit, is_number
from understudy.testbed.ties import tie
from understudy.wire.pyreqwest_transport import open_transport
from understudy.wire.target import Target
from understudy.wire.transport import DEFAULT_TIMEOUT, Transport

if TYPE_CHECKING:
    from understudy.testbed.composition import WebSocketRunner


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a suite is run.

    `client` is a Transport, an httpx client or a function; without one, ours with a time limit of 10 s is used. A
    client's own shorter time limit holds.
    `max_response_bytes` of 0 means 1 MiB. Beyond the founding document: `concurrency` (cases side by side),
    `timeout` (seconds a case may take) and `variables` (values for `${name}`).
    """

    base_url: str = ""
    client: Any = None
    include_generated: bool = False
    max_response_bytes: int = 0
    websocket_runner: WebSocketRunner | None = None
    concurrency: int = 1
    timeout: float = DEFAULT_TIMEOUT
    variables: Mapping[str, Any] = field(default_factory=dict)


async def run_async(suite: Suite, options: RunOptions) -> Report:
    """Run HTTP cases first, then GraphQL cases, and report in the order of the suite."""
    if not isinstance(suite, Suite):
        raise InputError(f"run takes a Suite, not {type(suite).__name__}; make one by Suite.model_validate")
    if not isinstance(options, RunOptions):
        raise InputError(f"run takes RunOptions, not {type(options).__name__}")
    async with _session(options) as session:
        items = suite_items(suite, options.include_generated)
        groups = tie(items, strict=session.strict)
        session.strict = session.strict or any(item.case.capture for item in items)
        kept: list[Any] = [None] * len(items)

        def keep(result: CaseResult) -> None:
            # Only what the report will say: its entries are made at the end, where no request waits for them.
            kept[result.item.index] = (
                result.item,
                result.case.name,
                result.skipped,
                result.attempt.status,
                result.error,
                tuple([finding.message for finding in result.findings]) if result.findings else (),
                result.duration_ms,
                result.notes,
            )

        await run_groups(groups, session, options.concurrency, keep)
    results = [_run_result(*parts) for parts in kept]
    http = [result for result in results if isinstance(result, HTTPRunResult)]
    return Report.of(
        http=http, graphql=[result for result in results if isinstance(result, GraphQLRunResult)]
    )


def run(suite: Suite, options: RunOptions) -> Report:
    """Run a suite; the blocking twin of `run_async`."""
    return run_blocking(run_async, suite, options)


async def run_http_async(suite: Suite, options: RunOptions) -> Report:
    """Run a suite without its GraphQL endpoints; WebSocket routes stand among the HTTP ones."""
    if not isinstance(suite, Suite):
        return await run_async(suite, options)
    return await run_async(suite.model_copy(update={"graphql": GraphQLSuite()}), options)


def run_http(suite: Suite, options: RunOptions) -> Report:
    """Run a suite without its GraphQL endpoints; the blocking twin of `run_http_async`."""
    return run_blocking(run_http_async, suite, options)


def http_runner(options: RunOptions) -> Runner:
    """The HTTP and GraphQL runner as one of a simulator's."""

    async def run_suite(suite: Suite) -> Report:
        return await run_async(suite, options)

    return runner_func("http", run_suite)


@asynccontextmanager
async def _session(options: RunOptions) -> AsyncIterator[Session]:
    base_url = check_base_url(options.base_url)
    limit = check_response_limit(options.max_response_bytes)
    if not is_number(options.concurrency, int) or options.concurrency < 1:
        raise InputError(f"concurrency is {options.concurrency!r}; it must be a whole number from 1 on")
    if not is_number(options.timeout, int | float) or not options.timeout > 0:
        raise InputError(f"timeout is {options.timeout!r}; it must be a number of seconds above 0")
    transport = open_transport() if options.client is None else _adapted(options.client)
    try:
        yield Session(
            transport,
            Target(base_url),
            limit,
            options.timeout,
            options.variables,
            bool(options.variables),
            options.websocket_runner,
        )
    finally:
        if options.client is None:
            await transport.aclose()


def _adapted(client: Any) -> Transport:
    from understudy.wire.clients import as_transport

    return as_transport(client)


def _run_result(
    item: Item,
    case: str,
    skipped: bool,
    status: int,
    error: str,
    failures: tuple[str, ...],
    duration_ms: float,
    notes: list[str],
) -> HTTPRunResult | GraphQLRunResult:
    owner = item.owner
    shared = {
        "path": owner.path,
        "case": case,
        "passed": not (skipped or error or failures),
        "skipped": skipped,
        "status": status,
        "error": error,
        "failures": list(failures),
        "duration_ms": round(duration_ms, 3),
        "notes": notes,
    }
    if item.protocol == "graphql":
        return trusted(GraphQLRunResult, endpoint=owner.name, **shared)
    return trusted(HTTPRunResult, operation=owner.operation, method=owner.method, **shared)
