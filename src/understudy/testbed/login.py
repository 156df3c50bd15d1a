"""The login step: one request before all cases, whose captures every case can use as `${name}`."""

from __future__ import annotations

from typing import Any

from understudy.core.errors import UnderstudyError
from understudy.testbed.case_run import run_case
from understudy.testbed.items import Item
from understudy.testbed.models import HTTPCase, HTTPExpectation, HTTPInput, HTTPRouteSuite
from understudy.testbed.session import Session
from understudy.testbed.settings import LoginSettings
from understudy.testbed.ties import names_of


class LoginFailed(UnderstudyError):
    """The login did not give what it was to capture, so no case can run."""


async def log_in(settings: LoginSettings, session: Session) -> dict[str, Any]:
    """Send the login request; the captured values, by their names and as `login.name`."""
    route = HTTPRouteSuite(operation="login", method=settings.method, path=settings.path)
    case = HTTPCase(
        name="login",
        input=HTTPInput(headers=settings.headers, query=settings.query, body=settings.body),
        expect=HTTPExpectation(status=settings.status),
        capture=settings.capture,
    )
    item = Item("http", route, case, 0)
    item.names = frozenset(names_of(item))
    result = await run_case(item, session, {})
    if not result.passed:
        reasons = "; ".join([result.error, *(finding.message for finding in result.findings)]).strip("; ")
        raise LoginFailed(f"the login step ({settings.method} {settings.path}) failed: {reasons}")
    return {**result.captured, **{f"login.{name}": value for name, value in result.captured.items()}}
