"""An approval flow that is right, and wrong in whichever ways it is told to be: what the suite itself is tried on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from understudy.core.errors import InputError, Problem
from understudy.core.nearness import closest_name
from understudy.governance.conformance.flow import Approve, Bench, Call, Request

# Every fault, and the property that is lost by it.
FAULTS: dict[str, str] = {
    "runs nothing": "argument binding",
    "runs edited arguments": "argument binding",
    "looks arguments up after the approval": "argument binding",
    "runs again for every approval": "single use",
    "takes equal calls for one": "single use",
    "takes an old answer for the next": "single use",
    "never expires": "expiry",
    "runs what nobody answered": "expiry",
    "takes truthy answers": "fail-closed answers",
    "takes all but a clear refusal": "fail-closed answers",
    "takes any answer": "fail-closed answers",
    "answers by position": "parallel requests",
    "loses the others at a refusal": "parallel requests",
    "runs all when one is approved": "parallel requests",
    "runs while it streams": "streaming",
    "asks nothing when it streams": "streaming",
    "keeps approvals in the saved state": "resuming",
    "repeats the round": "resuming",
    "begins anew when restored": "resuming",
}


@dataclass(slots=True)
class _Ticket:
    """What a database would keep of a question: the call as it was shown, and what became of it."""

    call: Call
    asked_at: datetime
    state: str = "open"


class FaultyFlow:
    """An approval flow that keeps its questions in memory; without faults it passes the whole suite.

    >>> FaultyFlow({"never expire"})
    Traceback (most recent call last):
    ...
    understudy.core.errors.InputError: there is no fault 'never expire' (did you mean 'never expires'?)
    """

    name = "faulty flow"

    def __init__(self, faults: Iterable[str] = ()) -> None:
        self.faults = frozenset([faults] if isinstance(faults, str) else faults)
        self.tickets: dict[str, _Ticket] = {}
        self.sessions = 0
        for fault in sorted(self.faults - FAULTS.keys()):
            near = closest_name(fault, FAULTS)
            hint = f"did you mean {near!r}?" if near else f"there are: {', '.join(FAULTS)}"
            raise InputError([Problem(f"there is no fault {fault!r}", hint=hint)])

    async def start(self, rounds: Sequence[Sequence[Call]], bench: Bench) -> _FaultySession:
        """Begin a session."""
        self.sessions += 1
        session = _FaultySession(self, rounds, bench, f"session-{self.sessions}")
        if bench.streaming:
            if "runs while it streams" in self.faults:
                await session.run_unasked()
            for event in ("thinking", "calls", "waiting"):
                if not bench.heard(event):
                    return session
            if "asks nothing when it streams" in self.faults:
                await session.run_unasked()
        await session.go_on()
        return session

    async def restore(self, saved: bytes, rounds: Sequence[Sequence[Call]], bench: Bench) -> _FaultySession:
        """A session from what was saved."""
        state = json.loads(saved)
        session = _FaultySession(self, rounds, bench, state["session"])
        session.arguments = state["arguments"]
        if "keeps approvals in the saved state" in self.faults:
            for request_id in state["open"]:
                self.tickets[request_id].state = "open"
        if "begins anew when restored" not in self.faults:
            session.done = set(state["done"])
        await session.go_on()
        return session


class _FaultySession:
    def __init__(self, flow: FaultyFlow, rounds: Sequence[Sequence[Call]], bench: Bench, name: str) -> None:
        self._flow = flow
        self._rounds = rounds
        self._bench = bench
        self._name = name
        self.done: set[str] = set()
        self.arguments: dict[str, Mapping[str, Any]] = {}

    def requests(self) -> list[Request]:
        return [
            Request(request_id, ticket.call.tool, ticket.call.arguments)
            for request_id, ticket in self._mine().items()
            if ticket.state == "open"
        ]

    async def answer(self, answers: Mapping[str, Any]) -> None:
        given = self._delivered(answers)
        if self._has("repeats the round"):
            self.done -= {call.id for call in self._current() if call.tool not in self._bench.governed}
        for request_id, answer in given.items():
            ticket = self._mine().get(request_id)
            if ticket is not None:
                await self._settle(request_id, ticket, answer)
        if self._has("runs what nobody answered"):
            for request in self.requests():
                if request.id not in given:
                    await self._run(request.id, self._mine()[request.id])
        await self.go_on()

    async def save(self) -> bytes:
        open_now = [request.id for request in self.requests()]
        state = {
            "session": self._name,
            "done": sorted(self.done),
            "open": open_now,
            "arguments": {call: dict(arguments) for call, arguments in self.arguments.items()},
        }
        return json.dumps(state, sort_keys=True).encode()

    async def change_arguments(self, request_id: str, arguments: Mapping[str, Any]) -> None:
        self.arguments[self._mine()[request_id].call.id] = arguments

    async def go_on(self) -> None:
        """Run what needs no approval and ask about the rest, round by round, until a question is open."""
        for calls in self._rounds:
            for call in calls:
                if call.id in self.done:
                    continue
                if call.tool not in self._bench.governed:
                    self.done.add(call.id)
                    await self._bench.run(call)
                else:
                    await self._ask(call)
            if any(call.id not in self.done for call in calls):
                return

    async def run_unasked(self) -> None:
        """Run every call of the first round, approved or not."""
        for call in self._rounds[0]:
            await self._bench.run(call)

    async def _ask(self, call: Call) -> None:
        request_id = f"{self._name}/{call.id}"
        known = self._flow.tickets.get(request_id)
        if known is not None:
            if known.state != "open":
                self.done.add(call.id)
            return
        equal = [ticket for ticket in self._mine().values() if ticket.call.arguments == call.arguments]
        if equal and equal[0].state == "used" and self._has("takes equal calls for one"):
            self.done.add(call.id)
            await self._bench.run(call)
            return
        self._flow.tickets[request_id] = _Ticket(call, self._bench.clock.now())

    def _delivered(self, answers: Mapping[str, Any]) -> dict[str, Any]:
        given = dict(answers)
        open_now = [request.id for request in self.requests()]
        if self._has("answers by position"):
            given = dict(zip(open_now, given.values(), strict=False))
        if self._has("takes an old answer for the next") and open_now:
            given = {one if one in open_now else open_now[0]: answer for one, answer in given.items()}
        if self._has("runs all when one is approved") and Approve() in given.values():
            given = dict.fromkeys(open_now, Approve())
        if self._has("loses the others at a refusal") and not all(map(self._is_approval, given.values())):
            given = dict.fromkeys(given, False)
        return given

    async def _settle(self, request_id: str, ticket: _Ticket, answer: Any) -> None:
        again = ticket.state == "used" and self._has("runs again for every approval")
        if ticket.state != "open" and not again:
            return
        age = (self._bench.clock.now() - ticket.asked_at).total_seconds()
        in_time = age <= self._bench.expiry_seconds or self._has("never expires")
        edited = answer.arguments if isinstance(answer, Approve) else None
        if edited is not None and not self._has("runs edited arguments"):
            # What was edited is another call, so the question is put again as it is now.
            ticket.call = Call(ticket.call.id, ticket.call.tool, edited)
            ticket.asked_at = self._bench.clock.now()
        elif in_time and self._is_approval(answer):
            await self._run(request_id, ticket, edited)
        else:
            ticket.state = "refused"
            self.done.add(ticket.call.id)

    async def _run(self, request_id: str, ticket: _Ticket, edited: Mapping[str, Any] | None = None) -> None:
        call = ticket.call
        arguments = edited or call.arguments
        if self._has("looks arguments up after the approval"):
            arguments = self.arguments.get(call.id, arguments)
        ticket.state = "used"
        self.done.add(call.id)
        if not self._has("runs nothing"):
            await self._bench.run(Call(call.id, call.tool, arguments))

    def _is_approval(self, answer: Any) -> bool:
        if self._has("takes truthy answers") and answer:
            return True
        if self._has("takes all but a clear refusal") and answer is not False:
            return True
        return isinstance(answer, Approve) or self._has("takes any answer")

    def _current(self) -> Sequence[Call]:
        open_calls = {ticket.call.id for ticket in self._mine().values() if ticket.state == "open"}
        return next((calls for calls in self._rounds if any(call.id in open_calls for call in calls)), ())

    def _mine(self) -> dict[str, _Ticket]:
        prefix = f"{self._name}/"
        return {name: ticket for name, ticket in self._flow.tickets.items() if name.startswith(prefix)}

    def _has(self, fault: str) -> bool:
        return fault in self._flow.faults
