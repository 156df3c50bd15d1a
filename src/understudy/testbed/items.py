"""A suite's cases as items in the order of the suite: which of them run, and what each is called."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from understudy.testbed.cases import Case
from understudy.testbed.models import (
    GraphQLEndpointSuite,
    GRPCServiceSuite,
    HTTPCase,
    HTTPRouteSuite,
    QueueJobSuite,
    Suite,
)


@dataclass(slots=True)
class Item:
    """One case that is to run. `index` is its place in the suite.

    `needs` are the places of the cases that must have passed before it; `sources` tells for each `${name}` that a
    case captures which case that is; `names` are all names that it refers to.
    """

    protocol: str
    owner: Any
    case: Case
    index: int
    needs: tuple[int, ...] = ()
    sources: dict[str, int] = field(default_factory=dict)
    names: frozenset[str] = frozenset()

    @property
    def label(self) -> str:
        """The protocol, the route or endpoint, and the case's name."""
        return case_label(self.protocol, self.owner, self.case.name)


@dataclass(frozen=True, slots=True)
class GRPCTarget:
    """A method of a service, which its suite's model alone does not name in full."""

    service: str
    method: str


def case_label(protocol: str, owner: Any, name: str) -> str:
    """How a case is called in ids and messages.

    >>> case_label("http", HTTPRouteSuite(operation="getItem"), "first")
    'http/getItem/first'
    """
    if isinstance(owner, HTTPRouteSuite):
        place = owner.operation or f"{owner.method} {owner.path}"
    elif isinstance(owner, GRPCTarget):
        place = f"{owner.service}/{owner.method}"
    elif isinstance(owner, QueueJobSuite):
        place = f"{owner.queue}/{owner.job}"
    else:
        place = owner.name or owner.path
    return f"{protocol}/{place}/{name}" if name else f"{protocol}/{place}"


def runnable_cases(route: HTTPRouteSuite, include_generated: bool) -> list[HTTPCase]:
    """The route's cases that run: all, or only the scripted ones where there are any."""
    if include_generated:
        return route.cases
    return [case for case in route.cases if case.is_scripted] or route.cases


def route_items(routes: Iterable[HTTPRouteSuite], include_generated: bool, start: int = 0) -> Iterator[Item]:
    """The items of HTTP and WebSocket routes."""
    index = start
    for route in routes:
        protocol = "websocket" if route.websocket else "http"
        for case in runnable_cases(route, include_generated):
            yield Item(protocol, route, case, index)
            index += 1


def endpoint_items(endpoints: Iterable[GraphQLEndpointSuite], start: int) -> Iterator[Item]:
    """The items of GraphQL endpoints."""
    index = start
    for endpoint in endpoints:
        for case in endpoint.cases:
            yield Item("graphql", endpoint, case, index)
            index += 1


def service_items(services: Iterable[GRPCServiceSuite], start: int = 0) -> Iterator[Item]:
    """The items of gRPC services."""
    index = start
    for service in services:
        for method in service.methods:
            for case in method.cases:
                yield Item("grpc", GRPCTarget(service.name, method.name), case, index)
                index += 1


def job_items(jobs: Iterable[QueueJobSuite], start: int = 0) -> Iterator[Item]:
    """The items of queue jobs."""
    index = start
    for job in jobs:
        for case in job.cases:
            yield Item("queue", job, case, index)
            index += 1


def suite_items(suite: Suite, include_generated: bool) -> list[Item]:
    """Every case that runs: HTTP routes first, then GraphQL endpoints."""
    items = list(route_items(suite.http.routes, include_generated))
    items.extend(endpoint_items(suite.graphql.endpoints, len(items)))
    return items
