"""What was reached against the percentage that is demanded: an outcome of the run, and of merged shards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from understudy.core.ids import case_id
from understudy.core.outcome import Failure, Location, Outcome, Status
from understudy.rules.coverage.figures import Coverage, RuleFigures, coverage_of, ranges, shown_percent
from understudy.rules.outcomes import ACT

_MOST_FILES = 100
_NOTHING = "no rule was found that has lines or assertions to be reached; check the folders"


def coverage_verdict(evidence: Mapping[str, Any]) -> Iterator[Outcome]:
    """The outcome, if a percentage is demanded."""
    wanted = max(evidence.get("coverageWanted", ()), default=0)
    if not wanted:
        return
    coverage = coverage_of(evidence)
    message = (
        f"{coverage.hit} of {coverage.total} lines and assertions of the rules were reached "
        f"({shown_percent(coverage.percent)}), {wanted:g}% wanted"
    )
    failures = _broken(coverage)
    if not coverage.total:
        failures.append(Failure(_NOTHING, wanted, None))
    if coverage.percent < wanted:
        failures = [Failure(message, wanted, round(coverage.percent, 2)), *failures, *_missed(coverage)]
    yield Outcome(
        id=case_id(ACT, "rules", "coverage"),
        act=ACT,
        name="coverage of the rules",
        status=Status.FAILED if failures else Status.PASSED,
        failures=tuple(failures),
        notes=() if failures else (message,),
        details={
            "reached": coverage.hit,
            "total": coverage.total,
            "percent": round(coverage.percent, 2),
            "rules": {rule.file: round(rule.percent, 2) for rule in coverage.rules},
        },
    )


def missing_in_words(rule: RuleFigures) -> str:
    """What a rule's tests do not reach."""
    parts: list[str] = []
    if rule.missed:
        parts.append(f"line{'s' if len(rule.missed) > 1 else ''} {ranges(rule.missed)}")
    if rule.missed_assertions:
        parts += [f"jq assertion {entry.index} (line {entry.line})" for entry in rule.missed_assertions]
    return ", ".join(parts)


def _broken(coverage: Coverage) -> list[Failure]:
    return [
        Failure(f"{rule.file} cannot be measured: {rule.broken}", location=Location(rule.file))
        for rule in coverage.broken
    ]


def _missed(coverage: Coverage) -> Iterator[Failure]:
    """Those with the most to gain first."""
    missing = [rule for rule in coverage.rules if rule.hit < rule.total]
    missing.sort(key=lambda rule: (rule.hit - rule.total, rule.file))
    for rule in missing[:_MOST_FILES]:
        first = next(line for line, is_reached in rule.lines.items() if not is_reached)
        never = "" if rule.evaluations else " (no test evaluates it)"
        yield Failure(
            f"{rule.file}: never reached{never}: {missing_in_words(rule)}",
            location=Location(rule.file, first),
        )
    if len(missing) > _MOST_FILES:
        yield Failure(f"… and {len(missing) - _MOST_FILES} more files")
