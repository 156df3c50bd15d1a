"""Judges a merged report as a whole run is judged: every act looks at all the evidence once more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import chain

from understudy.core.outcome import Outcome
from understudy.core.report import Report, Summary
from understudy.engine.act import Act
from understudy.engine.conclusion import conclusions


class _Chained:
    """Outcomes and, after them, what was concluded; iterable again and again like both."""

    def __init__(self, *parts: Iterable[Outcome]) -> None:
        self._parts = parts

    def __iter__(self) -> chain[Outcome]:
        return chain.from_iterable(self._parts)


def concluded(report: Report, acts: Mapping[str, Act]) -> Report:
    """The report with the outcomes of all acts' conclusions at its end."""
    last = list(conclusions(acts, report.evidence))
    if not last:
        return report
    summary = Summary(**{name: getattr(report.summary, name) for name in Summary.__slots__})
    for outcome in last:
        summary.add(outcome)
    return replace(report, summary=summary, outcomes=_Chained(report.outcomes, last), positions=())
