"""Tries HTTP cases."""

from __future__ import annotations

from typing import Any

from understudy.core.errors import UnderstudyError
from understudy.testbed.findings import Finding, Where
from understudy.testbed.models import HTTPCase, HTTPExpectation, HTTPRouteSuite
from understudy.testbed.protocols.attempt import Attempt, exchange
from understudy.testbed.protocols.http.check import judge_http
from understudy.testbed.protocols.http.request import build_request
from understudy.testbed.session import Session

_NOTHING_EXPECTED = HTTPExpectation()


class HTTPDriver:
    """Requests to routes."""

    async def attempt(self, owner: HTTPRouteSuite, case: Any, session: Session) -> Attempt:
        """Send the request of the case once."""
        try:
            request = build_request(owner, case, session)
        except UnderstudyError as error:
            return Attempt(error=str(error))
        timeout = session.timeout if case.timeout_ms is None else case.timeout_ms / 1000
        return await exchange(request, session, timeout, case.follow_redirects is not False)

    def judge(self, expectation: Any, attempt: Attempt, where: Where, *, defaults: bool) -> list[Finding]:
        """What of the expectation does not hold."""
        return judge_http(expectation, attempt, where, defaults=defaults)

    def notes(self, case: HTTPCase, attempt: Attempt) -> list[str]:
        """A body that was cut, and a case that expects nothing."""
        notes = cut_notes(attempt)
        if not case.expect.status and case.expect == _NOTHING_EXPECTED:
            notes.append("the case expects nothing: any status below 400 passes")
        return notes


def cut_notes(attempt: Attempt) -> list[str]:
    """Says that the body was longer than what was kept of it."""
    response = attempt.response
    if response is None or not response.truncated:
        return []
    return [f"the body was cut after {len(response.body)} bytes, the response limit"]


DRIVER = HTTPDriver()
