"""A test that was run, as outcomes: one for the test, and one for every labelled row in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from understudy.core.ids import Numbering, case_id
from understudy.core.outcome import Attachment, Failure, Location, Outcome, Status
from understudy.engine.act import CaseRef
from understudy.rules.listing import LoadError

if TYPE_CHECKING:
    from understudy.rules.starlark.cases import Ran
    from understudy.rules.starlark.turn import Row

ACT = "rules"
NOTHING_CHECKED = "the test checks nothing: it passes unless it ends with an error"


def outcomes_of(
    ran: Ran, ref: CaseRef, file: str, duration_ms: float, explained: Sequence[Attachment] = ()
) -> Iterator[Outcome]:
    """The outcomes of a test: its rows first, then the test itself, which is as good as all of them."""
    numbering = Numbering()
    rows = list(ran.turn.rows.values())
    for row in rows:
        yield _row_outcome(row, ref, case_id(ACT, file, numbering(f"{ref.name}/{row.label}")), file)
    failures = (*ran.turn.failures, *(_summary(row, file) for row in rows if row.failures or row.error))
    status = Status.ERRORED if ran.error else Status.FAILED if failures else Status.PASSED
    attachments = [Attachment("printed", ran.turn.printed)] if ran.turn.prints else []
    if ran.error:
        attachments.append(Attachment("starlark", ran.error.trace))
    yield Outcome(
        id=ref.id,
        act=ACT,
        name=ref.name,
        status=status,
        failures=failures,
        reason=ran.error.message if ran.error else "",
        duration_ms=duration_ms,
        location=_at(ran.error, file) or ref.location,
        tags=ref.tags,
        notes=() if ran.turn.checks or ran.error else (NOTHING_CHECKED,),
        attachments=(*attachments, *(explained if status is not Status.PASSED else ())),
    )


def _row_outcome(row: Row, ref: CaseRef, identifier: str, file: str) -> Outcome:
    status = Status.ERRORED if row.error else Status.FAILED if row.failures else Status.PASSED
    return Outcome(
        id=identifier,
        act=ACT,
        name=f"{ref.name}/{row.label}",
        status=status,
        failures=tuple(row.failures),
        reason=row.error.message if row.error else "",
        location=_at(row.error, file) or (row.failures[0].location if row.failures else ref.location),
        tags=ref.tags,
        attachments=(Attachment("starlark", row.error.trace),) if row.error else (),
        parent=ref.id,
    )


def _summary(row: Row, file: str) -> Failure:
    """A bad row in one line, for the test; the row's own outcome says the rest."""
    count = len(row.failures)
    if row.error:
        return Failure(f"row {row.label!r}: {row.error.message}", location=_at(row.error, file))
    first, more = row.failures[0], f" (and {count - 1} more)" if count > 1 else ""
    return Failure(f"row {row.label!r}: {first.message}{more}", location=first.location)


def _at(error: LoadError | None, file: str) -> Location | None:
    return Location(file, error.line, error.column) if error is not None and error.line is not None else None


def load_error(error: LoadError, ref: CaseRef) -> Outcome:
    """The outcome of a case that could not be run."""
    file = ref.location.file if ref.location else ""
    return Outcome(
        id=ref.id,
        act=ACT,
        name=ref.name,
        status=Status.ERRORED,
        reason=error.message,
        location=Location(file, error.line, error.column),
        attachments=(Attachment("starlark", error.trace),) if error.trace else (),
    )
