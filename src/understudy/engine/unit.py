"""One unit, run so that whatever it does, every one of its cases has an outcome afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from understudy.core.errors import UnderstudyError
from understudy.core.events import CaseStarted
from understudy.core.outcome import Attachment, Outcome, Status
from understudy.engine.act import Act, CaseRef, Item, Unit
from understudy.engine.stage import Stage
from understudy.engine.trouble import close_stage, defect, trouble

Emit = Callable[[Unit, Item], None]


async def run_unit(act: Act, unit: Unit, worker: Stage, emit: Emit, timeout: float | None = None) -> None:
    """Run a unit on a stage of its own and emit what it yields; never raises but for cancellation."""
    stage = worker.narrower()
    missing = {case.id: case for case in unit.cases}
    started: set[str] = set()
    finished: set[str] = set()

    def note(item: Item) -> None:
        if isinstance(item, CaseStarted):
            started.add(item.case_id)
        elif isinstance(item, Outcome):
            if item.id in finished:
                why = f"{act.name} gave a second outcome for {item.id!r}, which {item.status.value}"
                item = trouble("unit", unit.id, why)
            finished.add(item.id)
            if item.id not in started and not item.parent:
                emit(unit, CaseStarted(item.id))
            missing.pop(item.id, None)
        emit(unit, item)

    reason = ""
    attachments: tuple[Attachment, ...] = ()
    try:
        async with asyncio.timeout(timeout) as limit:
            async for item in act.run(unit, stage):
                note(item)
    except UnderstudyError as error:
        reason = str(error)
    except (Exception, SystemExit) as error:
        if isinstance(error, TimeoutError) and limit.expired():
            reason = f"it was stopped: its unit ran longer than the {timeout:g} s allowed"
        else:
            reason, attachments = defect(act.name, error)
    finally:
        await close_stage(stage, unit.id, note)
    if reason and not missing:
        note(trouble("unit", unit.id, f"after all its cases had an outcome: {reason}", attachments))
    for case in tuple(missing.values()):
        note(errored(act.name, case, reason or "its act ended without an outcome for it", attachments))


def errored(act: str, case: CaseRef, reason: str, attachments: tuple[Attachment, ...] = ()) -> Outcome:
    """The outcome of a case that the engine has to speak for."""
    return Outcome(
        id=case.id,
        act=act,
        name=case.name,
        status=Status.ERRORED,
        reason=reason,
        location=case.location,
        tags=case.tags,
        attachments=attachments,
    )
