"""Builds the request of a GraphQL case."""

from __future__ import annotations

from typing import Any

from understudy.testbed.models import GraphQLCase, GraphQLEndpointSuite
from understudy.testbed.protocols.http.request import build_headers, encode_json, encode_query
from understudy.testbed.session import Session
from understudy.wire.messages import Request


def build_request(endpoint: GraphQLEndpointSuite, case: GraphQLCase, session: Session) -> Request:
    """POST with a JSON body; GET with the operation in the query for a subscription."""
    given = case.input
    path = endpoint.path if endpoint.path.startswith("/") else f"/{endpoint.path}"
    url = f"{session.target.base_url}{path}"
    operation: dict[str, Any] = {"query": given.query}
    if given.operation_name:
        operation["operationName"] = given.operation_name
    if given.subscription:
        if given.variables:
            operation["variables"] = encode_json(given.variables).decode("utf-8")
        url += ("&" if "?" in path else "?") + encode_query(operation)
        return Request(
            "GET", url, build_headers(session.target, "", {"Accept": "text/event-stream", **given.headers})
        )
    if given.variables:
        operation["variables"] = given.variables
    return Request(
        "POST", url, build_headers(session.target, "application/json", given.headers), encode_json(operation)
    )
