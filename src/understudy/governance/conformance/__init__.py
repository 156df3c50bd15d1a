"""What an agent framework's approval flow must keep to, as cases that any such flow can be run through.

In: a flow (an adapter of a framework, or one of your own). Out: a report with an outcome for every case. In pipeline
order: `flow` is what an adapter offers, `bench` what the suite hands to it, `trial` how a case speaks with both,
`cases` are the properties, `suite` runs them, `report` is what came of it. `gateway_flow` is a flow built on our
gateway, `gateway_front` puts our gateway in front of somebody else's flow, `faulty` is wrong on demand.

The names below are imported when they are first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from understudy.core.late_names import late_names

if TYPE_CHECKING:
    from understudy.governance.conformance.bench import CountingBench
    from understudy.governance.conformance.faulty import FAULTS, FaultyFlow
    from understudy.governance.conformance.flow import (
        ApprovalFlow,
        Approve,
        Bench,
        Call,
        NotOffered,
        Refuse,
        Request,
        Session,
    )
    from understudy.governance.conformance.gateway_flow import GatewayFlow
    from understudy.governance.conformance.gateway_front import GatewayFront
    from understudy.governance.conformance.report import ConformanceReport, verdict_table
    from understudy.governance.conformance.suite import CASES, run_conformance, run_conformance_async

_HOME = {
    "ApprovalFlow": "flow",
    "Approve": "flow",
    "Bench": "flow",
    "CASES": "suite",
    "Call": "flow",
    "ConformanceReport": "report",
    "CountingBench": "bench",
    "FAULTS": "faulty",
    "FaultyFlow": "faulty",
    "GatewayFlow": "gateway_flow",
    "GatewayFront": "gateway_front",
    "NotOffered": "flow",
    "Refuse": "flow",
    "Request": "flow",
    "Session": "flow",
    "run_conformance": "suite",
    "run_conformance_async": "suite",
    "verdict_table": "report",
}

__all__ = [
    "CASES",
    "FAULTS",
    "ApprovalFlow",
    "Approve",
    "Bench",
    "Call",
    "ConformanceReport",
    "CountingBench",
    "FaultyFlow",
    "GatewayFlow",
    "GatewayFront",
    "NotOffered",
    "Refuse",
    "Request",
    "Session",
    "run_conformance",
    "run_conformance_async",
    "verdict_table",
]


__getattr__, __dir__ = late_names(__name__, _HOME)
