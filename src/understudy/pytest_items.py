"""The units of a project as pytest items, run on one stage for the whole session."""

from __future__ import annotations

import shlex
from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from understudy.core.clock import SystemClock
from understudy.core.errors import InputError
from understudy.core.events import Evidence
from understudy.core.outcome import Outcome, Status
from understudy.core.plain import plain
from understudy.core.portal import run_blocking
from understudy.core.redact import Numbered, Redactor
from understudy.core.report import outcome_from_json, outcome_to_json
from understudy.engine.act import Act, Item, Unit
from understudy.engine.conclusion import conclusions
from understudy.engine.evidence_book import EvidenceBook
from understudy.engine.known import judge_known
from understudy.engine.plan import PlanRequest, discover, make_plan
from understudy.engine.stage import Stage
from understudy.engine.trouble import close_stage
from understudy.engine.unit import run_unit
from understudy.project.project import Project, load_project
from understudy.reporting.failure_text import outcome_lines

OUTPUT_SHOWN = 8 << 10
HANDED_OVER = "understudy"


class OutcomesFailed(Exception):
    """Some outcomes of a unit are bad; pytest shows what they have to say."""

    def __init__(self, outcomes: Iterable[Outcome]) -> None:
        self.outcomes = tuple(outcomes)
        super().__init__(", ".join(outcome.id for outcome in self.outcomes))


class ProjectItems:
    """A plugin that has the units of a project collected behind pytest's own tests, and runs them."""

    def __init__(self, path: str, environment: str) -> None:
        self._path = path
        self._environment = environment
        self._project: Project | None = None
        self._redactor = Redactor()
        self._numbered = Numbered()
        self._stage = Stage()
        self._worker = self._stage.narrower()
        self._book = EvidenceBook()
        self._ran: set[str] = set()
        self._units: dict[str, list[str]] = {}
        self._has_bad = False
        self._late: list[Outcome] = []
        self._parts: list[dict[str, Any]] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Put the project behind what the session itself collects."""
        report = yield
        if isinstance(collector, pytest.Session) and report.passed:
            project = ProjectCollector.from_parent(
                collector, name="understudy", nodeid="understudy", items=self
            )
            report.result = [*(report.result or ()), project]
        return report

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take what a worker of pytest-xdist hands over at its end."""
        part = getattr(node, "workeroutput", {}).get(HANDED_OVER)
        if part:
            self._parts.append(part)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Run what runs last whatever happened, and tear down what the units have used, the app included."""
        handed_over = getattr(session.config, "workeroutput", None)
        for item in session.items if self._ran and handed_over is None else ():
            if isinstance(item, UnitItem) and item.unit.last and item.unit.id not in self._ran:
                self._late += [o for o in self.run(item.act, item.unit) if o.is_bad]
        run_blocking(self._close)
        if handed_over is not None:
            late = [outcome_to_json(outcome) for outcome in self._late]
            evidence = plain(self._book.whole())
            handed_over[HANDED_OVER] = {
                "ran": sorted(self._ran),
                "units": self._units,
                "evidence": evidence,
                "late": late,
            }
        elif self._parts:
            self._conclude_parts()
        if self._late and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Show what belongs to no item, and the output of the app if something failed."""
        if self._late:
            terminalreporter.section("understudy, after the last test")
            terminalreporter.write_line(_told(self._late))
        output = self._project.app_log.tail(OUTPUT_SHOWN) if self._project and self._has_bad else ""
        if output:
            terminalreporter.section("output of the app under test")
            terminalreporter.write_line(self._numbered(self._redactor.text(output)).rstrip())

    def collect(self, collector: ProjectCollector) -> Iterator[pytest.Item]:
        """An item for every unit, and one for every act that concludes."""
        self._project = project = load_project(self._path or None, environment=self._environment)
        units = discover(project.acts.values(), project)
        planned = make_plan(units, PlanRequest(known=project.known)).units
        if not planned:
            raise InputError(f"{project.file}: no case was found")
        project.resolve()
        self._redactor = Redactor(project.secrets)
        for unit in sorted(planned, key=lambda unit: unit.last):
            act = project.acts[unit.act]
            yield UnitItem.from_parent(collector, name=unit.id, items=self, act=act, unit=unit)
        for act in project.acts.values():
            self._units[act.name] = [unit.id for unit in planned if unit.act == act.name]
            name = f"{act.name}::conclude"
            yield ConclusionItem.from_parent(collector, name=name, items=self, act=act)

    def run(self, act: Act, unit: Unit) -> list[Outcome]:
        """The outcomes of a unit, redacted and with known failures judged."""
        outcomes: list[Outcome] = []
        cases = {case.id for case in unit.cases}
        known = {case.id: case.known for case in unit.cases if case.known is not None}
        today = SystemClock().now().date()

        def emit(_: Unit, item: Item) -> None:
            if isinstance(item, Evidence):
                self._book.add({act.name: item.data})
            elif isinstance(item, Outcome):
                case = item.parent or item.id
                if case in known:
                    item = judge_known(item, known[case], today)
                if item.is_bad and not item.rerun and case in cases:
                    item = replace(item, rerun=self._rerun(case))
                outcomes.append(item)

        run_blocking(run_unit, act, unit, self._worker, emit)
        self._ran.add(unit.id)
        return self._kept(outcomes)

    def conclude(self, act: Act) -> list[Outcome]:
        """What the act makes of all evidence, if all of its units have run."""
        if not self._ran.issuperset(self._units[act.name]):
            pytest.skip("not all units of the act have run in this process; nothing is concluded in it")
        return self._kept(conclusions({act.name: act}, self._book.whole()))

    def _conclude_parts(self) -> None:
        """Judge the evidence of all workers of pytest-xdist together, as if one process had run every unit."""
        project = load_project(self._path or None, environment=self._environment)
        for part in self._parts:
            self._ran.update(part["ran"])
            self._book.add(part["evidence"])
            self._late += [outcome_from_json(record) for record in part["late"]]
        for name, act in project.acts.items():
            # A worker that has concluded by itself has run every unit alone.
            wanted = set(self._parts[0]["units"].get(name, ()))
            if wanted <= self._ran and not any(wanted <= set(part["ran"]) for part in self._parts):
                found = self._kept(conclusions({name: act}, self._book.whole()))
                self._late += [outcome for outcome in found if outcome.is_bad]

    def _kept(self, outcomes: Iterable[Outcome]) -> list[Outcome]:
        kept = [self._numbered.outcome(self._redactor.outcome(outcome)) for outcome in outcomes]
        self._has_bad = self._has_bad or any(outcome.is_bad for outcome in kept)
        return kept

    def _rerun(self, case: str) -> str:
        environment = ["--env", self._environment] if self._environment else []
        return shlex.join(
            ["understudy", "run", *([self._path] if self._path else []), *environment, "--case", case]
        )

    async def _close(self) -> None:
        await close_stage(self._worker, "a worker", self._late.append)
        await close_stage(self._stage, "the run", self._late.append)


class ProjectCollector(pytest.Collector):
    """The project, as a node of the session."""

    def __init__(self, *, items: ProjectItems, **rest: Any) -> None:
        super().__init__(**rest)
        self._items = items

    def collect(self) -> Iterable[pytest.Item]:
        """The project's items."""
        return list(self._items.collect(self))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What is wrong with the project, instead of a traceback through our own code."""
        if isinstance(excinfo.value, InputError):
            return "\n".join(f"error: {problem}" for problem in excinfo.value.problems)
        return super().repr_failure(excinfo)


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
        if isinstance(excinfo.value, OutcomesFailed):
            return _told(excinfo.value.outcomes)
        return super().repr_failure(excinfo, style)


class UnitItem(_OutcomeItem):
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


class ConclusionItem(_OutcomeItem):
    """What only the whole can tell."""

    def runtest(self) -> None:
        """Conclude and judge."""
        self.judge(self.items.conclude(self.act))

    def reportinfo(self) -> tuple[str, int | None, str]:
        """A conclusion stands nowhere in particular."""
        return "understudy", None, self.name


def _told(outcomes: Iterable[Outcome]) -> str:
    lines: list[str] = []
    for outcome in outcomes:
        lines.append(outcome.id)
        lines.extend(f"  {line.text}" for line in outcome_lines(outcome))
    return "\n".join(lines)
