"""The units of a project as pytest items, run on one stage for the whole session."""

from __future__ import annotations

import shlex
from collections.abc import Generator, Iterable, Iterator
from typing import Any

import pytest

from understudy.core.errors import InputError
from understudy.core.outcome import Outcome
from understudy.core.plain import plain
from understudy.core.redact import Redactor
from understudy.core.report import outcome_from_json, outcome_to_json
from understudy.engine.act import Act, Unit
from understudy.engine.plan import PlanRequest, discover, make_plan
from understudy.project.project import Project, load_project
from understudy.pytesting.outcome_items import ConclusionItem, UnitItem, told
from understudy.pytesting.running import Running

OUTPUT_SHOWN = 8 << 10
HANDED_OVER = "understudy"


class ProjectItems:
    """A plugin that has the units of a project collected behind pytest's own tests, and runs them."""

    def __init__(self, path: str, environment: str) -> None:
        self._path = path
        self._environment = environment
        self._project: Project | None = None
        self._running = Running(self._rerun)
        self._units: dict[str, list[str]] = {}
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
        for item in session.items if self._running.ran and handed_over is None else ():
            if isinstance(item, UnitItem) and item.unit.last and item.unit.id not in self._running.ran:
                self._running.late += [o for o in self.run(item.act, item.unit) if o.is_bad]
        self._running.close()
        if handed_over is not None:
            late = [outcome_to_json(outcome) for outcome in self._running.late]
            evidence = plain(self._running.book.whole())
            handed_over[HANDED_OVER] = {
                "ran": sorted(self._running.ran),
                "units": self._units,
                "evidence": evidence,
                "late": late,
            }
        elif self._parts:
            self._conclude_parts()
        if self._running.late and session.exitstatus in (
            pytest.ExitCode.OK,
            pytest.ExitCode.NO_TESTS_COLLECTED,
        ):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Show what belongs to no item, and the output of the app if something failed."""
        if self._running.late:
            terminalreporter.section("understudy, after the last test")
            terminalreporter.write_line(told(self._running.late))
        output = self._project.app_log.tail(OUTPUT_SHOWN) if self._project and self._running.has_bad else ""
        if output:
            terminalreporter.section("output of the app under test")
            terminalreporter.write_line(self._running.hidden(output).rstrip())

    def collect(self, collector: ProjectCollector) -> Iterator[pytest.Item]:
        """An item for every unit, and one for every act that concludes."""
        self._project = project = load_project(self._path or None, environment=self._environment)
        units = discover(project.acts.values(), project)
        planned = make_plan(units, PlanRequest(known=project.known)).units
        if not planned:
            raise InputError(f"{project.file}: no case was found")
        project.resolve()
        self._running.redactor = Redactor(project.secrets)
        for unit in sorted(planned, key=lambda unit: unit.last):
            act = project.acts[unit.act]
            yield UnitItem.from_parent(collector, name=unit.id, items=self, act=act, unit=unit)
        for act in project.acts.values():
            self._units[act.name] = [unit.id for unit in planned if unit.act == act.name]
            name = f"{act.name}::conclude"
            yield ConclusionItem.from_parent(collector, name=name, items=self, act=act)

    def run(self, act: Act, unit: Unit) -> list[Outcome]:
        """The outcomes of a unit."""
        return self._running.run(act, unit)

    def conclude(self, act: Act) -> list[Outcome]:
        """What the act makes of all evidence, if all of its units have run."""
        if not self._running.ran.issuperset(self._units[act.name]):
            pytest.skip("not all units of the act have run in this process; nothing is concluded in it")
        return self._running.concluded(act)

    def _conclude_parts(self) -> None:
        """Judge the evidence of all workers of pytest-xdist together, as if one process had run every unit."""
        project = load_project(self._path or None, environment=self._environment)
        for part in self._parts:
            self._running.ran.update(part["ran"])
            self._running.book.add(part["evidence"])
            self._running.late += [outcome_from_json(record) for record in part["late"]]
        for name, act in project.acts.items():
            # A worker that has concluded by itself has run every unit alone.
            wanted = set(self._parts[0]["units"].get(name, ()))
            if wanted <= self._running.ran and not any(wanted <= set(part["ran"]) for part in self._parts):
                found = self._running.concluded(act)
                self._running.late += [outcome for outcome in found if outcome.is_bad]

    def _rerun(self, case: str) -> str:
        environment = ["--env", self._environment] if self._environment else []
        return shlex.join(
            ["understudy", "run", *([self._path] if self._path else []), *environment, "--case", case]
        )


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
