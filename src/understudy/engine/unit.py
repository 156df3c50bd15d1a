"""One unit, run so that whatever it does, every one of its cases has an outcome afterwards."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable

from understudy.core.errors import UnderstudyError
from understudy.core.events import CaseStarted
from understudy.core.outcome import Attachment, Outcome, Status
from understudy.engine.act import Act, CaseRef, Item, Unit
from understudy.engine.stage import Stage

Emit = Callable[[Unit, Item], None]


async def run_unit(act: Act, unit: Unit, worker: Stage, emit: Emit, timeout: float | None = None) -> None:
    """Run a unit on a stage of its own and emit what it yields; never raises but for cancellation."""
    stage = worker.narrower()
    missing = {case.id: case for case in unit.cases}
    started: set[str] = set()

    def note(item: Item) -> None:
        if isinstance(item, CaseStarted):
            started.add(item.case_id)
        elif isinstance(item, Outcome):
            if item.id not in started and not item.parent:
                emit(unit, CaseStarted(item.id))
            missing.pop(item.id, None)
        emit(unit, item)

    reason = "its act ended without an outcome for it"
    attachments: tuple[Attachment, ...] = ()
    try:
        try:
            async with asyncio.timeout(timeout):
                async for item in act.run(unit, stage):
                    note(item)
        finally:
            await stage.aclose()
    except TimeoutError:
        reason = (
            f"it was stopped: its unit ran longer than the {timeout:g} s allowed" if timeout else _defect(act)
        )
    except UnderstudyError as error:
        reason = str(error)
    except Exception as error:
        reason = f"{_defect(act)}: {type(error).__name__}: {error}"
        attachments = (Attachment("traceback", traceback.format_exc()),)
    for case in tuple(missing.values()):
        note(errored(act.name, case, reason, attachments))


def errored(
    act: str,
    case: CaseRef,
    reason: str,
    attachments: tuple[Attachment, ...] = (),
    status: Status = Status.ERRORED,
) -> Outcome:
    """The outcome of a case that the engine has to speak for."""
    return Outcome(
        id=case.id,
        act=act,
        name=case.name,
        status=status,
        reason=reason,
        location=case.location,
        tags=case.tags,
        attachments=attachments,
    )


def _defect(act: Act) -> str:
    return f"the act {act.name!r} raised an error of its own"
