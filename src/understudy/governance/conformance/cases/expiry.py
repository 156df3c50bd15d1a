"""Expiry: an approval is good for a limited time, and nobody's silence is one."""

from __future__ import annotations

from understudy.governance.conformance.cases.case import cases_of
from understudy.governance.conformance.flow import Approve
from understudy.governance.conformance.trial import Trial, export

PROPERTY = "expiry"


async def _in_time(trial: Trial) -> None:
    call = export(1)
    session = await trial.start([call])
    asked = trial.asked(session, call)
    if asked:
        trial.bench.clock.advance(trial.bench.expiry_seconds - 1)
        await trial.answer(session, {asked[0].id: Approve()})
        trial.ran(call, but="the approval came a second before its time was over")


async def _late(trial: Trial) -> None:
    call = export(1)
    session = await trial.start([call])
    asked = trial.asked(session, call)
    if asked:
        trial.bench.clock.advance(trial.bench.expiry_seconds + 1)
        await trial.answer(session, {asked[0].id: Approve()})
        trial.ran(but="the approval came a second after its time was over")


async def _silence(trial: Trial) -> None:
    call = export(1)
    session = await trial.start([call])
    if trial.asked(session, call):
        trial.bench.clock.advance(trial.bench.expiry_seconds + 1)
        await trial.answer(session, {})
        trial.ran(but="nobody answered until the time was over")


CASES = cases_of(
    PROPERTY,
    {
        "an approval in time runs the call": _in_time,
        "an approval that comes too late runs nothing": _late,
        "a question that nobody answers runs nothing": _silence,
    },
)
