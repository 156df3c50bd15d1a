"""The reference: an approval flow made of nothing but our gateway, its review service and a loop over the rounds."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from understudy.governance.conformance.approvals import Approvals
from understudy.governance.conformance.flow import Bench, Call, Request


@dataclass(slots=True)
class _Progress:
    """How far a conversation has come: kept in the database, in one transaction with what is done."""

    reviews: dict[str, str] = field(default_factory=dict)
    done: set[str] = field(default_factory=set)


class GatewayFlow:
    """Every governed call is submitted to the gateway, and redeemed right before it runs.

    >>> from understudy.governance.conformance import run_conformance
    >>> run_conformance(GatewayFlow()).passed
    True
    """

    name = "understudy gateway"

    def __init__(self) -> None:
        self._desks: dict[str, tuple[Approvals, _Progress]] = {}

    async def start(self, rounds: Sequence[Sequence[Call]], bench: Bench) -> _GatewaySession:
        """Begin a conversation."""
        name = f"conversation-{len(self._desks) + 1}"
        self._desks[name] = Approvals(bench), _Progress()
        session = _GatewaySession(name, *self._desks[name], rounds, bench)
        if bench.streaming:
            for event in ("thinking", "calling"):
                if not bench.heard(event):
                    return session
        await session.go_on()
        return session

    async def restore(self, saved: bytes, rounds: Sequence[Sequence[Call]], bench: Bench) -> _GatewaySession:
        """The conversation of that name, with the arguments as they were saved."""
        state = json.loads(saved)
        session = _GatewaySession(state["name"], *self._desks[state["name"]], rounds, bench)
        session.changed = state["changed"]
        await session.go_on()
        return session


class _GatewaySession:
    def __init__(
        self,
        name: str,
        approvals: Approvals,
        progress: _Progress,
        rounds: Sequence[Sequence[Call]],
        bench: Bench,
    ) -> None:
        self._name = name
        self._approvals = approvals
        self._progress = progress
        self._rounds = rounds
        self._bench = bench
        self.changed: dict[str, Mapping[str, Any]] = {}

    def requests(self) -> list[Request]:
        return [
            Request(review_id, call.tool, call.arguments)
            for call in map(self._as_it_is, (call for calls in self._rounds for call in calls))
            if (review_id := self._progress.reviews.get(call.id)) and self._approvals.is_open(review_id)
        ]

    async def answer(self, answers: Mapping[str, Any]) -> None:
        calls = {self._progress.reviews.get(call.id): call for calls in self._rounds for call in calls}
        for review_id, answer in answers.items():
            call = calls.get(review_id)
            if call is None or call.id in self._progress.done:
                continue
            may_run = self._approvals.decide(review_id, answer)
            self._progress.done.add(call.id)
            call = self._as_it_is(call)
            if may_run and self._approvals.redeem(review_id, call):
                await self._bench.run(call)
        await self.go_on()

    async def save(self) -> bytes:
        changed = {call: dict(arguments) for call, arguments in self.changed.items()}
        return json.dumps({"name": self._name, "changed": changed}).encode()

    async def change_arguments(self, request_id: str, arguments: Mapping[str, Any]) -> None:
        self.changed |= {
            call: arguments for call, review in self._progress.reviews.items() if review == request_id
        }

    async def go_on(self) -> None:
        """Run what is free, ask about the rest, and stop at the first round in which a question is open."""
        for calls in self._rounds:
            for call in calls:
                if call.id in self._progress.done or call.id in self._progress.reviews:
                    continue
                if call.tool in self._bench.governed:
                    self._progress.reviews[call.id] = self._approvals.ask(call.tool, call.arguments)
                else:
                    self._progress.done.add(call.id)
                    await self._bench.run(call)
            if any(call.id not in self._progress.done for call in calls):
                return

    def _as_it_is(self, call: Call) -> Call:
        return Call(call.id, call.tool, self.changed.get(call.id, call.arguments))
