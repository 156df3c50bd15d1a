"""Resuming: going on, also elsewhere and more than once, repeats nothing that was done."""

from __future__ import annotations

from understudy.governance.conformance.cases.case import cases_of
from understudy.governance.conformance.flow import Approve, Refuse
from understudy.governance.conformance.trial import Trial, export, note

PROPERTY = "resuming"


async def _elsewhere(trial: Trial) -> None:
    call = export(1)
    saved = await (await trial.start([call])).save()
    session = await trial.restore(saved)
    asked = trial.asked(session, call)
    if asked:
        await trial.answer(session, {asked[0].id: Approve()})
        trial.ran(call, but="the question was approved in a new session")


async def _twice(trial: Trial) -> None:
    call = export(1)
    saved = await (await trial.start([call])).save()
    for _ in range(2):
        try:
            session = await trial.restore(saved)
        except Exception as error:
            trial.raised.append(f"{type(error).__name__}: {error}")
            continue
        await trial.answer(session, {request.id: Approve() for request in session.requests()})
    trial.ran(call, but="the same saved state was gone on with twice")


async def _refused_before(trial: Trial) -> None:
    call = export(1)
    session = await trial.start([call])
    saved = await session.save()
    asked = trial.asked(session, call)
    if asked:
        await trial.answer(session, {asked[0].id: Refuse()})
        again = await trial.restore(saved)
        await trial.answer(again, {request.id: Approve() for request in again.requests() or asked})
        trial.ran(but="the question was refused, and approved later from a state that was saved before")


async def _beside(trial: Trial) -> None:
    free, call = note(1), export(1)
    session = await trial.start([free, call])
    await trial.approve_all(session)
    trial.ran(call, but="after the approval")
    trial.ran_freely(free, but="it ran beside the question")


async def _before(trial: Trial) -> None:
    free, call = note(1), export(1)
    saved = await (await trial.start([free], [call])).save()
    trial.ran_freely(free, but="before the question")
    session = await trial.restore(saved)
    await trial.approve_all(session)
    trial.ran(call, but="after the approval in a new session")
    trial.ran_freely(free, but="it ran a round before the question")


CASES = cases_of(
    PROPERTY,
    {
        "a saved question can be answered in a new session": _elsewhere,
        "the same saved state, gone on with twice, runs the call once": _twice,
        "what was refused stays refused when an older state is gone on with": _refused_before,
        "what ran beside the question is not repeated": _beside,
        "what ran before the question is not repeated": _before,
    },
)
