"""One run: execute the plan, send every event to every handler, conclude, and give the report."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache
from typing import Any

from understudy.core.clock import Clock, SystemClock
from understudy.core.errors import UnderstudyError
from understudy.core.events import (
    CaseFinished,
    CaseStarted,
    Evidence,
    RunFinished,
    RunNote,
    RunStarted,
)
from understudy.core.evidence import EvidenceClash
from understudy.core.ids import Numbering
from understudy.core.outcome import Attachment, Outcome
from understudy.core.redact import Numbered
from understudy.core.report import Report, Summary
from understudy.engine.act import Act, CaseRef, Item, Unit
from understudy.engine.broadcast import Broadcast, Handle
from understudy.engine.conclusion import conclusions
from understudy.engine.evidence_book import EvidenceBook, hidden_in
from understudy.engine.executors import Executor, Job, Limits, Workshop
from understudy.engine.known import judge_known
from understudy.engine.plan import Planned
from understudy.engine.spool import Spool
from understudy.engine.stage import Resource, Stage
from understudy.engine.trouble import close_stage, trouble

INTERRUPTED = "interrupted"


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
        self.broadcast = Broadcast(handlers)
        self.summary = Summary()
        self.book = EvidenceBook()
        self.today: date = request.clock.now().date()
        self.stop = False
        self.left = planned.plan.cases
        self.end = 1 + max((case.order for unit in planned.units for case in unit.cases), default=-1)
        self.numbering = Numbering()
        # Evidence repeats the same few names again and again.
        self.hidden = lru_cache(4096)(request.redact_text)

    async def go(self) -> Report:
        clock = self.request.clock
        began, started_at = clock.monotonic(), clock.now().isoformat(timespec="milliseconds")
        self.broadcast.send(RunStarted(self.planned.plan, started_at))
        stopped = ""
        try:
            await self.execute()
        except (asyncio.CancelledError, KeyboardInterrupt):  # the latter out of a case that blocks the loop
            stopped = INTERRUPTED
            while (task := asyncio.current_task()) is not None and task.uncancel():
                pass
        except UnderstudyError as error:
            if not len(self.spool):
                raise
            stopped = "the run could not go on"
            self.trouble(trouble("execution", "the run", str(error)))
        if self.stop and not stopped and self.left:
            stopped = "stopped at the first failure (-x)"
        evidence = self.evidence()
        if not stopped and self.planned.plan.is_whole:
            self.conclude(evidence)
        notes = [self.note(note) for note in self.request.final_notes(not self.summary.is_green)]
        number = self.numbers(evidence, notes)
        notes = [number.attachment(note) for note in notes]
        for note in notes:
            self.broadcast.send(RunNote(note))
        report = Report(
            summary=self.summary,
            outcomes=self.spool,
            plan=self.planned.plan,
            evidence=number.data(evidence),
            stopped=stopped,
            started_at=started_at,
            duration_ms=(clock.monotonic() - began) * 1000,
            attachments=tuple(notes),
            positions=self.spool.positions,
        )
        self.broadcast.send(RunFinished(report))
        self.broadcast.raise_failures()
        return report

    async def execute(self) -> None:
        stage = Stage()
        first = [unit for unit in self.planned.units if not unit.last]
        last = [unit for unit in self.planned.units if unit.last]
        try:
            try:
                await self.phase(first, stage, lambda: self.stop)
            except asyncio.CancelledError:
                await stage.give_up()  # an app that is still starting is not waited for
                raise
            finally:
                await self.phase(last, stage, lambda: False)
        finally:
            await close_stage(stage, "the run", self.trouble)

    async def phase(self, units: Sequence[Unit], stage: Stage, should_stop: Callable[[], bool]) -> None:
        if not units:
            return
        job = Job(
            acts=self.acts,
            stage=stage,
            emit=self.emit,
            trouble=self.trouble,
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
            case = self.case_of(unit, item)
            if case is None:
                self.finish(item, unit.cases[-1].order)
                return
            if not item.parent:
                self.left -= case.id not in self.planned.beside
            if case.known is not None:
                item = judge_known(item, case.known, self.today)
            if item.is_bad and not item.rerun:
                item = replace(item, rerun=self.request.rerun(case.id))
            self.finish(item, case.order)
        elif isinstance(item, CaseStarted):
            self.broadcast.send(item)
        else:
            data = hidden_in(item.data, self.hidden)
            try:
                self.book.add({unit.act: data})
            except EvidenceClash as error:
                self.trouble(trouble("evidence", unit.act, f"it contradicts itself: {error}"))
            self.broadcast.send(Evidence(data, unit.act))

    def case_of(self, unit: Unit, outcome: Outcome) -> CaseRef | None:
        """The case that an outcome, or the case whose row it is, belongs to."""
        for case in unit.cases:
            if case.id in (outcome.id, outcome.parent):
                return case
        beside = self.planned.beside
        return beside.get(outcome.id) or beside.get(outcome.parent)

    def finish(self, outcome: Outcome, position: int) -> None:
        self.stop = self.stop or (outcome.is_bad and self.request.stop_on_failure)
        outcome = self.request.redact(outcome)
        self.summary.add(outcome)
        self.spool.append(position, outcome)
        self.broadcast.send(CaseFinished(outcome, position))

    def evidence(self) -> dict[str, Any]:
        """All evidence; nothing if an act contradicts itself, which is reported."""
        try:
            return self.book.whole()
        except EvidenceClash as error:
            self.trouble(trouble("evidence", "the run", f"it contradicts itself: {error}"))
            return {}

    def conclude(self, evidence: Mapping[str, Any]) -> None:
        """Let every act judge the whole; its outcomes stand after those of all cases."""
        for outcome in conclusions(self.acts, evidence):
            self.finish(outcome, self.end)
            self.end += 1

    def trouble(self, outcome: Outcome) -> None:
        """Report what belongs to no case, under an id that no other shard of the plan uses."""
        plan, identifier = self.planned.plan, self.numbering(outcome.id)
        if plan.shards > 1:
            identifier += f" (shard {plan.shard} of {plan.shards})"
        self.finish(replace(outcome, id=identifier), self.end)
        self.end += 1

    def note(self, attachment: Attachment) -> Attachment:
        return replace(attachment, text=self.request.redact_text(attachment.text))

    def numbers(self, evidence: Mapping[str, Any], notes: Iterable[Attachment]) -> Numbered:
        """The numbers of the secrets in the outcomes, to be used for what stands beside them."""
        numbered = Numbered()
        texts = (json.dumps(evidence, default=str), *(note.text for note in notes))
        if any("<secret:" in text for text in texts):
            for outcome in self.spool.read():
                numbered.outcome(outcome)
        return numbered


def _first(group: BaseExceptionGroup[UnderstudyError]) -> UnderstudyError:
    """The error to show of several that came from workers side by side: they tell the same."""
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    assert isinstance(error, UnderstudyError)  # noqa: S101 - except* has matched it
    return error
