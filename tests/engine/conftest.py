"""Runs the tiny act through the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.tiny_project import THIRD_PARTY, TinyProject, tiny_acts
from understudy.core.events import Event
from understudy.core.outcome import Outcome
from understudy.core.report import Report
from understudy.engine.executors import Workshop, open_executor
from understudy.engine.plan import PlanRequest, discover, make_plan
from understudy.engine.run import RunRequest, run
from understudy.engine.spool import Spool


class Rehearsal:
    """A finished run of the tiny act."""

    def __init__(self, report: Report, events: list[Event]) -> None:
        self.report = report
        self.events = events
        self.outcomes = list(report.outcomes)

    def __getitem__(self, name: str) -> Outcome:
        return next(outcome for outcome in self.outcomes if outcome.name == name)

    @property
    def statuses(self) -> dict[str, str]:
        return {outcome.name: outcome.status.value for outcome in self.outcomes}


@pytest.fixture
def spool() -> Iterator[Spool]:
    with Spool() as spool:
        yield spool


@pytest.fixture
def rehearse(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Runs the tiny act with a configuration; keywords go to the plan and to the run."""
    monkeypatch.syspath_prepend(str(THIRD_PARTY))
    monkeypatch.setenv("PYTHONPATH", f"{THIRD_PARTY}:{Path(__file__).parent.parent}")

    async def go(
        config: dict[str, Any], plan: PlanRequest | None = None, executor: str = "serial", **more: Any
    ) -> Any:
        acts = tiny_acts(config)
        project: TinyProject = acts["tiny"].project  # type: ignore[attr-defined]  # the tiny act keeps it
        units = discover(acts.values(), project)
        events: list[Event] = []
        handlers = [events.append, *more.pop("handlers", [])]
        request = RunRequest(
            executor=open_executor(executor),
            workshop=Workshop("engine.tiny_project:tiny_acts", {"config": config}),
            shared={"target": project.target},
            **more,
        )
        report = await run(acts, make_plan(units, plan or PlanRequest()), request, spool, handlers)
        return Rehearsal(report, events)

    return go
