"""One run: execute the plan, send every event to every handler, conclude, and give the report."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from understudy.core.clock import Clock, SystemClock
from understudy.core.errors import UnderstudyError
from understudy.core.events import (
    CaseFinished,
    CaseStarted,
    Event,
    Evidence,
    RunFinished,
    RunNote,
    RunStarted,
)
from understudy.core.outcome import Attachment, Outcome, Status
from understudy.core.report import Report, Summary
from understudy.engine.act import Act, Item, Unit
from understudy.engine.evidence_book import EvidenceBook
from understudy.engine.executors import Executor, Job, Limits, Workshop
from understudy.engine.known import judge_known
from understudy.engine.plan import Planned
from understudy.engine.spool import Spool
from understudy.engine.stage import Resource, Stage

Handle = Callable[[Event], None]


@dataclass(frozen=True, slots=True)
class RunRequest:
    """How a plan is to be run.

    `redact` sees every outcome before anyone else does; `rerun` gives the command that runs a case again;
    `shared` are the resources of the whole run that worker processes may ask for, by name.
    """

    executor: Executor
    limits: Limits = field(default_factory=Limits)
    stop_on_failure: bool = False
    clock: Clock = field(default_factory=SystemClock)
    redact: Callable[[Outcome], Outcome] = lambda outcome: outcome
    redact_text: Callable[[str], str] = lambda text: text
    rerun: Callable[[str], str] = lambda case_id: ""
    workshop: Workshop | None = None
    shared: Mapping[str, Resource[Any]] = field(default_factory=dict)
    final_notes: Callable[[bool], Iterable[Attachment]] = lambda failed: ()


async def run(
    acts: Mapping[str, Act], planned: Planned, request: RunRequest, spool: Spool, handlers: Sequence[Handle]
) -> Report:
    """Run a plan. On cancellation (Ctrl-C) the report is what there is by then, and says so."""
    return await _Run(acts, planned, request, spool, handlers).go()


class _Run:
    def __init__(
        self,
        acts: Mapping[str, Act],
        planned: Planned,
        request: RunRequest,
        spool: Spool,
        handlers: Sequence[Handle],
    ) -> None:
        self.acts = acts
        self.planned = planned
        self.request = request
        self.spool = spool
        self.handlers = handlers
        self.summary = Summary()
        self.book = EvidenceBook()
        self.today: date = request.clock.now().date()
        self.stop = False
        self.notes: list[Attachment] = []

    async def go(self) -> Report:
        clock = self.request.clock
        began, started_at = clock.monotonic(), clock.now().isoformat(timespec="milliseconds")
        self.send(RunStarted(self.planned.plan, started_at))
        stopped = ""
        try:
            await self.execute()
        except asyncio.CancelledError:
            stopped = "interrupted"
            if (task := asyncio.current_task()) is not None:
                task.uncancel()
        if self.stop and not stopped and len(self.spool) < self.planned.plan.cases:
            stopped = "stopped at the first failure (-x)"
        if not stopped and self.planned.plan.is_whole:
            self.conclude()
        for note in self.request.final_notes(not self.summary.is_green):
            self.note(note)
        report = Report(
            summary=self.summary,
            outcomes=self.spool,
            plan=self.planned.plan,
            evidence=self.book.whole(),
            stopped=stopped,
            started_at=started_at,
            duration_ms=(clock.monotonic() - began) * 1000,
            attachments=tuple(self.notes),
            positions=self.spool.positions,
        )
        self.send(RunFinished(report))
        return report

    async def execute(self) -> None:
        stage = Stage()
        first = [unit for unit in self.planned.units if not unit.last]
        last = [unit for unit in self.planned.units if unit.last]
        try:
            try:
                await self.phase(first, stage, lambda: self.stop)
            finally:
                await self.phase(last, stage, lambda: False)
        finally:
            try:
                await stage.aclose()
            except Exception as error:
                self.teardown_failed(error)

    async def phase(self, units: Sequence[Unit], stage: Stage, should_stop: Callable[[], bool]) -> None:
        if not units:
            return
        job = Job(
            acts=self.acts,
            stage=stage,
            emit=self.emit,
            should_stop=should_stop,
            limits=self.request.limits,
            workshop=self.request.workshop,
            shared=self.request.shared,
        )
        try:
            await self.request.executor.execute(units, job)
        except* UnderstudyError as group:
            raise _first(group) from None

    def emit(self, unit: Unit, item: Item) -> None:
        if isinstance(item, Outcome):
            case = next((case for case in unit.cases if case.id in (item.id, item.parent)), None)
            if case is not None and case.known is not None and not item.parent:
                item = judge_known(item, case.known, self.today)
            elif case is not None and case.known is not None and item.status is not Status.PASSED:
                item = replace(item, known=judge_known(item, case.known, self.today).known)
            self.finish(item, case.order if case is not None else unit.cases[0].order)
        elif isinstance(item, CaseStarted):
            self.send(item)
        else:
            self.book.add({unit.act: item.data})
            self.send(Evidence(item.data, unit.act))

    def finish(self, outcome: Outcome, position: int) -> None:
        if outcome.is_bad:
            outcome = replace(
                outcome, rerun=outcome.rerun or self.request.rerun(outcome.parent or outcome.id)
            )
            self.stop = self.stop or self.request.stop_on_failure
        outcome = self.request.redact(outcome)
        self.summary.add(outcome)
        self.spool.append(position, outcome)
        self.send(CaseFinished(outcome, position))

    def conclude(self) -> None:
        """Let every act judge the whole; its outcomes stand after those of all cases."""
        position, evidence = self.planned.plan.cases, self.book.whole()
        for name, act in self.acts.items():
            for outcome in act.conclude(evidence.get(name, {})):
                self.finish(outcome, position)
                position += 1

    def teardown_failed(self, error: Exception) -> None:
        text = self.request.redact_text(f"{type(error).__name__}: {error}")
        outcome = Outcome(
            id="engine::teardown::stage",
            act="engine",
            name="teardown",
            status=Status.ERRORED,
            reason=f"something that the run had made could not be torn down: {text}",
        )
        self.finish(outcome, self.planned.plan.cases)

    def note(self, attachment: Attachment) -> None:
        attachment = replace(attachment, text=self.request.redact_text(attachment.text))
        self.notes.append(attachment)
        self.send(RunNote(attachment))

    def send(self, event: Event) -> None:
        for handle in self.handlers:
            handle(event)


def _first(group: BaseExceptionGroup[UnderstudyError]) -> UnderstudyError:
    """The error to show of several that came from workers side by side: they tell the same."""
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    assert isinstance(error, UnderstudyError)  # noqa: S101 - except* has matched it
    return error
