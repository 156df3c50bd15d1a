"""A case of the suite: which property it belongs to, what it shows, and how it is tried."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from understudy.governance.conformance.trial import Trial

Try = Callable[[Trial], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class ConformanceCase:
    """One thing that an approval flow must do, or must never do."""

    property: str
    name: str
    attempt: Try


def cases_of(property_name: str, attempts: dict[str, Try]) -> tuple[ConformanceCase, ...]:
    """The cases of one property, in the order in which they are written."""
    return tuple(ConformanceCase(property_name, name, attempt) for name, attempt in attempts.items())
