"""Tries HTTP cases."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from understudy.testbed.findings import Finding, Where
from understudy.testbed.models import HTTPCase, HTTPExpectation, HTTPRouteSuite
from understudy.testbed.protocols.attempt import Attempt, exchange
from understudy.testbed.protocols.http.check import judge_http
from understudy.testbed.protocols.http.request import build_request
from understudy.testbed.session import Session

_NOT_JUDGED = "messages and closeCode are not judged: the route is no WebSocket route"
_NOTHING_EXPECTED = HTTPExpectation()


class HTTPDriver:
    """Requests to routes."""

    def attempt(self, owner: HTTPRouteSuite, case: Any, session: Session) -> Coroutine[Any, Any, Attempt]:
        """Send the request of the case once."""
        return exchange(build_request, owner, case, session)

    def judge(self, expectation: Any, attempt: Attempt, where: Where, *, defaults: bool) -> list[Finding]:
        """What of the expectation does not hold."""
        return judge_http(expectation, attempt, where, defaults=defaults)

    def notes(self, case: HTTPCase, attempt: Attempt) -> list[str]:
        """A body that was cut, what only a WebSocket could show, and a case that expects nothing."""
        notes = cut_notes(attempt)
        if case.expect.messages or case.expect.close_code:
            notes.append(_NOT_JUDGED)
        if case.expect.status or case.until is not None or case.fail_if is not None or case.capture:
            return notes
        # By its fields alone: an unknown key of a suite expects nothing, however it is called.
        if case.expect.__dict__ == _NOTHING_EXPECTED.__dict__:
            notes.append("the case expects nothing: any status below 400 passes")
        return notes


def cut_notes(attempt: Attempt) -> list[str]:
    """Says that the body was longer than what was kept of it."""
    response = attempt.response
    if response is None or not response.truncated:
        return []
    return [f"the body was cut after {len(response.body)} bytes, the response limit"]


DRIVER = HTTPDriver()
