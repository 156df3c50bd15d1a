"""The units of a project as pytest items, run on one stage for the whole session."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from understudy.core.clock import SystemClock
from understudy.core.errors import InputError
from understudy.core.events import Evidence
from understudy.core.outcome import Outcome, Status
from understudy.core.portal import run_blocking
from understudy.core.redact import Numbered, Redactor
from understudy.engine.act import Act, Item, Unit
from understudy.engine.evidence_book import EvidenceBook
from understudy.engine.known import judge_known
from understudy.engine.plan import PlanRequest, discover, make_plan
from understudy.engine.stage import Stage
from understudy.engine.unit import run_unit
from understudy.project.project import Project, load_project
from understudy.reporting.failure_text import outcome_lines


class OutcomesFailed(Exception):
    """Some outcomes of a unit are bad; pytest shows what they have to say."""

    def __init__(self, outcomes: Iterable[Outcome]) -> None:
        self.outcomes = tuple(outcomes)
        super().__init__(", ".join(outcome.id for outcome in self.outcomes))


class ProjectItems:
    """Collects the units of a project behind pytest's own tests."""

    def __init__(self, path: str, environment: str) -> None:
        self._path = path or None
        self._environment = environment
        self._stage = Stage()
        self._worker = self._stage.narrower()
        self._book = EvidenceBook()
        self._numbered = Numbered()
        self._ran: set[str] = set()
        self._project: Project | None = None
        self._redactor = Redactor()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        """Add an item for every unit, and one for every act that concludes."""
        try:
            items.extend(self._collect(session))
        except InputError as error:
            raise pytest.UsageError("\n".join(str(problem) for problem in error.problems)) from None

    def pytest_sessionfinish(self) -> None:
        """Tear down what the units have used, the app under test included."""
        run_blocking(self._close)

    def run(self, act: Act, unit: Unit) -> list[Outcome]:
        """The outcomes of a unit, redacted and with known failures judged."""
        outcomes: list[Outcome] = []
        today = SystemClock().now().date()

        def emit(_: Unit, item: Item) -> None:
            if isinstance(item, Evidence):
                self._book.add({act.name: item.data})
            elif isinstance(item, Outcome):
                known = next((case.known for case in unit.cases if case.id == item.id), None)
                outcomes.append(item if known is None else judge_known(item, known, today))

        run_blocking(run_unit, act, unit, self._worker, emit)
        self._ran.add(unit.id)
        return self._kept(outcomes)

    def conclude(self, act: Act, units: Iterable[str]) -> list[Outcome]:
        """What the act makes of all evidence; nothing if not all of its units have run."""
        if not self._ran.issuperset(units):
            pytest.skip("not all units of the act were run, so nothing can be concluded")
        return self._kept(act.conclude(self._book.whole().get(act.name, {})))

    def _collect(self, session: pytest.Session) -> Iterator[pytest.Item]:
        self._project = project = load_project(self._path, environment=self._environment)
        units = discover(project.acts.values(), project)
        planned = make_plan(units, PlanRequest(known=project.known)).units
        if not planned:
            raise InputError(f"{project.file}: no case was found")
        project.resolve()
        self._redactor = Redactor(project.secrets)
        for unit in planned:
            yield UnitItem.from_parent(
                session, name=unit.id, items=self, act=project.acts[unit.act], unit=unit
            )
        for act in project.acts.values():
            ids = [unit.id for unit in planned if unit.act == act.name]
            yield ConclusionItem.from_parent(
                session, name=f"{act.name}::conclude", items=self, act=act, units=ids
            )

    def _kept(self, outcomes: Iterable[Outcome]) -> list[Outcome]:
        return [self._numbered.outcome(self._redactor.outcome(outcome)) for outcome in outcomes]

    async def _close(self) -> None:
        await self._worker.aclose()
        await self._stage.aclose()


class _OutcomeItem(pytest.Item):
    def __init__(self, *, items: ProjectItems, act: Act, **rest: Any) -> None:
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
        if not isinstance(excinfo.value, OutcomesFailed):
            return super().repr_failure(excinfo, style)
        lines = []
        for outcome in excinfo.value.outcomes:
            lines.append(outcome.id)
            lines.extend(f"  {line.text}" for line in outcome_lines(outcome))
        return "\n".join(lines)


class UnitItem(_OutcomeItem):
    """One unit."""

    def __init__(self, *, unit: Unit, **rest: Any) -> None:
        super().__init__(**rest)
        self.unit = unit
        for tag in dict.fromkeys(tag for case in unit.cases for tag in case.tags):
            self.extra_keyword_matches.add(tag)

    def runtest(self) -> None:
        """Run the unit and judge its outcomes."""
        self.judge(self.items.run(self.act, self.unit))

    def reportinfo(self) -> tuple[str, int | None, str]:
        """Where the first case of the unit stands."""
        location = self.unit.cases[0].location
        if location is None:
            return str(self.path), None, self.name
        return location.file, (location.line or 1) - 1, self.name


class ConclusionItem(_OutcomeItem):
    """What only the whole can tell."""

    def __init__(self, *, units: list[str], **rest: Any) -> None:
        super().__init__(**rest)
        self.units = units

    def runtest(self) -> None:
        """Conclude and judge."""
        self.judge(self.items.conclude(self.act, self.units))

    def reportinfo(self) -> tuple[str, int | None, str]:
        """A conclusion stands nowhere in particular."""
        return "understudy", None, self.name
