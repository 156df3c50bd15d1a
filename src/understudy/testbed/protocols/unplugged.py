"""Protocols that no runner is here for: their cases are skipped, and say what they would take."""

from __future__ import annotations

from typing import Any

from understudy.testbed.cases import Case
from understudy.testbed.findings import Finding, Where
from understudy.testbed.protocols.attempt import Attempt
from understudy.testbed.session import Session


class UnpluggedDriver:
    """Skips every case, so that none of them passes or vanishes unseen."""

    def __init__(self, protocol: str) -> None:
        self._reason = f"{protocol} cases require a {protocol} runner"

    async def attempt(self, owner: Any, case: Case, session: Session) -> Attempt:
        """Nothing is tried."""
        return Attempt(error=self._reason, skipped=True)

    def judge(self, expectation: Any, attempt: Attempt, where: Where, *, defaults: bool) -> list[Finding]:
        """There is nothing to judge."""
        return []

    def notes(self, case: Case, attempt: Attempt) -> list[str]:
        """There is nothing to say beside the reason."""
        return []
