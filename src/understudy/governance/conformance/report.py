"""What came of a flow: an outcome for every case, as text, and as a table beside other flows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from understudy.core.outcome import Outcome, Status

ACT = "conformance"


@dataclass(frozen=True, slots=True)
class ConformanceReport:
    """The verdict on one flow."""

    flow: str
    outcomes: tuple[Outcome, ...]

    @property
    def passed(self) -> bool:
        """Whether there were cases and every one passed; what a flow does not offer at all is no pass."""
        return bool(self.outcomes) and all(outcome.status is Status.PASSED for outcome in self.outcomes)

    @property
    def bad(self) -> tuple[Outcome, ...]:
        """The cases that did not pass, skipped ones included."""
        return tuple(outcome for outcome in self.outcomes if outcome.status is not Status.PASSED)

    @property
    def properties(self) -> dict[str, Counter[Status]]:
        """How many cases of each property passed, failed, errored or were skipped."""
        found: dict[str, Counter[Status]] = {}
        for outcome in self.outcomes:
            found.setdefault(str(outcome.details["property"]), Counter())[outcome.status] += 1
        return found

    def text(self) -> str:
        """How many cases passed, and what every other one has to say."""
        good = len(self.outcomes) - len(self.bad)
        lines = [f"{self.flow}: {good} of {len(self.outcomes)} cases passed"]
        for outcome in self.bad:
            lines.append(f"  {outcome.details['property']}: {outcome.details['case']}")
            said = [failure.message for failure in outcome.failures]
            if outcome.reason:
                said.append(f"{outcome.status.value}: {outcome.reason}")
            lines += [f"    {line}" for line in said]
        return "\n".join(lines)


def verdict_table(reports: Sequence[ConformanceReport]) -> str:
    """The verdicts on several flows side by side, as a table in Markdown: cases passed of each property.

    >>> from understudy.governance.conformance import FaultyFlow, run_conformance
    >>> print(verdict_table([run_conformance(FaultyFlow({"never expires"}))]).splitlines()[4])
    | expiry | 2 of 3 |
    """
    names = list(dict.fromkeys(name for report in reports for name in report.properties))
    rows = [
        ["", *(report.flow for report in reports)],
        ["---" for _ in range(len(reports) + 1)],
        *([name, *(_cell(report.properties.get(name, Counter())) for report in reports)] for name in names),
    ]
    return "\n".join(_row(row) for row in rows)


def _cell(counted: Counter[Status]) -> str:
    total = counted.total()
    if not total or counted[Status.SKIPPED] == total:
        return "not offered"
    return "all" if counted[Status.PASSED] == total else f"{counted[Status.PASSED]} of {total}"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |".replace("|  |", "| |")
