"""Argument binding: what was approved is what runs, and nothing else."""

from __future__ import annotations

from understudy.governance.conformance.cases.case import cases_of
from understudy.governance.conformance.flow import Approve
from understudy.governance.conformance.trial import Trial, export

PROPERTY = "argument binding"


async def _as_shown(trial: Trial) -> None:
    call = export(1)
    session = await trial.start([call])
    trial.ran(but="before the answer")
    asked = trial.asked(session, call)
    if asked:
        await trial.answer(session, {asked[0].id: Approve()})
        trial.ran(call, but="after the approval")


async def _edited(trial: Trial) -> None:
    call, edited = export(1), export(1, target="somebody-elses-bundle")
    session = await trial.start([call])
    asked = trial.asked(session, call)
    if asked:
        await trial.answer(session, {asked[0].id: Approve(dict(edited.arguments))})
        trial.ran(but="the reviewer changed the arguments, which nobody has approved as they are now")


async def _changed(trial: Trial) -> None:
    call, changed = export(1), export(1, target="somebody-elses-bundle")
    session = await trial.start([call])
    asked = trial.asked(session, call)
    if asked:
        await session.change_arguments(asked[0].id, changed.arguments)
        await trial.answer(session, {asked[0].id: Approve()})
        runs = trial.bench.runs_of(call.tool)
        # Running what was approved is as good as not running at all.
        if [dict(arguments) for arguments in runs] != [dict(call.arguments)]:
            trial.ran(but="the arguments were changed between question and answer")


CASES = cases_of(
    PROPERTY,
    {
        "an approved call runs once, with the arguments that were shown": _as_shown,
        "arguments that are edited in the answer need an approval of their own": _edited,
        "an approval does not cover arguments that changed while it was waited for": _changed,
    },
)
