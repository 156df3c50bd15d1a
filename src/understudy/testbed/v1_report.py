"""A run's outcomes as a report of the founding document (`anvil.testbed.report.v1`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from understudy.core.outcome import Outcome, Status
from understudy.testbed.catalogue import ACT
from understudy.testbed.marshal import marshal_report_json
from understudy.testbed.results import GraphQLRunResult, HTTPRunResult, Report


def write_v1_report(outcomes: Iterable[Outcome], out: TextIO) -> None:
    """Write the results of the testbed's cases, in the order of the outcomes."""
    http: list[HTTPRunResult] = []
    graphql: list[GraphQLRunResult] = []
    for outcome in outcomes:
        if outcome.act != ACT or "protocol" not in outcome.details:
            continue
        details = dict(outcome.details)
        details.pop("updates", None)
        common = {
            "case": details.pop("case"),
            "path": details.pop("path"),
            "status": details.pop("status"),
            "passed": outcome.status is Status.PASSED,
            "skipped": outcome.status is Status.SKIPPED,
            "error": outcome.reason,
            "failures": [failure.message for failure in outcome.failures],
            "duration_ms": round(outcome.duration_ms, 3),
            "notes": list(outcome.notes),
        }
        if details.pop("protocol") == "graphql":
            graphql.append(GraphQLRunResult(endpoint=details["endpoint"], **common))
        else:
            http.append(HTTPRunResult(operation=details["operation"], method=details["method"], **common))
    out.write(marshal_report_json(Report.of(http=http, graphql=graphql)))
