"""The protocols of the testbed, one folder each: how a case is put on the wire, and how the answer is judged.

A folder offers a `driver` module with a `Driver`; adding a protocol is a folder here and a line in `DRIVERS`.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, Protocol, cast

from understudy.testbed.cases import Case
from understudy.testbed.findings import Finding, Where
from understudy.testbed.protocols.attempt import Attempt
from understudy.testbed.protocols.unplugged import UnpluggedDriver
from understudy.testbed.session import Session


class Driver(Protocol):
    """How the cases of one protocol are tried and judged. `owner` is the case's route or endpoint."""

    async def attempt(self, owner: Any, case: Case, session: Session) -> Attempt:
        """Try the case once; whatever goes wrong stands in the attempt."""
        ...

    def judge(self, expectation: Any, attempt: Attempt, where: Where, *, defaults: bool) -> list[Finding]:
        """What of an expectation does not hold; `defaults` says that an unset status means the default one."""
        ...

    def notes(self, case: Case, attempt: Attempt) -> list[str]:
        """What the report should say beside the result."""
        ...


DRIVERS = {
    "http": "understudy.testbed.protocols.http.driver",
    "websocket": "understudy.testbed.protocols.websocket.driver",
    "graphql": "understudy.testbed.protocols.graphql.driver",
}


@cache
def driver(protocol: str) -> Driver:
    """The driver of a protocol; one that is not here yet skips its cases."""
    if protocol not in DRIVERS:
        return UnpluggedDriver(protocol)
    return cast("Driver", import_module(DRIVERS[protocol]).DRIVER)
