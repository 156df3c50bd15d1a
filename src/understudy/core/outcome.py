"""What a case yields: an outcome with a status, every failure it had, and what is needed to understand it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from understudy.core.pickling import travelling


class Status(StrEnum):
    """Passed, failed (an expectation does not hold), errored (it could not be judged), skipped: all different."""

    PASSED = "passed"
    FAILED = "failed"
    ERRORED = "errored"
    SKIPPED = "skipped"


@travelling
@dataclass(frozen=True, slots=True)
class Location:
    """A place in a source file, counted from 1."""

    file: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        numbers = [str(number) for number in (self.line, self.column) if number is not None]
        return ":".join([self.file, *numbers])


@travelling
@dataclass(frozen=True, slots=True)
class Failure:
    """One expectation that does not hold. `expected` and `actual` are plain JSON data."""

    message: str
    expected: Any = None
    actual: Any = None
    diff: str = ""
    location: Location | None = None


@travelling
@dataclass(frozen=True, slots=True)
class Attachment:
    """Something worth keeping beside an outcome: an exchange, a log, the output of the app under test."""

    name: str
    text: str
    media_type: str = "text/plain"


@travelling
@dataclass(frozen=True, slots=True)
class Known:
    """A failure that the user knows of: why it is tolerated, and (ISO date) until when."""

    reason: str
    until: str = ""


@travelling
@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one case.

    `reason` says why a case errored or was skipped. `parent` is the id of the case whose labelled row this is.
    `details` is the act's own plain data. `rerun` is the command that runs just this case again.
    """

    id: str
    act: str
    name: str
    status: Status
    failures: tuple[Failure, ...] = ()
    reason: str = ""
    duration_ms: float = 0.0
    location: Location | None = None
    tags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    known: Known | None = None
    parent: str = ""
    rerun: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_bad(self) -> bool:
        """True if this outcome makes the run fail: failed or errored, and not a known failure."""
        return self.known is None and self.status in (Status.FAILED, Status.ERRORED)
