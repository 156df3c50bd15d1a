"""GraphQL over HTTP: queries and mutations by POST (queries also by GET), subscriptions as event streams."""

from __future__ import annotations

import inspect
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from graphql import (
    DocumentNode,
    ExecutionResult,
    GraphQLError,
    GraphQLSchema,
    OperationDefinitionNode,
    OperationType,
    execute,
    get_operation_ast,
    parse,
    subscribe,
    validate,
)
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from storefront.errors import Invalid, ShopError, Unacceptable, WrongMethod
from storefront.graphql_api import FIELDS, Asking, make_schema
from storefront.incoming import customer_or_none, json_body, shop_of, text_in
from storefront.outgoing import event, event_stream


@dataclass(frozen=True, slots=True)
class Question:
    """One GraphQL request, however it came."""

    query: str
    operation_name: str | None = None
    variables: dict[str, Any] = field(default_factory=dict)


@cache
def schema() -> GraphQLSchema:
    """The schema, made when it is first asked for: the shop opens faster."""
    return make_schema()


async def answer_post(request: Request) -> Response:
    """POST /graphql"""
    body = await json_body(request)
    question = question_in(body.get("operationName"), body.get("variables"), text_in(body, "query"))
    prepared = prepare(question)
    if isinstance(prepared, list):
        return failed(prepared)
    document, operation = prepared
    if operation is OperationType.SUBSCRIPTION:
        raise WrongMethod("a subscription is asked for by GET with Accept: text/event-stream")
    return await run(request, question, document)


async def answer_get(request: Request) -> Response:
    """GET /graphql?query=QUERY"""
    query = request.query_params
    try:
        variables = json.loads(query.get("variables") or "null")
    except (ValueError, RecursionError):
        raise ShopError("'variables' is not JSON") from None
    question = question_in(query.get("operationName"), variables, text_in(dict(query), "query"))
    prepared = prepare(question)
    if isinstance(prepared, list):
        return failed(prepared)
    document, operation = prepared
    if operation is OperationType.MUTATION:
        raise WrongMethod("a mutation is asked for by POST")
    if operation is OperationType.QUERY:
        return await run(request, question, document)
    if "text/event-stream" not in request.headers.get("accept", ""):
        raise Unacceptable("a subscription needs the header Accept: text/event-stream")
    return await follow(request, question, document)


def question_in(operation_name: object, variables: object, query: str) -> Question:
    """A request whose parts have the right types."""
    if not (operation_name is None or isinstance(operation_name, str)):
        raise Invalid("'operationName' must be a text")
    if not (variables is None or isinstance(variables, dict)):
        raise Invalid("'variables' must be a JSON object")
    return Question(query, operation_name or None, variables or {})


def prepare(question: Question) -> tuple[DocumentNode, OperationType] | list[GraphQLError]:
    """The parsed and validated query and what kind it is, or everything that is wrong with it."""
    try:
        document = parse(question.query)
        errors = validate(schema(), document)
    except GraphQLError as error:
        return [error]
    if errors:
        return list(errors)
    operation: OperationDefinitionNode | None = get_operation_ast(document, question.operation_name)
    if operation is None:
        return [GraphQLError("say by operationName which operation is meant")]
    return document, operation.operation


async def run(request: Request, question: Question, document: DocumentNode) -> Response:
    """Answer a query or a mutation."""
    result = execute(
        schema(),
        document,
        root_value=FIELDS,
        context_value=Asking(shop_of(request), customer_or_none(request)),
        variable_values=question.variables,
        operation_name=question.operation_name,
    )
    if inspect.isawaitable(result):
        result = await result
    return JSONResponse(result.formatted)


async def follow(request: Request, question: Question, document: DocumentNode) -> Response:
    """Answer a subscription, one event for each result."""
    results = subscribe(
        schema(),
        document,
        root_value=FIELDS,
        context_value=Asking(shop_of(request), customer_or_none(request)),
        variable_values=question.variables,
        operation_name=question.operation_name,
    )
    if inspect.isawaitable(results):
        results = await results
    if isinstance(results, ExecutionResult):
        return JSONResponse(results.formatted)
    return event_stream(written(results))


async def written(results: AsyncIterator[ExecutionResult]) -> AsyncIterator[str]:
    """Results as server-sent events, with one at the end that says so."""
    async for result in results:
        yield event("next", result.formatted)
    yield event("complete", None)


def failed(errors: list[GraphQLError]) -> Response:
    """The answer to a query that cannot be run."""
    return JSONResponse({"errors": [error.formatted for error in errors]})


ROUTES = [Route("/graphql", answer_get), Route("/graphql", answer_post, methods=["POST"])]
