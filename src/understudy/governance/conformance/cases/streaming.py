"""Streaming: reading a stream never runs what waits for an approval."""

from __future__ import annotations

from understudy.governance.conformance.bench import CountingBench
from understudy.governance.conformance.cases.case import cases_of
from understudy.governance.conformance.flow import Approve, Refuse
from understudy.governance.conformance.trial import Trial, export

PROPERTY = "streaming"


async def _approved(trial: Trial) -> None:
    call = export(1)
    bench = CountingBench(streaming=True)
    session = await trial.start([call], bench=bench)
    trial.check.true(bench.events, "the stream had no event at all")
    early = [event for event, runs in bench.events if runs]
    trial.check.eq(early, [], label="events that came when the call had run already, before any answer")
    asked = trial.asked(session, call)
    if asked:
        await trial.answer(session, {asked[0].id: Approve()})
        trial.ran(call, but="after the approval")


async def _refused(trial: Trial) -> None:
    call = export(1)
    session = await trial.start([call], bench=CountingBench(streaming=True))
    asked = trial.asked(session, call)
    if asked:
        await trial.answer(session, {asked[0].id: Refuse()})
        trial.ran(but="the question was refused")


async def _left(trial: Trial) -> None:
    call = export(1)
    bench = CountingBench(streaming=True, leave_after=1)
    await trial.start([call], bench=bench)
    trial.check.true(bench.events, "the stream had no event at all")
    trial.ran(but="the stream was left after its first event")


CASES = cases_of(
    PROPERTY,
    {
        "nothing runs while the stream is read, and an approved call runs once": _approved,
        "a refused call does not run after its stream": _refused,
        "a stream that is left early runs nothing": _left,
    },
)
