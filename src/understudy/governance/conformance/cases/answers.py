"""Fail-closed answers: whatever is not a clear approval is a refusal."""

from __future__ import annotations

from typing import Any

from understudy.governance.conformance.cases.case import Try, cases_of
from understudy.governance.conformance.flow import Refuse
from understudy.governance.conformance.trial import Trial, export

PROPERTY = "fail-closed answers"
UNCLEAR: dict[str, Any] = {
    "an empty text": "",
    "None": None,
    "the text 'yes'": "yes",
    "the text 'no'": "no",
    "the text 'false'": "false",
    "the number 0": 0,
    "the number 1": 1,
    "an empty list": [],
    "an empty object": {},
    "an object that says no": {"approved": False},
    "an object that says 'false'": {"approved": "false"},
    "False": False,
}


def _unclear(shown: str, answer: Any) -> Try:
    async def attempt(trial: Trial) -> None:
        call = export(1)
        session = await trial.start([call])
        asked = trial.asked(session, call)
        if asked:
            await trial.answer(session, {asked[0].id: answer})
            trial.ran(but=f"the answer was {shown}")

    return attempt


async def _refused(trial: Trial) -> None:
    call = export(1)
    session = await trial.start([call])
    asked = trial.asked(session, call)
    if asked:
        await trial.answer(session, {asked[0].id: Refuse("not this one")})
        trial.ran(but="the reviewer refused")


async def _unknown(trial: Trial) -> None:
    call = export(1)
    session = await trial.start([call])
    if trial.asked(session, call):
        await trial.answer(session, {"no-such-question": True})
        trial.ran(but="the answer was to a question that nobody asked")


CASES = cases_of(
    PROPERTY,
    {
        "a refusal runs nothing": _refused,
        **{f"{shown} runs nothing": _unclear(shown, answer) for shown, answer in UNCLEAR.items()},
        "an answer to a question that was never asked runs nothing": _unknown,
    },
)
