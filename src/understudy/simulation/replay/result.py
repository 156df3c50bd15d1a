"""What came of a replay: every finding, the likely causes, and one text that says it all."""

from __future__ import annotations

from dataclasses import dataclass

from understudy.simulation.replay.judge import FINDINGS_SHOWN, Finding, Kind
from understudy.simulation.replay.record import Read, Run

_DIFF_LINES = 40


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """The findings of a replay. Those that were asked for make it fail; all of them are told.

    By default only what the founding rule demands makes it fail: a missing id (or a replay that raises).
    """

    pipeline: str
    findings: tuple[Finding, ...]
    causes: tuple[Read, ...]
    failing: tuple[Finding, ...]
    notes: tuple[str, ...]
    first: Run
    again: Run

    @property
    def ok(self) -> bool:
        """True if nothing that was asked for is wrong."""
        return not self.failing

    @property
    def missing(self) -> tuple[str, ...]:
        """Ids that the replay did not yield."""
        return self._texts("missing")

    @property
    def added(self) -> tuple[str, ...]:
        """Ids that only the replay yielded."""
        return self._texts("added")

    @property
    def changed(self) -> tuple[Finding, ...]:
        """Objects whose content is another one."""
        return self.of("changed")

    @property
    def writes(self) -> tuple[Finding, ...]:
        """Side effects that were made again."""
        return self.of("write")

    def of(self, *kinds: Kind) -> tuple[Finding, ...]:
        """The findings of these kinds."""
        return tuple(finding for finding in self.findings if finding.kind in kinds)

    def check(self) -> ReplayResult:
        """Raise AssertionError with everything that is wrong, if anything is."""
        __tracebackhide__ = True
        if self.failing:
            raise AssertionError(str(self))
        return self

    def __str__(self) -> str:
        return told(self.pipeline, self.findings, self.causes, self.notes)

    def _texts(self, kind: Kind) -> tuple[str, ...]:
        return tuple(text for finding in self.of(kind) for text in finding.texts)


def told(
    pipeline: str, findings: tuple[Finding, ...], causes: tuple[Read, ...], notes: tuple[str, ...]
) -> str:
    """Findings, causes and notes as text."""
    if not findings:
        return "\n".join([f"{pipeline} did the same again", *(f"note: {note}" for note in notes)])
    lines = [_headline(pipeline, findings)]
    shown: set[str] = set()
    for number, finding in enumerate(findings[:FINDINGS_SHOWN], 1):
        lines.append(f"{number}) {finding.message}")
        if finding.diff and finding.diff not in shown and finding.diff not in finding.message:
            shown.add(finding.diff)
            lines += ["     " + line for line in finding.diff.splitlines()[:_DIFF_LINES]]
    if len(findings) > FINDINGS_SHOWN:
        lines.append(f"and {len(findings) - FINDINGS_SHOWN:,} more")
    if causes:
        lines += ["likely causes:", *(f"  {cause}" for cause in causes)]
    lines += [f"note: {note}" for note in notes]
    return "\n".join(lines)


def _headline(pipeline: str, findings: tuple[Finding, ...]) -> str:
    if any(finding.kind in ("missing", "added") for finding in findings):
        return f"Replay of {pipeline} produced different STIX IDs:"
    return f"Replay of {pipeline} is not what the first run was:"
