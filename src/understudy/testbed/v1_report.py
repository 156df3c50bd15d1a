"""A run's outcomes as a report of the founding document (`anvil.testbed.report.v1`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TextIO

from understudy.core.outcome import Outcome, Status
from understudy.testbed.catalogue import ACT
from understudy.testbed.marshal import marshal_report_json
from understudy.testbed.results import GraphQLRunResult, GRPCRunResult, HTTPRunResult, QueueRunResult, Report

# Of every protocol where its results stand in a report, and of what kind they are.
_PARTS: Mapping[str, tuple[str, type[Any]]] = {
    "http": ("http", HTTPRunResult),
    "websocket": ("http", HTTPRunResult),
    "graphql": ("graphql", GraphQLRunResult),
    "grpc": ("grpc", GRPCRunResult),
    "queue": ("queue", QueueRunResult),
}


def write_v1_report(outcomes: Iterable[Outcome], out: TextIO) -> None:
    """Write the results of the testbed's cases, in the order of the outcomes."""
    parts: dict[str, list[Any]] = {name: [] for name, _ in _PARTS.values()}
    for outcome in outcomes:
        if outcome.act != ACT or "protocol" not in outcome.details:
            continue
        name, kind = _PARTS[outcome.details["protocol"]]
        place = {key: value for key, value in outcome.details.items() if key in kind.model_fields}
        parts[name].append(
            kind(
                **place,
                passed=outcome.status is Status.PASSED,
                skipped=outcome.status is Status.SKIPPED,
                error=outcome.reason,
                failures=[failure.message for failure in outcome.failures],
                duration_ms=round(outcome.duration_ms, 3),
                notes=list(outcome.notes),
            )
        )
    out.write(marshal_report_json(Report.of(**parts)))
