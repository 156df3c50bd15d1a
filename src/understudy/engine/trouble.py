"""What went wrong outside of any case, as an errored outcome: a run that could not tidy up is not green."""

from __future__ import annotations

import traceback
from collections.abc import Callable

from understudy.core.errors import UnderstudyError
from understudy.core.ids import case_id
from understudy.core.outcome import Attachment, Outcome, Status
from understudy.engine.stage import Stage

ENGINE = "engine"


def trouble(kind: str, where: str, reason: str, attachments: tuple[Attachment, ...] = ()) -> Outcome:
    """An outcome that belongs to no case.

    >>> trouble("teardown", "worker", "the port is still taken").id
    'engine::teardown::worker'
    """
    return Outcome(
        id=case_id(ENGINE, kind, where),
        act=ENGINE,
        name=f"{kind} of {where}",
        status=Status.ERRORED,
        reason=reason,
        attachments=attachments,
    )


def defect(act: str, error: BaseException) -> tuple[str, tuple[Attachment, ...]]:
    """What is said of an act that raised what it should not, and the traceback for its author."""
    text = "".join(traceback.format_exception(error))
    reason = f"the act {act!r} raised an error of its own: {type(error).__name__}: {error}"
    return reason, (Attachment("traceback", text),)


async def close_stage(stage: Stage, where: str, report: Callable[[Outcome], None]) -> None:
    """Tear a stage down; what fails there is reported and ends nothing else."""
    try:
        await stage.aclose()
    except UnderstudyError as error:
        report(trouble("teardown", where, str(error)))
