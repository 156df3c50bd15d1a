"""What only the whole run can tell of rule tests: mocks that nothing hits, and lines that nothing reaches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from understudy.core.ids import case_id
from understudy.core.outcome import Failure, Location, Outcome, Status
from understudy.rules.coverage.verdict import coverage_verdict
from understudy.rules.outcomes import ACT

MOCKS = "(mocks)"
OPT_OUT = "remove it, or write it as optional(...) if not every file that shares it needs it"


def conclusions_from(evidence: Mapping[str, Any]) -> Iterator[Outcome]:
    """The last outcomes. A file with a test that broke off, or did not run, is not judged: it may have hit more."""
    ran: Mapping[str, list[str]] = evidence.get("ran", {})
    tests: Mapping[str, list[str]] = evidence.get("tests", {})
    for file, mocks in evidence.get("mocks", {}).items():
        if set(tests.get(file, ())) <= set(ran.get(file, ())):
            yield from _dead_mocks(file, mocks, evidence)
    yield from coverage_verdict(evidence)


def _dead_mocks(file: str, mocks: Mapping[str, int], evidence: Mapping[str, Any]) -> Iterator[Outcome]:
    optional = set(evidence.get("optional", {}).get(file, ()))
    places: Mapping[str, Any] = evidence.get("places", {}).get(file, {})
    dead = [key for key, hits in mocks.items() if not hits and key not in optional]
    if not dead:
        return
    failures = tuple(
        Failure(
            f"the mock {key!r} is dead: no test of this file sends a request that it answers; {OPT_OUT}",
            "at least one request",
            "none",
            location=Location(file, _first(places.get(key))),
        )
        for key in dead
    )
    yield Outcome(
        id=case_id(ACT, file, MOCKS),
        act=ACT,
        name=f"mocks of {file}",
        status=Status.FAILED,
        failures=failures,
        location=failures[0].location,
    )


def _first(lines: Any) -> int | None:
    return min(int(line) for line in lines) if lines else None
