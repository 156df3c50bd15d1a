"""One case over time, and the cases that go back and forth between passing and failing: the flaky ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

from understudy.core.outcome import Outcome
from understudy.store.reach import Reach
from understudy.store.runs import outcome_in

KNOWN = "known"
_BAD = ("failed", "errored")
_TURNS = 2
_LAST_RUNS = (
    "(SELECT id FROM runs WHERE (project = :project OR :project = '') "
    "ORDER BY started_at DESC, id DESC LIMIT :most)"
)
# Cases that came out both ways; how often they went from one to the other is counted afterwards.
_BOTH_WAYS = (
    f"SELECT case_id FROM outcomes WHERE run_id IN {_LAST_RUNS} AND parent = '' AND NOT known "  # noqa: S608 - ours
    "GROUP BY case_id HAVING SUM(CASE WHEN status IN ('failed', 'errored') THEN 1 ELSE 0 END) > 0 "
    "AND SUM(CASE WHEN status = 'passed' THEN 1 ELSE 0 END) > 0"
)


@dataclass(frozen=True, slots=True)
class Moment:
    """What came of a case in one run. `verdict` is its status, or `known` for a failure that is tolerated."""

    run: str
    started_at: str
    environment: str
    verdict: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class FlakyCase:
    """A case that went back and forth in one environment: its verdicts, oldest first."""

    case: str
    environment: str
    verdicts: tuple[str, ...]

    @property
    def bad(self) -> int:
        """How often it failed or errored."""
        return sum(verdict in _BAD for verdict in self.verdicts)

    @property
    def turns(self) -> int:
        """How often it went from passing to failing or back."""
        return turns(self.verdicts)


def turns(verdicts: tuple[str, ...]) -> int:
    """How often it goes from passing to failing or back; what says neither is passed over.

    >>> turns(("passed", "skipped", "failed", "errored", "passed"))
    2
    """
    judged = [verdict in _BAD for verdict in verdicts if verdict in (*_BAD, "passed")]
    return sum(one != other for one, other in pairwise(judged))


def case_over_time(store: Reach, case: str, project: str = "", most: int = 50) -> list[Moment]:
    """What came of a case, newest first."""
    query = (
        "SELECT r.id AS run, r.started_at, r.environment, o.case_id, o.act, o.name, o.status, o.reason, o.parent, "
        "o.duration_ms, o.known, CAST(o.record AS TEXT) AS record "
        "FROM outcomes o JOIN runs r ON r.id = o.run_id "
        "WHERE o.case_id = :case AND (r.project = :project OR :project = '') "
        "ORDER BY r.started_at DESC, r.id DESC LIMIT :most"
    )
    with store.read() as sql:
        rows = sql.rows(query, {"case": case, "project": project, "most": most})
    return [
        Moment(row["run"], row["started_at"], row["environment"], _verdict(row), outcome_in(row))
        for row in rows
    ]


def cases_like(store: Reach, part: str, project: str = "", most: int = 20) -> list[str]:
    """The ids of cases that contain a text, in any case of letters."""
    query = (
        "SELECT DISTINCT o.case_id FROM outcomes o JOIN runs r ON r.id = o.run_id "
        "WHERE (r.project = :project OR :project = '') AND lower(o.case_id) LIKE :pattern ESCAPE '!' "
        "ORDER BY o.case_id LIMIT :most"
    )
    escaped = "".join(f"!{letter}" if letter in "!%_" else letter for letter in part.lower())
    with store.read() as sql:
        rows = sql.rows(query, {"project": project, "pattern": f"%{escaped}%", "most": most})
    return [row["case_id"] for row in rows]


def flaky_cases(store: Reach, project: str = "", most: int = 30) -> list[FlakyCase]:
    """The cases that in the last runs went from passing to failing and back, or the other way round."""
    query = (
        "SELECT o.case_id, r.environment, o.status, o.known FROM outcomes o JOIN runs r ON r.id = o.run_id "  # noqa: S608 - ours
        f"WHERE o.run_id IN {_LAST_RUNS} AND o.parent = '' AND o.case_id IN ({_BOTH_WAYS}) "
        "ORDER BY o.case_id, r.environment, r.started_at, r.id"
    )
    with store.read() as sql:
        rows = sql.rows(query, {"project": project, "most": most})
    series = (
        FlakyCase(*key, tuple(map(_verdict, group)))
        for key, group in groupby(rows, key=lambda row: (row["case_id"], row["environment"]))
    )
    return [found for found in series if found.turns >= _TURNS]


def _verdict(row: Mapping[str, Any]) -> str:
    return KNOWN if row["known"] else str(row["status"])
