"""The cases of every protocol: what is put in, what is expected, and what a case may ask for beside."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from understudy.testbed.capture_source import check_source
from understudy.testbed.path_expectation import (
    PathExpectation,
    PathExpectations,
    check_expectation,
    check_path,
)
from understudy.testbed.shape import Flag, Integer, Number, Shape


def _source(value: Any) -> Any:
    if not isinstance(value, str | dict):
        raise ValueError(f"must be a text or a mapping, not {value!r:.80}")
    return check_source(value)


def _body(value: Any) -> Any:
    if value is None or isinstance(value, str | list):
        return value
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise ValueError(f"must be a mapping with text as keys, a list or a text, not {value!r:.80}")
    return value


def _one_or_several(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _json_schema(value: Any) -> Any:
    if not isinstance(value, dict | bool) and value is not None:
        raise ValueError(f"must be a JSON Schema (an object or a boolean), not {value!r:.80}")
    return value


def _graphql_errors(value: Any) -> Any:
    if value is None or value is False:
        return value
    if isinstance(value, list | tuple):
        for index, text in enumerate(value):
            if not isinstance(text, str) or not text:
                raise ValueError(f"entry {index} must be a text that is not empty, not {text!r:.80}")
        return value
    if isinstance(value, dict):
        for path, expectation in value.items():
            try:
                check_path(path)
                check_expectation(expectation)
            except ValueError as error:
                raise ValueError(f"at {path!r}: {error}") from None
        return value
    raise ValueError(
        f"must be a list of texts, false (none allowed) or a mapping of paths, not {value!r:.80}"
    )


def _iso_date(value: Any) -> Any:
    # YAML reads an unquoted 2026-12-31 as a date.
    if isinstance(value, date):
        return value.isoformat()[:10]
    if isinstance(value, str) and value:
        try:
            date.fromisoformat(value)
        except ValueError:
            raise ValueError(f"{value!r:.80} is no date; write it as 2026-12-31") from None
    return value


# Whatever could fail is checked before the union is, so that one mistake gives one error at its own place.
Attempts = Annotated[Integer, Field(ge=1, le=10_000)]
CaptureSource = Annotated[str | dict[str, Any], BeforeValidator(_source)]
# JSON, or a text that is sent as it is.
Body = Annotated[dict[str, Any] | list[Any] | str, BeforeValidator(_body)]
Names = Annotated[list[str], BeforeValidator(_one_or_several, json_schema_input_type=list[str] | str)]
JSONSchema = Annotated[dict[str, Any] | bool, BeforeValidator(_json_schema)]
GraphQLErrors = Annotated[list[str] | Literal[False] | PathExpectations, BeforeValidator(_graphql_errors)]


class ScriptSource(Shape):
    """Where in a script a case stands, counted from 1."""

    file: str = ""
    line: Integer = 0
    column: Integer = 0


class KnownFailure(Shape):
    """A failure that the owner of a case knows of: why it is tolerated and until which day (ISO date)."""

    reason: Annotated[str, Field(min_length=1)]
    until: Annotated[str, BeforeValidator(_iso_date)] = ""


class Retry(Shape):
    """How often a case that does not pass is tried in all, and how long is waited in between."""

    attempts: Attempts = 2
    delay_ms: Number = 0


class Polling(Shape):
    """How often a case is tried in all until something holds, and how long is waited in between."""

    attempts: Attempts = 10
    delay_ms: Number = 500


class Case(Shape):
    """What the cases of all protocols share; `input`, `expect`, `until` and `fail_if` are narrowed by each.

    A case that scripts added carries `script` and `source`; the others are generated.
    """

    name: str = ""
    input: Any = None
    expect: Any = None
    script: str = ""
    source: ScriptSource | None = None
    capture: dict[str, CaptureSource] = Field(default_factory=dict)
    needs: Names = Field(default_factory=list)
    finally_: Flag = False
    until: Any = None
    fail_if: Any = None
    retry: Retry | None = None
    follow_redirects: Flag | None = None
    timeout_ms: Number | None = None
    known: KnownFailure | None = None
    tags: Names = Field(default_factory=list)

    @property
    def is_scripted(self) -> bool:
        """True if a script added this case, false if it was generated."""
        return bool(self.script) or self.source is not None


class WebSocketMessage(Shape):
    """One message of a WebSocket: `text`, `binary` (data is base64), `close`, `ping` or `pong`."""

    type: str = ""
    data: str = ""


class HTTPInput(Shape):
    """What an HTTP or WebSocket case sends.

    `body` None is no body, an empty map an empty body of the type JSON. Other maps and lists are sent as JSON; a
    text is sent as it is, and its type is for the case's own headers to say.
    """

    params: dict[str, Any] = Field(default_factory=dict)
    query: dict[str, Any] = Field(default_factory=dict)
    headers: dict[str, Any] = Field(default_factory=dict)
    locals: dict[str, Any] = Field(default_factory=dict)
    body: Body | None = None
    messages: list[WebSocketMessage] = Field(default_factory=list)


class HTTPExpectation(Shape):
    """What must hold of the response; status 0 means any below 400, close code 0 is not compared."""

    status: Integer = 0
    headers: dict[str, PathExpectation] = Field(default_factory=dict)
    body_contains: list[str] = Field(default_factory=list)
    stream_contains: list[str] = Field(default_factory=list)
    messages: list[WebSocketMessage] = Field(default_factory=list)
    close_code: Integer = 0
    json_: PathExpectations = Field(default_factory=dict)
    schema_: JSONSchema | None = None
    latency_ms: Number | None = None


class HTTPUntil(Polling, HTTPExpectation):
    """An HTTP case is asked again until this holds."""


class HTTPCase(Case):
    """One request to an HTTP route, or one conversation over a WebSocket route.

    >>> HTTPCase(name="first", input=HTTPInput(params={"id": 1})).input.params
    {'id': 1}
    """

    input: HTTPInput = Field(default_factory=HTTPInput)
    expect: HTTPExpectation = Field(default_factory=HTTPExpectation)
    until: HTTPUntil | None = None
    fail_if: HTTPExpectation | None = None


class GraphQLInput(Shape):
    """A GraphQL operation; a subscription is asked for by GET and answered as an event stream."""

    query: str = ""
    operation_name: str = ""
    variables: dict[str, Any] = Field(default_factory=dict)
    subscription: Flag = False
    headers: dict[str, Any] = Field(default_factory=dict)


class GraphQLExpectation(Shape):
    """What must hold of a GraphQL response; status 0 means 200.

    `errors` None expects nothing; an empty list or False allows no error; each text of a list must occur in
    the message of an error; a mapping holds expectations of paths below `errors`.
    """

    status: Integer = 0
    body_contains: list[str] = Field(default_factory=list)
    headers: dict[str, PathExpectation] = Field(default_factory=dict)
    json_: PathExpectations = Field(default_factory=dict)
    schema_: JSONSchema | None = None
    latency_ms: Number | None = None
    data: PathExpectations = Field(default_factory=dict)
    errors: GraphQLErrors | None = None


class GraphQLUntil(Polling, GraphQLExpectation):
    """A GraphQL case is asked again until this holds."""


class GraphQLCase(Case):
    """One operation at a GraphQL endpoint."""

    input: GraphQLInput = Field(default_factory=GraphQLInput)
    expect: GraphQLExpectation = Field(default_factory=GraphQLExpectation)
    until: GraphQLUntil | None = None
    fail_if: GraphQLExpectation | None = None


class GRPCInput(Shape):
    """The message of a call, or the messages of a client stream, in their JSON form."""

    message: dict[str, Any] = Field(default_factory=dict)
    messages: list[dict[str, Any]] = Field(default_factory=list)
    metadata: dict[str, Any] = Field(default_factory=dict)


class GRPCExpectation(Shape):
    """What must hold of the answer; an empty code means OK."""

    code: str = ""
    message: dict[str, Any] = Field(default_factory=dict)
    messages: list[dict[str, Any]] = Field(default_factory=list)
    json_: PathExpectations = Field(default_factory=dict)
    schema_: JSONSchema | None = None
    latency_ms: Number | None = None


class GRPCUntil(Polling, GRPCExpectation):
    """A gRPC case is asked again until this holds."""


class GRPCCase(Case):
    """One call of a gRPC method."""

    input: GRPCInput = Field(default_factory=GRPCInput)
    expect: GRPCExpectation = Field(default_factory=GRPCExpectation)
    until: GRPCUntil | None = None
    fail_if: GRPCExpectation | None = None
