"""What an approval flow offers to the suite: it is given calls, stops to ask, and goes on with the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from understudy.core.clock import Clock
from understudy.core.errors import UnderstudyError


class NotOffered(UnderstudyError):
    """The flow has no such thing at all (no streaming, no saved state): the case is skipped, and says so."""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call that the scripted model makes: under which id, of which tool, with which arguments."""

    id: str
    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Request:
    """A question that waits for an answer: its id, and the call as the reviewer sees it."""

    id: str
    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Approve:
    """The clear approval of a request; with `arguments` the reviewer changed them while approving."""

    arguments: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Refuse:
    """The clear refusal of a request."""

    reason: str = ""


class Bench(Protocol):
    """What a case hands to the flow: the tools and their kinds, the time, and who listens to a stream."""

    @property
    def governed(self) -> frozenset[str]:
        """The tools whose calls wait for an approval."""
        ...

    @property
    def free(self) -> frozenset[str]:
        """The tools that run without asking. All tools take `target`, a text, and `amount`, a number."""
        ...

    @property
    def clock(self) -> Clock:
        """The time by which approvals expire."""
        ...

    @property
    def expiry_seconds(self) -> float:
        """How long an approval may be waited for."""
        ...

    @property
    def streaming(self) -> bool:
        """Whether the flow is to be driven through its streaming interface."""
        ...

    async def run(self, call: Call) -> str:
        """Run a tool; what it returns goes to the model."""
        ...

    def heard(self, event: str) -> bool:
        """An event of the stream has come; False if nobody listens any more."""
        ...


class Session(Protocol):
    """One conversation of a flow with its scripted model."""

    def requests(self) -> Sequence[Request]:
        """The questions that are open now, in the order in which they were asked."""
        ...

    async def answer(self, answers: Mapping[str, Any]) -> None:
        """Go on with answers by request id, until the next question or the end.

        An answer is `Approve`, `Refuse`, or any value at all, which is passed on just as a screen or a webhook would
        pass it on. A flow may leave open what is not answered. It may refuse an answer by raising.
        """
        ...

    async def save(self) -> bytes:
        """All that another process needs to go on from here, beside what the flow keeps in a database."""
        ...

    async def change_arguments(self, request_id: str, arguments: Mapping[str, Any]) -> None:
        """Change the arguments of a waiting call in the kept state, as a defect or an intruder would."""
        ...


class ApprovalFlow(Protocol):
    """An approval flow of some framework, ready to be tried again and again.

    The scripted model of a session makes the calls of one round at once, gets their results, and goes on with the
    next round. Tools named in `bench.governed` wait for an approval, all others run freely; a tool that runs does so
    by `await bench.run(call)`. A flow that can make an approval expire measures with `bench.clock` and takes
    `bench.expiry_seconds`. With `bench.streaming`, the flow's stream is read to the end, every event of it is given to
    `bench.heard(event)`, and left as soon as that returns False.
    """

    @property
    def name(self) -> str:
        """How the flow is called in a report."""
        ...

    async def start(self, rounds: Sequence[Sequence[Call]], bench: Bench) -> Session:
        """Begin a session, and go on until the first question or the end."""
        ...

    async def restore(self, saved: bytes, rounds: Sequence[Sequence[Call]], bench: Bench) -> Session:
        """A new session object, as in another process, that stands where a session was saved."""
        ...
