"""What came of a declared pipeline, as an outcome: a failure for each finding, with its likely causes and place."""

from __future__ import annotations

from collections.abc import Sequence

from understudy.core.outcome import Attachment, Failure, Location, Outcome, Status
from understudy.core.plain import plain
from understudy.engine.act import CaseRef
from understudy.simulation.replay.causes import causes_for, described
from understudy.simulation.replay.hash_seeds import SeedsResult
from understudy.simulation.replay.job import Judgement
from understudy.simulation.replay.judge import Finding
from understudy.simulation.replay.record import Read, Site

CAUSES_TOLD = 3
FAILURES_TOLD = 50


def to_outcome(
    ref: CaseRef,
    act: str,
    judgement: Judgement,
    seeds: SeedsResult,
    failing: Sequence[Finding],
    duration_ms: float,
) -> Outcome:
    """The outcome of a pipeline that ran to its end, or did not."""
    location = ref.location or _location(judgement.site)
    if judgement.error:
        where = f" (at {judgement.error_site})" if judgement.error_site else ""
        return errored(
            ref,
            act,
            f"the first run raised {judgement.error}{where}",
            _location(judgement.error_site) or location,
            judgement.traceback,
            duration_ms,
        )
    causes = (*seeds.causes, *judgement.causes)
    failures = [
        _failure(finding, seeds.causes if finding in seeds.findings else judgement.causes, location)
        for finding in failing[:FAILURES_TOLD]
    ]
    if len(failing) > FAILURES_TOLD:
        failures.append(Failure(f"and {len(failing) - FAILURES_TOLD:,} more differences"))
    others = [finding for finding in (*judgement.findings, *seeds.findings) if finding not in failing]
    return Outcome(
        id=ref.id,
        act=act,
        name=ref.name,
        status=Status.FAILED if failing else Status.PASSED,
        failures=tuple(failures),
        duration_ms=duration_ms,
        location=location,
        tags=ref.tags,
        notes=(*(f"not asked for: {finding}" for finding in others), *judgement.notes, *seeds.notes),
        attachments=(Attachment("likely causes", described(causes)),) if causes and failing else (),
        details={
            "objects": judgement.objects,
            "writes": judgement.writes,
            "suppressed": judgement.suppressed,
        },
    )


def errored(
    ref: CaseRef,
    act: str,
    reason: str,
    location: Location | None = None,
    trace: str = "",
    duration_ms: float = 0.0,
) -> Outcome:
    """The outcome of a pipeline that could not be judged."""
    return Outcome(
        id=ref.id,
        act=act,
        name=ref.name,
        status=Status.ERRORED,
        reason=reason,
        duration_ms=duration_ms,
        location=location or ref.location,
        tags=ref.tags,
        attachments=(Attachment("traceback", trace),) if trace else (),
    )


def _failure(finding: Finding, causes: Sequence[Read], location: Location | None) -> Failure:
    likely = causes_for(finding, causes)[:CAUSES_TOLD]
    message = finding.message
    if likely:
        message += f"; likely {'cause' if len(likely) == 1 else 'causes'}: {'; '.join(map(str, likely))}"
    at = _location(likely[0].site) if likely else _written_at(finding) or location
    return Failure(message, plain(finding.expected), plain(finding.actual), finding.diff, at)


def _written_at(finding: Finding) -> Location | None:
    file, _, line = finding.site.rpartition(":")
    return Location(file, int(line)) if file and line.isdecimal() else None


def _location(site: Site | None) -> Location | None:
    return Location(site.file, site.line) if site is not None and site.file else None
