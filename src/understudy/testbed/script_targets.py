"""Finds in a suite what the entries of scripts refer to: a route, an endpoint, a method or a job."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from understudy.core.nearness import closest_name
from understudy.documents.positions import Path
from understudy.testbed.models import (
    GraphQLEndpointSuite,
    GRPCMethodSuite,
    HTTPRouteSuite,
    QueueJobSuite,
    Suite,
)
from understudy.testbed.path_template import parameters_in
from understudy.testbed.script_models import (
    GraphQLScript,
    GRPCScript,
    HTTPScript,
    QueueScript,
    ScriptEntry,
    WebSocketScript,
)

Target = HTTPRouteSuite | GraphQLEndpointSuite | GRPCMethodSuite | QueueJobSuite
Found = TypeVar("Found", bound=Target)

_NAMES_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Complaint:
    """What is wrong with an entry, and where in it (at the key, or else at the value)."""

    path: Path
    message: str
    hint: str = ""
    key: bool = False


class Targets:
    """Everything in a suite that an entry can refer to.

    >>> suite = Suite.model_validate({"schema": "anvil.testbed.v1",
    ...     "http": {"routes": [{"operation": "getItem", "path": "/items/{id}"}]}})
    >>> Targets(suite).find(HTTPScript(operation="getItem")).path
    '/items/{id}'
    >>> Targets(suite).find(HTTPScript(operation="getItm"))[0].hint
    "did you mean 'getItem'?"
    """

    def __init__(self, suite: Suite) -> None:
        self._routes = _by(suite.http.routes, "operation")
        self._endpoints_by_name = _by(suite.graphql.endpoints, "name")
        self._endpoints_by_path = _by(suite.graphql.endpoints, "path")
        self._services: dict[str, dict[str, list[GRPCMethodSuite]]] = {}
        for service in suite.grpc.services:
            methods = self._services.setdefault(service.name, {})
            for method in service.methods:
                methods.setdefault(method.name, []).append(method)
        self._queues: dict[str, dict[str, list[QueueJobSuite]]] = {}
        for job in suite.queue.jobs:
            self._queues.setdefault(job.queue, {}).setdefault(job.job, []).append(job)

    def find(self, entry: ScriptEntry) -> Target | list[Complaint]:
        """What an entry refers to, or why that cannot be told."""
        match entry:
            case HTTPScript() | WebSocketScript():
                return self._route(entry.operation, isinstance(entry, WebSocketScript))
            case GraphQLScript():
                return self._endpoint(entry.endpoint)
            case GRPCScript():
                return _nested(
                    self._services, ("service", entry.service), ("method", entry.method), "gRPC services"
                )
            case QueueScript():
                return _nested(self._queues, ("queue", entry.queue), ("job", entry.job), "queues")
        raise TypeError(f"{type(entry).__name__} is no entry of a script")

    def _route(self, operation: str, is_websocket: bool) -> HTTPRouteSuite | list[Complaint]:
        if not operation:
            return [_missing("operation", "name the operation of a route")]
        routes = self._routes.get(operation, [])
        fitting = [route for route in routes if route.websocket == is_websocket]
        if routes and not fitting:
            kind, section = ("an HTTP", "http") if is_websocket else ("a WebSocket", "websocket")
            message = f"{_shown(operation)} is {kind} route"
            return [Complaint(("operation",), message, f"move this entry to {section!r}")]
        names = [
            name
            for name, named in self._routes.items()
            if any(route.websocket == is_websocket for route in named)
        ]
        what = "WebSocket routes" if is_websocket else "HTTP routes"
        return _only(fitting, "operation", operation, names, what)

    def _endpoint(self, reference: str) -> GraphQLEndpointSuite | list[Complaint]:
        if not reference:
            return [_missing("endpoint", "give the name or the path of a GraphQL endpoint")]
        found = self._endpoints_by_name.get(reference) or self._endpoints_by_path.get(reference, [])
        names = [*self._endpoints_by_name, *self._endpoints_by_path]
        return _only(found, "endpoint", reference, names, "GraphQL endpoints")


def parameter_names(route: HTTPRouteSuite) -> list[str]:
    """The parameters of a route: those that it lists, and those in its path.

    >>> parameter_names(HTTPRouteSuite(path="/a/{id}/{rest...}", params=["id"]))
    ['id', 'rest']
    """
    return list(dict.fromkeys([*route.params, *parameters_in(route.path)]))


def unknown(
    path: Path, what: str, name: str, known: Iterable[str], among: str, key: bool = False
) -> Complaint:
    """The complaint that there is no such thing, with the nearest one that there is."""
    names = [candidate for candidate in dict.fromkeys(known) if candidate]
    nearest = closest_name(name, names)
    if nearest:
        hint = f"did you mean {nearest!r}?"
    elif len(names) > _NAMES_SHOWN:
        hint = f"{among}: {', '.join(names[:_NAMES_SHOWN])} and {len(names) - _NAMES_SHOWN} more"
    else:
        hint = f"{among}: {', '.join(names) or 'none'}"
    return Complaint(path, f"unknown {what} {_shown(name)}", hint, key)


def _by(targets: Sequence[Found], attribute: str) -> dict[str, list[Found]]:
    found: dict[str, list[Found]] = {}
    for target in targets:
        found.setdefault(getattr(target, attribute), []).append(target)
    return found


def _nested(
    groups: dict[str, dict[str, list[Found]]], outer: tuple[str, str], inner: tuple[str, str], what: str
) -> Found | list[Complaint]:
    """Both names must be there, then the outer one must be known, then the inner one within it."""
    (outer_key, outer_name), (inner_key, inner_name) = outer, inner
    missing = [
        _missing(key, f"give both {outer_key} and {inner_key}") for key, name in (outer, inner) if not name
    ]
    if missing:
        return missing
    if outer_name not in groups:
        return [unknown((outer_key,), outer_key, outer_name, groups, f"the suite's {what}")]
    known = groups[outer_name]
    found = known.get(inner_name, [])
    return _only(found, inner_key, inner_name, known, f"{inner_key}s of {_shown(outer_name)}", is_whole=True)


def _only(
    found: Sequence[Found], key: str, name: str, known: Iterable[str], among: str, *, is_whole: bool = False
) -> Found | list[Complaint]:
    if len(found) == 1:
        return found[0]
    among = among if is_whole else f"the suite's {among}"
    if not found:
        return [unknown((key,), key, name, known, among)]
    message = f"{key} {_shown(name)} is {len(found)} times in the suite, so it does not say which is meant"
    return [Complaint((key,), message, "give them different names in the suite")]


def _missing(key: str, hint: str) -> Complaint:
    return Complaint((key,), f"{key!r} is missing", hint)


def _shown(name: Any) -> str:
    text = str(name)
    return repr(text if len(text) <= 80 else text[:79] + "…")
