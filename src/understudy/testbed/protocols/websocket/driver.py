"""Hands WebSocket cases to a WebSocketRunner."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

from understudy.core.errors import UnderstudyError
from understudy.testbed.findings import Finding, Where
from understudy.testbed.models import HTTPCase, HTTPRouteSuite
from understudy.testbed.protocols.attempt import Attempt
from understudy.testbed.protocols.http.check import judge_latency
from understudy.testbed.results import HTTPRunResult
from understudy.testbed.session import Session
from understudy.testbed.shape import json_name
from understudy.wire.messages import Response

# What is judged by a response that is ours to see, which the runner's conversation is not.
_BEYOND = ("capture", "until", "fail_if")

NO_RUNNER = "websocket cases require a websocket runner"


class WebSocketDriver:
    """Conversations over WebSocket routes, held and judged by a runner that is not ours."""

    async def attempt(self, owner: HTTPRouteSuite, case: Any, session: Session) -> Attempt:
        """Let the runner hold the conversation; its verdict is the attempt's."""
        if session.websocket_runner is None:
            return Attempt(error=NO_RUNNER, skipped=True)
        asked = [json_name(name) for name in _BEYOND if getattr(case, name)]
        if asked:
            return Attempt(error=f"a websocket case cannot use {', '.join(asked)}: remove it from the case")
        blank = HTTPRunResult(operation=owner.operation, method=owner.method, path=owner.path, case=case.name)
        seconds = case.timeout_ms / 1000 if case.timeout_ms else None
        began = session.clock.monotonic()
        try:
            async with asyncio.timeout(seconds) as limit:
                given: Any = session.websocket_runner.run_websocket(owner, case, blank)
                result = await given if inspect.isawaitable(given) else given
        except TimeoutError as error:
            if not limit.expired():
                return Attempt(error=f"the websocket runner raised {type(error).__name__}: {error}")
            return Attempt(error=f"timed out after {seconds:g} s, in the websocket runner")
        except UnderstudyError as error:
            return Attempt(error=str(error))
        except Exception as error:
            return Attempt(error=f"the websocket runner raised {type(error).__name__}: {error}")
        duration = (session.clock.monotonic() - began) * 1000
        if not isinstance(result, HTTPRunResult):
            return Attempt(
                error=f"the websocket runner returned {type(result).__name__}, not an HTTPRunResult"
            )
        failures = tuple(result.failures)
        if not (result.passed or result.skipped or result.error or failures):
            failures = ("the websocket runner reported the case as not passed, without saying why",)
        return Attempt(
            response=Response(result.status, (), b"") if result.status else None,
            error=result.error,
            duration_ms=result.duration_ms or duration,
            skipped=result.skipped,
            failures=failures,
            notes=tuple(result.notes),
        )

    def judge(self, expectation: Any, attempt: Attempt, where: Where, *, defaults: bool) -> list[Finding]:
        """What the runner found, and whether it took too long; `expectation` is the runner's to judge else."""
        findings = [Finding(where, failure) for failure in attempt.failures]
        return findings + judge_latency(expectation, attempt, where)

    def notes(self, case: HTTPCase, attempt: Attempt) -> list[str]:
        """What the runner notes."""
        return list(attempt.notes)


DRIVER = WebSocketDriver()
