"""A project around the tiny act, without a project file; importable by worker processes."""

from __future__ import annotations

import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from understudy.engine.act import Act
from understudy.engine.plan import discover
from understudy.engine.stage import Resource, Scope, Stage
from understudy.wire.target import Target

THIRD_PARTY = Path(__file__).parent.parent / "thirdparty"


class TinyProject:
    """What the tiny act sees of its project."""

    seed = 0

    def __init__(self, config: dict[str, Any]) -> None:
        self.root = Path()
        self.config = config
        self.target = Resource("target", Scope.RUN, self._open_target)

    def settings(self, act: str) -> Any:
        from tiny_act import TinySettings

        return TinySettings.model_validate(self.config)

    @asynccontextmanager
    async def _open_target(self, stage: Stage) -> Any:
        yield Target("http://127.0.0.1:1")


def tiny_acts(config: dict[str, Any]) -> dict[str, Act]:
    """The loader of the workshop: what a worker process does to get the acts."""
    if str(THIRD_PARTY) not in sys.path:
        sys.path.insert(0, str(THIRD_PARTY))
    from tiny_act import TinyAct

    act = TinyAct()
    discover([act], TinyProject(config))
    return {"tiny": act}
