"""The entries of a script (YAML), which become cases of a suite; unknown keys are refused."""

from __future__ import annotations

from typing import Any, Self

from pydantic import Field, PrivateAttr, field_validator, model_validator

from understudy.testbed.cases import (
    Body,
    CaptureSource,
    GraphQLExpectation,
    GRPCExpectation,
    JSONSchema,
    KnownFailure,
    Names,
    Polling,
    Retry,
    ScriptSource,
    WebSocketMessage,
)
from understudy.testbed.path_expectation import PathExpectation, PathExpectations
from understudy.testbed.queue_cases import QueueExpectation, QueueInput, decode_base64
from understudy.testbed.shape import Flag, Integer, Number, Shape


class ScriptRetry(Retry, extra="forbid"):
    """`retry` in a script."""


class ScriptKnownFailure(KnownFailure, extra="forbid"):
    """`known` in a script."""


class ScriptMessage(WebSocketMessage, extra="forbid"):
    """A WebSocket message in a script."""


class HTTPScriptExpectation(Shape, extra="forbid"):
    """`expect` of an HTTP entry."""

    status: Integer = 0
    headers: dict[str, PathExpectation] = Field(default_factory=dict)
    body_contains: list[str] = Field(default_factory=list)
    stream_contains: list[str] = Field(default_factory=list)
    json_: PathExpectations = Field(default_factory=dict)
    schema_: JSONSchema | None = None
    latency_ms: Number | None = None


class HTTPScriptUntil(Polling, HTTPScriptExpectation, extra="forbid"):
    """`until` of an HTTP entry."""


class WebSocketScriptExpectation(Shape, extra="forbid"):
    """`expect` of a WebSocket entry; close code 0 stands for the default, 1000."""

    messages: list[ScriptMessage] = Field(default_factory=list)
    close_code: Integer = 0
    latency_ms: Number | None = None


class WebSocketScriptUntil(Polling, WebSocketScriptExpectation, extra="forbid"):
    """`until` of a WebSocket entry."""


class GraphQLScriptExpectation(GraphQLExpectation, extra="forbid"):
    """`expect` of a GraphQL entry; status 0 stands for the default, 200."""


class GraphQLScriptUntil(Polling, GraphQLScriptExpectation, extra="forbid"):
    """`until` of a GraphQL entry."""


class GRPCScriptExpectation(GRPCExpectation, extra="forbid"):
    """`expect` of a gRPC entry; an empty code stands for the default, OK."""


class GRPCScriptUntil(Polling, GRPCScriptExpectation, extra="forbid"):
    """`until` of a gRPC entry."""


class QueueScriptExpectation(QueueExpectation, extra="forbid"):
    """`expect` of a queue entry."""


class QueueScriptUntil(Polling, QueueScriptExpectation, extra="forbid"):
    """`until` of a queue entry."""


class ScriptEntry(Shape, extra="forbid"):
    """What the entries of all protocols share; where an entry stands is set by the loader as `source`."""

    name: str = ""
    expect: Any = None
    capture: dict[str, CaptureSource] = Field(default_factory=dict)
    needs: Names = Field(default_factory=list)
    finally_: Flag = False
    until: Any = None
    fail_if: Any = None
    retry: ScriptRetry | None = None
    follow_redirects: Flag | None = None
    timeout_ms: Number | None = None
    known: ScriptKnownFailure | None = None
    tags: Names = Field(default_factory=list)

    _source: ScriptSource | None = PrivateAttr(default=None)

    @property
    def source(self) -> ScriptSource | None:
        """Where the entry stands, set by the loader."""
        return self._source

    @source.setter
    def source(self, value: ScriptSource | None) -> None:
        self._source = value


class HTTPScript(ScriptEntry):
    """An entry under `http`, which becomes a case of the route with that operation."""

    operation: str = ""
    params: dict[str, Any] = Field(default_factory=dict)
    query: dict[str, Any] = Field(default_factory=dict)
    headers: dict[str, Any] = Field(default_factory=dict)
    locals: dict[str, Any] = Field(default_factory=dict)
    body: Body | None = None
    expect: HTTPScriptExpectation = Field(default_factory=HTTPScriptExpectation)
    until: HTTPScriptUntil | None = None
    fail_if: HTTPScriptExpectation | None = None


class WebSocketScript(ScriptEntry):
    """An entry under `websocket`, which becomes a case of the route with that operation."""

    operation: str = ""
    params: dict[str, Any] = Field(default_factory=dict)
    query: dict[str, Any] = Field(default_factory=dict)
    headers: dict[str, Any] = Field(default_factory=dict)
    locals: dict[str, Any] = Field(default_factory=dict)
    messages: list[ScriptMessage] = Field(default_factory=list)
    expect: WebSocketScriptExpectation = Field(default_factory=WebSocketScriptExpectation)
    until: WebSocketScriptUntil | None = None
    fail_if: WebSocketScriptExpectation | None = None


class GraphQLScript(ScriptEntry):
    """An entry under `graphql`; `endpoint` is the name or the path of one."""

    endpoint: str = ""
    query: str = ""
    operation_name: str = ""
    variables: dict[str, Any] = Field(default_factory=dict)
    subscription: Flag = False
    headers: dict[str, Any] = Field(default_factory=dict)
    expect: GraphQLScriptExpectation = Field(default_factory=GraphQLScriptExpectation)
    until: GraphQLScriptUntil | None = None
    fail_if: GraphQLScriptExpectation | None = None


class GRPCScript(ScriptEntry):
    """An entry under `grpc`, which becomes a case of that method of that service."""

    service: str = ""
    method: str = ""
    message: dict[str, Any] = Field(default_factory=dict)
    messages: list[dict[str, Any]] = Field(default_factory=list)
    metadata: dict[str, Any] = Field(default_factory=dict)
    expect: GRPCScriptExpectation = Field(default_factory=GRPCScriptExpectation)
    until: GRPCScriptUntil | None = None
    fail_if: GRPCScriptExpectation | None = None


class QueueScript(ScriptEntry):
    """An entry under `queue`; `body` is text, `body_base64` bytes: one of both.

    >>> QueueScript(queue="orders", job="ship", body_base64="aGk=").case_input().body
    'hi'
    """

    queue: str = ""
    job: str = ""
    body: str = ""
    body_base64: str = ""
    headers: dict[str, str] = Field(default_factory=dict)
    expect: QueueScriptExpectation = Field(default_factory=QueueScriptExpectation)
    until: QueueScriptUntil | None = None
    fail_if: QueueScriptExpectation | None = None

    @field_validator("body_base64")
    @classmethod
    def _is_base64(cls, value: str) -> str:
        decode_base64(value)
        return value

    @model_validator(mode="after")
    def _has_one_body(self) -> Self:
        if self.body and self.body_base64:
            raise ValueError("body and bodyBase64 cannot stand together; leave one of them out")
        return self

    def case_input(self) -> QueueInput:
        """The input of the case: decoded text if the bytes are text, base64 marked as such otherwise."""
        if self.body_base64:
            return QueueInput.from_bytes(decode_base64(self.body_base64), dict(self.headers))
        given = {"headers": dict(self.headers)} if self.headers else {}
        return QueueInput.model_validate({"body": self.body, **given})


class ScriptFile(Shape, extra="forbid"):
    """One script: its entries by protocol. `file` is set by the loader and is no key of the script.

    >>> ScriptFile(http=[HTTPScript(operation="getItem")]).http[0].operation
    'getItem'
    """

    http: list[HTTPScript] = Field(default_factory=list)
    websocket: list[WebSocketScript] = Field(default_factory=list)
    graphql: list[GraphQLScript] = Field(default_factory=list)
    grpc: list[GRPCScript] = Field(default_factory=list)
    queue: list[QueueScript] = Field(default_factory=list)

    _file: str = PrivateAttr(default="")

    @property
    def file(self) -> str:
        """The path that the script was loaded from, empty if it was built in Python."""
        return self._file

    @file.setter
    def file(self, value: str) -> None:
        self._file = value
