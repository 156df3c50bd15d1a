"""Parallel requests: every answer reaches the question that it answers, and no other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from understudy.governance.conformance.cases.case import cases_of
from understudy.governance.conformance.flow import Approve, Refuse, Session
from understudy.governance.conformance.trial import Trial, export

PROPERTY = "parallel requests"
_ROUNDS = 6


async def _answer_by_amount(trial: Trial, session: Session, answers: Mapping[int, Any]) -> None:
    """Answer what is open, last question first, as a reviewer does who reads what is asked."""
    for _ in range(_ROUNDS):
        given = {
            request.id: answers[request.arguments["amount"]]
            for request in reversed(session.requests())
            if request.arguments["amount"] in answers
        }
        if not given or trial.raised:
            return
        await trial.answer(session, given)


async def _mixed(trial: Trial) -> None:
    calls = [export(1), export(2), export(3)]
    session = await trial.start(calls)
    trial.ran(but="before any answer")
    await _answer_by_amount(trial, session, {1: Approve(), 2: Refuse(), 3: Approve()})
    trial.ran(calls[0], calls[2], but="of three questions the second was refused, the others were approved")


async def _one_refusal(trial: Trial) -> None:
    calls = [export(1), export(2)]
    session = await trial.start(calls)
    await _answer_by_amount(trial, session, {1: Refuse(), 2: Approve()})
    trial.ran(calls[1], but="of two questions the first was refused, the second was approved")


async def _one_at_a_time(trial: Trial) -> None:
    calls = [export(1), export(2), export(3)]
    session = await trial.start(calls)
    first = session.requests()[-1:]
    if not first:
        trial.asked(session, calls[0])
        return
    chosen = first[0].arguments["amount"]
    await trial.answer(session, {first[0].id: Approve()})
    done = [dict(arguments) for arguments in trial.bench.runs_of(calls[0].tool)]
    # A flow may wait until it has all answers; what it must not do is to run what has none.
    if done:
        trial.ran(
            export(chosen), but=f"only the question with amount {chosen} was answered, with an approval"
        )
    others = {call.arguments["amount"]: Approve() for call in calls if call.arguments["amount"] != chosen}
    await _answer_by_amount(trial, session, others)
    trial.ran(*calls, but="all three questions were approved, one before the others")


async def _equal(trial: Trial) -> None:
    first, second = export(1), export(1, call_id="call-2")
    session = await trial.start([first, second])
    answers: list[Any] = [Approve(), Refuse()]
    for _ in range(_ROUNDS):
        open_now = session.requests()
        if not open_now or not answers or trial.raised:
            break
        given = {request.id: answers.pop(0) for request in open_now if answers}
        await trial.answer(session, given)
    trial.ran(first, but="of two equal calls one was approved and one refused")


CASES = cases_of(
    PROPERTY,
    {
        "each answer goes to its own question": _mixed,
        "one refusal neither runs nor loses the others": _one_refusal,
        "what has no answer yet waits while another is answered": _one_at_a_time,
        "of two equal calls only the approved one runs": _equal,
    },
)
