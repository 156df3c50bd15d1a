"""An act whose cases pass, and which then goes wrong where no case is to blame; importable by worker processes."""

from __future__ import annotations

import atexit
import os
import time
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from understudy.core.errors import UnderstudyError
from understudy.core.events import Evidence
from understudy.core.ids import case_id
from understudy.core.outcome import Outcome, Status
from understudy.engine.act import Act, CaseRef, Item, ProjectView, Unit
from understudy.engine.executors import Workshop
from understudy.engine.stage import Resource, Scope, Stage

SCOPES = {"run": Scope.RUN, "worker": Scope.WORKER, "unit": Scope.UNIT}


class TroubledAct:
    """The name of a case says what goes wrong: `unit`, `worker` or `run` teardown, `late`, `clash`, `die`."""

    name = "troubled"

    def __init__(self, conclusion: str = "") -> None:
        self.conclusion = conclusion

    def discover(self, project: ProjectView) -> Iterable[Unit]:
        return ()

    async def run(self, unit: Unit, stage: Stage) -> AsyncIterator[Item]:
        for case in unit.cases:
            kind = case.name.partition("-")[0]
            if kind in SCOPES:
                await stage.get(Resource(f"{kind} thing", SCOPES[kind], self._thing))
            if kind == "die":
                await stage.get(Resource("deadly thing", Scope.WORKER, self._deadly))
            yield Outcome(case.id, self.name, case.name, Status.PASSED)
            if kind == "late":
                raise RuntimeError("too late")
            if kind == "clash":
                yield Evidence({"seen": 1} if case.name.endswith("1") else {"seen": ["a"]})
            if kind == "told":
                yield Evidence({"seen": {"password": 1, f"GET /{os.environ['TINY_SECRET']}": 1}})

    def conclude(self, evidence: Mapping[str, Any]) -> Iterable[Outcome]:
        yield Outcome("troubled::whole::first", self.name, "first", Status.PASSED)
        if self.conclusion == "refuse":
            raise UnderstudyError("the evidence is not to be judged")
        if self.conclusion == "raise":
            raise ZeroDivisionError("a defect")

    @asynccontextmanager
    async def _thing(self, stage: Stage) -> AsyncIterator[None]:
        yield
        raise OSError("the port is still taken")

    @asynccontextmanager
    async def _deadly(self, stage: Stage) -> AsyncIterator[None]:
        yield
        os._exit(9)


def troubled_acts(conclusion: str = "") -> dict[str, Act]:
    """The loader of the workshop."""
    return {"troubled": TroubledAct(conclusion)}


def no_acts(log: str) -> dict[str, Act]:
    """A loader that fails, with something registered for the exit that takes its time, as writing a file may."""
    atexit.register(Path(log).write_text, "said at the exit")
    atexit.register(time.sleep, 0.3)
    raise OSError("the disk is gone")


def workshop() -> Workshop:
    return Workshop("engine.troubled_act:troubled_acts")


def unit_of(*names: str, last: bool = False) -> Unit:
    """A unit with cases of these names."""
    cases = tuple(
        CaseRef(case_id("troubled", "t", name), name, order=index) for index, name in enumerate(names)
    )
    return Unit(cases[0].id, "troubled", cases, last)
