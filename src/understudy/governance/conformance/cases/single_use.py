"""Single use: an approval is good for one run of one call."""

from __future__ import annotations

from understudy.governance.conformance.cases.case import cases_of
from understudy.governance.conformance.flow import Approve
from understudy.governance.conformance.trial import Trial, export

PROPERTY = "single use"


async def _twice(trial: Trial) -> None:
    call = export(1)
    session = await trial.start([call])
    asked = trial.asked(session, call)
    if asked:
        await trial.answer(session, {asked[0].id: Approve()})
        await trial.answer(session, {asked[0].id: Approve()})
        trial.ran(call, but="the same question was approved twice")


async def _equal_call(trial: Trial) -> None:
    first, second = export(1), export(1, call_id="call-2")
    session = await trial.start([first], [second])
    asked = trial.asked(session, first)
    if asked:
        await trial.answer(session, {asked[0].id: Approve()})
        trial.ran(first, but="the first of two equal calls was approved")
        again = trial.asked(session, second)
        if again:
            await trial.answer(session, {again[0].id: Approve()})
            trial.ran(first, second, but="both of two equal calls were approved")


async def _old_answer(trial: Trial) -> None:
    first, second = export(1), export(2)
    session = await trial.start([first], [second])
    asked = trial.asked(session, first)
    if asked:
        await trial.answer(session, {asked[0].id: Approve()})
        if asked[0].id not in {request.id for request in session.requests()}:
            await trial.answer(session, {asked[0].id: Approve()})
        trial.ran(first, but="the answer to the first question was sent again while the second was open")


CASES = cases_of(
    PROPERTY,
    {
        "an approval that is sent twice runs the call once": _twice,
        "an equal call later on asks again": _equal_call,
        "an old approval does not answer the next question": _old_answer,
    },
)
