"""How a case speaks with the flow that it tries: what is started, answered, and expected to have run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from understudy.core.brief import brief
from understudy.core.expect import Expect
from understudy.governance.conformance.bench import FREE, GOVERNED, CountingBench
from understudy.governance.conformance.flow import ApprovalFlow, Approve, Call, Request, Session


def export(number: int, target: str = "", call_id: str = "") -> Call:
    """A call of the tool that needs an approval; calls with different numbers have different arguments."""
    return Call(
        call_id or f"call-{number}", GOVERNED, {"target": target or f"bundle-{number}", "amount": number}
    )


def note(number: int) -> Call:
    """A call of the tool that runs without asking."""
    return Call(f"note-{number}", FREE, {"target": f"note-{number}", "amount": number})


class Trial:
    """One case on its way: the flow, the bench, the failures so far, and what the flow raised."""

    def __init__(self, flow: ApprovalFlow) -> None:
        self.flow = flow
        self.check = Expect()
        self.bench = CountingBench()
        self.raised: list[str] = []
        self._rounds: Sequence[Sequence[Call]] = ()

    async def start(self, *rounds: Sequence[Call], bench: CountingBench | None = None) -> Session:
        """Begin a session whose model makes these calls."""
        self.bench = bench or self.bench
        self._rounds = rounds
        return await self.flow.start(rounds, self.bench)

    async def restore(self, saved: bytes) -> Session:
        """A new session object that stands where one was saved."""
        return await self.flow.restore(saved, self._rounds, self.bench)

    async def answer(self, session: Session, answers: Mapping[str, Any]) -> None:
        """Answer; that a flow raises is a refusal like any other, and is shown if something else is amiss."""
        try:
            await session.answer(answers)
        except Exception as error:
            self.raised.append(f"{type(error).__name__}: {brief(str(error))}")

    async def approve_all(self, session: Session, rounds: int = 4) -> None:
        """Approve whatever is open, until nothing is."""
        for _ in range(rounds):
            open_now = session.requests()
            if not open_now or self.raised:
                return
            await self.answer(session, {request.id: Approve() for request in open_now})

    def request(self, session: Session, call: Call) -> Request | None:
        """The open question about a call; it is a failure if there is none."""
        for request in session.requests():
            if request.tool == call.tool and dict(request.arguments) == dict(call.arguments):
                return request
        shown = [dict(request.arguments) for request in session.requests()]
        self.check.fail(
            f"no question is open about {call.tool} with {brief(dict(call.arguments))}"
            f"; open are {brief(shown)}{self._and_raised()}",
            expected=dict(call.arguments),
            actual=shown,
        )
        return None

    def asked(self, session: Session, *calls: Call) -> list[Request] | None:
        """The open questions about these calls, in this order; None, and a failure, if one is missing."""
        found = [self.request(session, call) for call in calls]
        return None if None in found else [request for request in found if request is not None]

    def ran(self, *calls: Call, but: str) -> bool:
        """Exactly these governed calls ran, each once; `but` says what was done before."""
        want = sorted((dict(call.arguments) for call in calls), key=str)
        got = sorted((dict(arguments) for arguments in self.bench.runs_of(GOVERNED)), key=str)
        if got == want:
            return True
        return self.check.fail(
            f"{but}: {GOVERNED} was to run {_times(want)}, and ran {_times(got)}{self._and_raised()}",
            expected=want,
            actual=got,
        )

    def ran_freely(self, *calls: Call, but: str) -> bool:
        """Exactly these calls of the tool that needs no approval ran, each once."""
        want = sorted((dict(call.arguments) for call in calls), key=str)
        got = sorted((dict(arguments) for arguments in self.bench.runs_of(FREE)), key=str)
        if got == want:
            return True
        return self.check.fail(
            f"{but}: {FREE} was to run {_times(want)}, and ran {_times(got)}{self._and_raised()}",
            expected=want,
            actual=got,
        )

    def _and_raised(self) -> str:
        return f" (the flow raised {'; '.join(self.raised)})" if self.raised else ""


def _times(runs: Sequence[Mapping[str, Any]]) -> str:
    if not runs:
        return "never"
    shown = ", ".join(str(run.get("target", run)) for run in runs)
    return f"once, with {shown}" if len(runs) == 1 else f"{len(runs)} times, with {shown}"
