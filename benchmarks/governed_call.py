"""What governing a call costs, as a multiple of the least that could be written by hand, whatever the log holds.

The thin path does the same steps without any of the care: permission from a table, a sliding window, the hash of the
arguments, a decision by impact, a record with an id and a time. It hashes JSON with the same ids and the same hash.
"""

from __future__ import annotations

import json
import sys
import time
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from typing import Any
from uuid import uuid4

from benchmarks.claims import Claim, report
from benchmarks.measuring import ratio, rounds, show
from understudy.governance import AgentAction, AgentGovernor, HITLGateway, ReviewService, govern

ROUNDS = 25
CALLS = 1_000
FEW, MANY = 10, 1_000_000
AGENT, ACTION, TRUST, TARGET, IMPACT = "triage-bot", "enrich", "semi_trusted", "indicator--abc123", "medium"
ARGUMENTS: dict[str, Any] = {
    "indicator": "indicator--abc123",
    "sources": ["virustotal", "shodan"],
    "depth": 2,
    "confidence": 0.75,
    "overwrite": False,
    "labels": {"campaign": "winter", "analyst": "ann"},
}
LIMIT, WINDOW = 10**9, 60.0
Call = Callable[[], object]


def ours(logged: int) -> Call:
    """Our governed call, on a log that holds so many actions already."""
    governor = AgentGovernor(LIMIT, WINDOW)
    gateway = HITLGateway(ReviewService(), action_types=governor.action_types)
    moment = datetime.now(UTC)
    for number in range(logged):
        governor.record_action(
            AgentAction(f"agent-{number % 100}", ACTION, TARGET, recorded_at=moment, action_id=str(number))
        )
    return partial(govern, governor, gateway, AGENT, ACTION, TRUST, TARGET, IMPACT, ARGUMENTS)


def by_hand() -> Call:
    """The same steps, written down as shortly as they can be."""
    permitted = {TRUST: {"read_stix", "write_stix", "enrich", "ingest", "escalate", "hypothesize"}}
    calls: dict[str, deque[float]] = {AGENT: deque()}
    log: list[dict[str, Any]] = []

    def call() -> str:
        if ACTION not in permitted[TRUST]:
            raise PermissionError(ACTION)
        now, entered = time.perf_counter(), calls[AGENT]
        while entered and entered[0] <= now - WINDOW:
            entered.popleft()
        if len(entered) >= LIMIT:
            raise RuntimeError("too many calls")
        entered.append(now)
        text = json.dumps(ARGUMENTS, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        digest = sha256(text.encode()).hexdigest()
        status = "approved" if IMPACT in ("low", "medium") else "pending"
        log.append(
            {
                "agent_id": AGENT,
                "action_type": ACTION,
                "target_ref": TARGET,
                "impact_level": IMPACT,
                "trust_level": TRUST,
                "status": status,
                "arguments_hash": digest,
                "recorded_at": datetime.now(UTC),
                "action_id": str(uuid4()),
            }
        )
        return status

    return call


def timed(make: Callable[[], Call]) -> Callable[[], float]:
    """The time in microseconds that one call takes of a processor: it waits for nothing, so others do not count."""
    call = make()

    def measure() -> float:
        began = time.thread_time()
        for _ in range(CALLS):
            call()
        return (time.thread_time() - began) / CALLS * 1e6

    return measure


def main() -> int:
    """Measure, show, and judge the claims."""
    few, many, thin = f"governed, log of {FEW}", f"governed, log of {MANY:,}", "by hand"
    times = rounds(
        {few: timed(partial(ours, FEW)), many: timed(partial(ours, MANY)), thin: timed(by_hand)}, ROUNDS
    )
    show("One governed call", times, "us")
    return report(
        Claim(f"governed call with a log of {FEW}, by the thin path", ratio(times, few, thin), at_most=2),
        Claim(f"governed call with a log of {MANY:,}, by the thin path", ratio(times, many, thin), at_most=2),
    )


if __name__ == "__main__":
    sys.exit(main())
