"""Items whose outcomes are ours: they fail, skip or are expected to fail as the outcomes say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

import pytest

from understudy.core.outcome import Outcome, Status
from understudy.engine.act import Act, Unit
from understudy.reporting.failure_text import outcome_lines


class Runs(Protocol):
    """Whoever runs the units of items."""

    def run(self, act: Act, unit: Unit) -> list[Outcome]:
        """The outcomes of a unit."""
        ...

    def conclude(self, act: Act) -> list[Outcome]:
        """What an act makes of all evidence."""
        ...


class OutcomesFailed(Exception):
    """Some outcomes of a unit are bad; pytest shows what they have to say."""

    def __init__(self, outcomes: Iterable[Outcome]) -> None:
        self.outcomes = tuple(outcomes)
        super().__init__(", ".join(outcome.id for outcome in self.outcomes))


class OutcomeItem(pytest.Item):
    """An item that is judged by outcomes."""

    def __init__(self, *, items: Runs, act: Act, **rest: Any) -> None:
        super().__init__(**rest)
        self.items = items
        self.act = act

    def judge(self, outcomes: list[Outcome]) -> None:
        """Fail, skip or expect the failure, as the outcomes say."""
        bad = [outcome for outcome in outcomes if outcome.is_bad]
        if bad:
            raise OutcomesFailed(bad)
        known = [outcome.known.reason for outcome in outcomes if outcome.known is not None]
        if known:
            pytest.xfail("; ".join(known))
        if outcomes and all(outcome.status is Status.SKIPPED for outcome in outcomes):
            pytest.skip("; ".join(outcome.reason for outcome in outcomes))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What the outcomes say, instead of a traceback through our own code."""
        if isinstance(excinfo.value, OutcomesFailed):
            return told(excinfo.value.outcomes)
        return super().repr_failure(excinfo, style)


class UnitItem(OutcomeItem):
    """One unit. `-k` finds it by the ids, names and tags of its cases."""

    def __init__(self, *, unit: Unit, **rest: Any) -> None:
        super().__init__(**rest)
        self.unit = unit
        for case in unit.cases:
            self.extra_keyword_matches.update((case.id, case.name, *case.tags))

    def runtest(self) -> None:
        """Run the unit and judge its outcomes."""
        self.judge(self.items.run(self.act, self.unit))

    def reportinfo(self) -> tuple[str, int | None, str]:
        """Where the first case of the unit stands."""
        case = self.unit.cases[0]
        # pytest would read a title that the id ends with as a dotted path.
        title = f"{self.unit.act} {case.name}"
        if case.location is None:
            return "understudy", None, title
        return case.location.file, (case.location.line or 1) - 1, title


class ConclusionItem(OutcomeItem):
    """What only the whole can tell."""

    def runtest(self) -> None:
        """Conclude and judge."""
        self.judge(self.items.conclude(self.act))

    def reportinfo(self) -> tuple[str, int | None, str]:
        """A conclusion stands nowhere in particular."""
        return "understudy", None, self.name


def told(outcomes: Iterable[Outcome]) -> str:
    """What bad outcomes have to say."""
    lines: list[str] = []
    for outcome in outcomes:
        lines.append(outcome.id)
        lines.extend(f"  {line.text}" for line in outcome_lines(outcome))
    return "\n".join(lines)
