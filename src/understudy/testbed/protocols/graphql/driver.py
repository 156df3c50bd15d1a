"""Tries GraphQL cases."""

from __future__ import annotations

from typing import Any

from understudy.testbed.findings import Finding, Where
from understudy.testbed.models import GraphQLCase, GraphQLEndpointSuite
from understudy.testbed.protocols.attempt import Attempt, exchange
from understudy.testbed.protocols.graphql.check import judge_graphql
from understudy.testbed.protocols.graphql.request import build_request
from understudy.testbed.protocols.http.driver import cut_notes
from understudy.testbed.session import Session


class GraphQLDriver:
    """Operations at endpoints."""

    async def attempt(self, owner: GraphQLEndpointSuite, case: Any, session: Session) -> Attempt:
        """Send the operation of the case once."""
        return await exchange(build_request, owner, case, session)

    def judge(self, expectation: Any, attempt: Attempt, where: Where, *, defaults: bool) -> list[Finding]:
        """What of the expectation does not hold."""
        return judge_graphql(expectation, attempt, where, defaults=defaults)

    def notes(self, case: GraphQLCase, attempt: Attempt) -> list[str]:
        """A body that was cut."""
        return cut_notes(attempt)


DRIVER = GraphQLDriver()
