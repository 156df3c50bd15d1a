"""What only a whole check can tell: mocks of its file that no rule asks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from understudy.core.ids import case_id
from understudy.core.outcome import Failure, Location, Outcome, Status
from understudy.rules.outcomes import ACT

if TYPE_CHECKING:
    from understudy.rules.check.mock_file import MockFile

MOCKS = "check/(mocks)"
KEY = "checked"


def evidence_of(
    mocks: MockFile, cases: Iterable[str], case: str, hits: Mapping[str, int], is_whole: bool
) -> dict[str, Any]:
    """What a case adds: the mocks that it hit, and whether it was judged to its end. The first one names all."""
    ids = list(cases)
    found: dict[str, Any] = {"hits": {key: count for key, count in hits.items() if count}}
    if is_whole:
        found["ran"] = [case]
    if ids and case == ids[0]:
        found["cases"] = ids
        found["lines"] = {key: [line] for key, line in mocks.lines.items()}
        found["optional"] = sorted(mocks.table().optional)
    return {KEY: {mocks.shown: found}}


def check_conclusions(evidence: Mapping[str, Any]) -> Iterator[Outcome]:
    """Fail for dead mocks, if every rule was judged: another one may have hit more."""
    for file, found in sorted(evidence.get(KEY, {}).items()):
        cases, ran = found.get("cases"), set(found.get("ran", ()))
        if not cases or not set(cases) <= ran:
            continue
        known = {*found.get("hits", {}), *found.get("optional", ())}
        failures = tuple(
            Failure(
                f"the mock {key!r} is dead: no rule of this check sends a request that it answers; "
                "remove it, or write 'optional: true' in it",
                "at least one request",
                "none",
                location=Location(file, min(lines)),
            )
            for key, lines in sorted(found.get("lines", {}).items(), key=lambda item: min(item[1]))
            if key not in known
        )
        if failures:
            yield Outcome(
                id=case_id(ACT, file, MOCKS),
                act=ACT,
                name=f"mocks of {file}",
                status=Status.FAILED,
                failures=failures,
                location=failures[0].location,
            )
