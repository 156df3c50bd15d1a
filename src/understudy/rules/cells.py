"""The process that tests run in: what works in it, and how it is started before there is a project."""

from __future__ import annotations

from understudy.engine.cells.process import CellProcess

SERVANT = "understudy.rules.workbench:Workbench"
# Looking for plugins of pydantic among all that is installed would take a tenth of the start; ours need none.
ENVIRONMENT = {"PYDANTIC_DISABLE_PLUGINS": "__all__"}


def started_early() -> CellProcess:
    """A process that imports what tests need, while whoever starts it finds out which tests there are."""
    return CellProcess(preload=SERVANT.partition(":")[0], environment=ENVIRONMENT)
