"""Our gateway in front of somebody else's approval flow: whatever the flow does, a tool runs only with an approval."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from typing import Any

from understudy.core.clock import Clock
from understudy.governance.conformance.approvals import Approvals
from understudy.governance.conformance.flow import (
    ApprovalFlow,
    Approve,
    Bench,
    Call,
    Refuse,
    Request,
    Session,
)

NOT_APPROVED = "it was not run: nobody approved this call with these arguments"


class GatewayFront:
    """A flow whose questions are put to the gateway, and whose tools redeem an approval before they run.

    The flow itself is only told what was decided. A call that ran already answers with its result when the flow
    makes it again.
    """

    def __init__(self, flow: ApprovalFlow) -> None:
        self.name = f"{flow.name}, behind the gateway"
        self._flow = flow
        self._desks: list[_Desk] = []

    async def start(self, rounds: Sequence[Sequence[Call]], bench: Bench) -> _FrontSession:
        """Begin a session, with an empty desk."""
        desk = _Desk(bench)
        self._desks.append(desk)
        session = _FrontSession(await self._flow.start(rounds, desk), desk, len(self._desks) - 1)
        session.look()
        return session

    async def restore(self, saved: bytes, rounds: Sequence[Sequence[Call]], bench: Bench) -> _FrontSession:
        """The session of the flow as it was saved, at the desk as it is now."""
        state = json.loads(saved)
        desk = self._desks[state["desk"]]
        inner = await self._flow.restore(b64decode(state["inner"]), rounds, desk)
        session = _FrontSession(inner, desk, state["desk"])
        session.look()
        return session


class _Desk:
    """The bench as the flow sees it: its governed tools redeem an approval. It lives as long as the database."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self.approvals = Approvals(bench)
        self.reviews: dict[tuple[str, str], str] = {}
        self._results: dict[str, str] = {}

    @property
    def governed(self) -> frozenset[str]:
        return self._bench.governed

    @property
    def free(self) -> frozenset[str]:
        return self._bench.free

    @property
    def clock(self) -> Clock:
        return self._bench.clock

    @property
    def expiry_seconds(self) -> float:
        return self._bench.expiry_seconds

    @property
    def streaming(self) -> bool:
        return self._bench.streaming

    def heard(self, event: str) -> bool:
        return self._bench.heard(event)

    async def run(self, call: Call) -> str:
        if call.id in self._results:
            return self._results[call.id]
        if call.tool in self.governed and not self._redeems(call):
            return NOT_APPROVED
        result = self._results[call.id] = await self._bench.run(call)
        return result

    def _redeems(self, call: Call) -> bool:
        """An approval fits a call by what it is bound to, not by what the flow says it is the answer to."""
        return any(self.approvals.redeem(review_id, call) for review_id in self.reviews.values())


class _FrontSession:
    def __init__(self, inner: Session, desk: _Desk, number: int) -> None:
        self._inner = inner
        self._desk = desk
        self._number = number

    def requests(self) -> Sequence[Request]:
        return self._inner.requests()

    async def answer(self, answers: Mapping[str, Any]) -> None:
        open_now = {request.id: request for request in self.requests()}
        told: dict[str, Any] = {}
        for request_id, answer in answers.items():
            if request_id in open_now:
                review_id = self._desk.reviews[_key(open_now[request_id])]
                may_run = self._desk.approvals.decide(review_id, answer)
                told[request_id] = Approve() if may_run else Refuse("not approved")
        if told:
            await self._inner.answer(told)
        self.look()

    async def save(self) -> bytes:
        inner = b64encode(await self._inner.save()).decode()
        return json.dumps({"inner": inner, "desk": self._number}).encode()

    async def change_arguments(self, request_id: str, arguments: Mapping[str, Any]) -> None:
        await self._inner.change_arguments(request_id, arguments)

    def look(self) -> None:
        """Put every question to the gateway that it does not know yet."""
        for request in self.requests():
            if _key(request) not in self._desk.reviews:
                review_id = self._desk.approvals.ask(request.tool, request.arguments)
                self._desk.reviews[_key(request)] = review_id


def _key(request: Request) -> tuple[str, str]:
    """A question as the gateway knows it: one whose arguments changed is another."""
    return request.id, json.dumps([request.tool, dict(request.arguments)], sort_keys=True)
