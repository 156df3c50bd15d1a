"""What goes wrong, and when: a script of faults for a simulated connector, as plain data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from understudy.core.brief import brief
from understudy.core.errors import InputError, Problem
from understudy.core.nearness import closest_name

__all__ = [
    "Fault",
    "Faults",
    "Kind",
    "duplicate",
    "fail",
    "latency",
    "out_of_order",
    "partial_page",
    "rate_limit",
]

Kind = Literal["fail", "rate_limit", "latency", "partial_page", "duplicate", "out_of_order"]

REQUESTS = ("list_objects", "get_object", "versions", "upsert_object", "delete_object")
_CALLS = (*REQUESTS, "health_check", "authenticate")
_CONCERNS: dict[Kind, tuple[str, ...]] = {
    "fail": _CALLS,
    "rate_limit": _CALLS,
    "latency": _CALLS,
    "partial_page": ("list_objects",),
    "duplicate": ("list_objects", "upsert_object"),
    "out_of_order": ("list_objects",),
}


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that goes wrong. Made by `fail`, `rate_limit`, `latency` and the others, which say what they do.

    It meets the calls of `operation` (None: every request it can concern), and of these the nth, every nth, or some
    by chance; without any of the three, all.

    >>> str(fail("get_object", nth=3))
    'fail: get_object, call 3'
    """

    kind: Kind
    operation: str | None = None
    nth: int | tuple[int, ...] | None = None
    every: int | None = None
    chance: float | None = None
    message: str = ""
    retry_after: float | None = None
    amount: float = 0
    seconds: float = 0

    def __post_init__(self) -> None:
        problems = [*self._wrong_operation(), *self._wrong_times()]
        if problems:
            raise InputError(problems)

    def concerns(self, operation: str) -> bool:
        """True for a call of this operation. health_check and authenticate are met only by their name."""
        if self.operation is not None:
            return operation == self.operation
        return operation in REQUESTS and operation in _CONCERNS[self.kind]

    def __str__(self) -> str:
        where = self.operation or "any request"
        if self.nth is not None:
            numbers = (self.nth,) if isinstance(self.nth, int) else self.nth
            where += f", call {' and '.join(map(str, numbers))}"
        elif self.every is not None:
            where += f", every {self.every} calls"
        elif self.chance is not None:
            where += f", with chance {self.chance:g}"
        return f"{self.kind}: {where}"

    def _wrong_operation(self) -> Iterable[Problem]:
        possible = _CONCERNS[self.kind]
        if self.operation is not None and self.operation not in possible:
            near = closest_name(str(self.operation), possible)
            hint = f"did you mean {near!r}?" if near else f"it can meet {', '.join(possible)}"
            yield Problem(
                f"the fault {self.kind} cannot meet the operation {brief(self.operation)}", hint=hint
            )

    def _wrong_times(self) -> Iterable[Problem]:
        given = [name for name in ("nth", "every", "chance") if getattr(self, name) is not None]
        if len(given) > 1:
            yield Problem(f"the fault {self.kind} has {' and '.join(given)}", hint="give one of them")
        numbers = self.nth if isinstance(self.nth, tuple) else (self.nth,)
        if not numbers:
            yield Problem("nth=() counts no call, so that the fault never meets one", hint="name the calls")
        for name, value in [("nth", number) for number in numbers] + [("every", self.every)]:
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                yield Problem(f"{name} counts calls from 1 on; {brief(value)} is no such number")
        if self.chance is not None and not _is_number(self.chance, 0, 1):
            yield Problem(f"chance is a number from 0 to 1, not {brief(self.chance)}")


def fail(
    operation: str | None = None,
    *,
    nth: int | tuple[int, ...] | None = None,
    every: int | None = None,
    chance: float | None = None,
    message: str = "the platform failed",
    retry_after: float | None = None,
) -> Fault:
    """The request raises the connector's client error, and nothing is read or written."""
    return Fault("fail", operation, nth, every, chance, message, retry_after)


def rate_limit(calls: int, *, per: float, operation: str | None = None) -> Fault:
    """At most so many calls in any window of so many seconds (of the connector's clock).

    Further ones raise the client error; its `retry_after` says in how many seconds the next one may come.
    """
    if isinstance(calls, bool) or not isinstance(calls, int) or calls < 1:
        raise InputError(f"a rate limit allows a number of calls from 1 on, not {brief(calls)}")
    if not _is_number(per, 0) or not per:
        raise InputError(f"the window of a rate limit is a number of seconds above 0, not {brief(per)}")
    return Fault("rate_limit", operation, amount=calls, seconds=per)


def latency(
    seconds: float,
    operation: str | None = None,
    *,
    nth: int | tuple[int, ...] | None = None,
    every: int | None = None,
    chance: float | None = None,
) -> Fault:
    """The request takes so long: told to the connector's `sleep`, or to a clock that can be advanced."""
    if not _is_number(seconds, 0):
        raise InputError(f"latency is a number of seconds from 0 on, not {brief(seconds)}")
    return Fault("latency", operation, nth, every, chance, seconds=seconds)


def partial_page(
    *,
    keep: float = 0.5,
    nth: int | tuple[int, ...] | None = None,
    every: int | None = None,
    chance: float | None = None,
) -> Fault:
    """A listing gives only this share of what it should, at least one object.

    The cursor goes on right after it, so that who follows cursors misses nothing, and who counts pages does.
    """
    if not _is_number(keep, 0, 1) or keep == 1:
        raise InputError(f"a partial page keeps a share from 0 to below 1, not {brief(keep)}")
    return Fault("partial_page", "list_objects", nth, every, chance, amount=keep)


def duplicate(
    operation: str | None = None,
    *,
    nth: int | tuple[int, ...] | None = None,
    every: int | None = None,
    chance: float | None = None,
) -> Fault:
    """A listing gives one of its objects twice; an upsert is carried out twice."""
    return Fault("duplicate", operation, nth, every, chance)


def out_of_order(
    *,
    nth: int | tuple[int, ...] | None = None,
    every: int | None = None,
    chance: float | None = None,
) -> Fault:
    """A listing gives its objects in another order."""
    return Fault("out_of_order", "list_objects", nth, every, chance)


class Faults:
    """A script of faults; what is left to chance is decided by the seed. One script can serve several connectors.

    >>> [str(fault) for fault in Faults(fail(every=5), latency(0.2), seed=7)]
    ['fail: any request, every 5 calls', 'latency: any request']
    """

    __slots__ = ("script", "seed")

    def __init__(self, *script: Fault, seed: int = 0) -> None:
        for fault in script:
            if not isinstance(fault, Fault):
                hint = "make one with fail(), rate_limit(), latency(), partial_page(), duplicate(), out_of_order()"
                raise InputError([Problem(f"{brief(fault)} is no fault", hint=hint)])
        self.script = script
        self.seed = seed

    def __iter__(self) -> Any:
        return iter(self.script)


def _is_number(value: Any, least: float, most: float = float("inf")) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most
