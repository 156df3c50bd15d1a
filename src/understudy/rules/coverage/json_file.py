"""Coverage as plain data, `understudy.coverage.v1`."""

from __future__ import annotations

from typing import Any

from understudy.rules.coverage.figures import Coverage, RuleFigures

COVERAGE_SCHEMA = "understudy.coverage.v1"


def coverage_data(coverage: Coverage, wanted: float = 0) -> dict[str, Any]:
    """What goes into the file; `wanted` is the percentage that is demanded, left out if there is none.

    >>> coverage_data(Coverage([]), 90)["summary"]
    {'reached': 0, 'total': 0, 'percent': 100.0, 'wanted': 90}
    """
    summary: dict[str, Any] = _figures(coverage)
    if wanted:
        summary["wanted"] = wanted
    return {"schema": COVERAGE_SCHEMA, "summary": summary, "files": [_file(rule) for rule in coverage.rules]}


def _figures(part: Coverage | RuleFigures) -> dict[str, Any]:
    return {"reached": part.hit, "total": part.total, "percent": round(part.percent, 2)}


def _file(rule: RuleFigures) -> dict[str, Any]:
    found: dict[str, Any] = {
        "file": rule.file,
        "rule": rule.rule,
        "evaluations": rule.evaluations,
        **_figures(rule),
        "reachedLines": sorted(rule.reached),
        "missedLines": rule.missed,
        "assertions": [
            {"index": entry.index, "line": entry.line, "held": entry.held, "failed": entry.failed}
            for entry in rule.assertions
        ],
    }
    return {**found, "broken": rule.broken} if rule.broken else found
