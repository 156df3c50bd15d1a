"""The suite: every route, endpoint, service and job under test with its cases (`anvil.testbed.v1`)."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from understudy.testbed.cases import (
    Case,
    GraphQLCase,
    GraphQLExpectation,
    GraphQLInput,
    GraphQLUntil,
    GRPCCase,
    GRPCExpectation,
    GRPCInput,
    GRPCUntil,
    HTTPCase,
    HTTPExpectation,
    HTTPInput,
    HTTPUntil,
    KnownFailure,
    Polling,
    Retry,
    ScriptSource,
    WebSocketMessage,
)
from understudy.testbed.queue_cases import QueueCase, QueueExpectation, QueueInput, QueueUntil
from understudy.testbed.shape import Flag, SchemaShape, Shape

SCHEMA_V1 = "anvil.testbed.v1"


class HTTPRouteSuite(Shape):
    """One route and its cases; `params` are the names in the path."""

    operation: str = ""
    method: str = ""
    path: str = ""
    params: list[str] = Field(default_factory=list)
    websocket: Flag = False
    cases: list[HTTPCase] = Field(default_factory=list)


class HTTPSuite(Shape):
    """The HTTP and WebSocket routes."""

    routes: list[HTTPRouteSuite] = Field(default_factory=list)


class GraphQLEndpointSuite(Shape):
    """One GraphQL endpoint and its cases."""

    name: str = ""
    path: str = ""
    cases: list[GraphQLCase] = Field(default_factory=list)


class GraphQLSuite(Shape):
    """The GraphQL endpoints."""

    endpoints: list[GraphQLEndpointSuite] = Field(default_factory=list)


class GRPCMethodSuite(Shape):
    """One method of a gRPC service and its cases."""

    name: str = ""
    client_streaming: Flag = False
    server_streaming: Flag = False
    cases: list[GRPCCase] = Field(default_factory=list)


class GRPCServiceSuite(Shape):
    """One gRPC service, by its full name."""

    name: str = ""
    methods: list[GRPCMethodSuite] = Field(default_factory=list)


class GRPCSuite(Shape):
    """The gRPC services."""

    services: list[GRPCServiceSuite] = Field(default_factory=list)


class QueueJobSuite(Shape):
    """One job of a queue and its cases."""

    queue: str = ""
    job: str = ""
    cases: list[QueueCase] = Field(default_factory=list)


class QueueSuite(Shape):
    """The jobs of all queues."""

    jobs: list[QueueJobSuite] = Field(default_factory=list)


class Suite(SchemaShape):
    """Everything that is under test. Unknown keys are kept; another schema id is refused.

    >>> suite = Suite.model_validate({"http": {"routes": [{"operation": "getItem", "params": ["id"]}]}})
    >>> suite.schema, suite.http.routes[0].params
    ('anvil.testbed.v1', ['id'])
    """

    SCHEMA: ClassVar[str] = SCHEMA_V1
    WHAT: ClassVar[str] = "suite"

    schema_: str = Field(default=SCHEMA_V1, json_schema_extra={"const": SCHEMA_V1})
    http: HTTPSuite = Field(default_factory=HTTPSuite)
    graphql: GraphQLSuite = Field(default_factory=GraphQLSuite)
    grpc: GRPCSuite = Field(default_factory=GRPCSuite)
    queue: QueueSuite = Field(default_factory=QueueSuite)


__all__ = [
    "SCHEMA_V1",
    "Case",
    "GRPCCase",
    "GRPCExpectation",
    "GRPCInput",
    "GRPCMethodSuite",
    "GRPCServiceSuite",
    "GRPCSuite",
    "GRPCUntil",
    "GraphQLCase",
    "GraphQLEndpointSuite",
    "GraphQLExpectation",
    "GraphQLInput",
    "GraphQLSuite",
    "GraphQLUntil",
    "HTTPCase",
    "HTTPExpectation",
    "HTTPInput",
    "HTTPRouteSuite",
    "HTTPSuite",
    "HTTPUntil",
    "KnownFailure",
    "Polling",
    "QueueCase",
    "QueueExpectation",
    "QueueInput",
    "QueueJobSuite",
    "QueueSuite",
    "QueueUntil",
    "Retry",
    "ScriptSource",
    "Shape",
    "Suite",
    "WebSocketMessage",
]
