"""An act as a third party would write it: every case does what its name says.

It lives beside its own `dist-info`, so that putting this folder on the path is like installing the package.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from understudy.core.errors import UnderstudyError
from understudy.core.events import Evidence
from understudy.core.ids import case_id
from understudy.core.outcome import Failure, Known, Location, Outcome, Status
from understudy.engine.act import CaseRef, Item, ProjectView, Unit
from understudy.engine.stage import Resource, Scope, Stage


class TinySettings(BaseModel):
    """The `[tiny]` table: names of cases in units, and mocks that must be hit."""

    model_config = ConfigDict(extra="forbid")

    units: list[list[str]] = []
    mocks: list[str] = []
    log: str = ""
    known: dict[str, str] = {}
    broken: str = ""


class TinyAct:
    name = "tiny"
    settings = TinySettings

    def discover(self, project: ProjectView) -> Iterable[Unit]:
        self.project = project
        config: TinySettings = project.settings("tiny")
        self.config = config
        if config.broken == "raise":
            raise KeyError("a defect of the tiny act")
        if config.broken == "leave":
            sys.exit(1)
        for names in config.units:
            cases = tuple(self._ref(name) for name in names)
            yield Unit(cases[0].id, "tiny", cases, last=names[0].startswith("last"))

    def _ref(self, name: str) -> CaseRef:
        known = Known("under repair", self.config.known[name]) if name in self.config.known else None
        tags = ("slow",) if "slow" in name else ()
        return CaseRef(case_id("tiny", "tiny.toml", name), name, tags, Location("tiny.toml", 3), known)

    async def run(self, unit: Unit, stage: Stage) -> AsyncIterator[Item]:
        yield Evidence({"declared": dict.fromkeys(self.config.mocks, 0)})
        for case in unit.cases:
            async for item in self._run_case(case, stage):
                yield item

    async def _run_case(self, case: CaseRef, stage: Stage) -> AsyncIterator[Item]:
        self._log(f"run {case.name}")
        kind = case.name.split("-")[0]
        if kind == "fail":
            yield self._outcome(case, Status.FAILED, failures=(Failure("two is not one", 1, 2, "-1\n+2"),))
        elif kind == "raise":
            raise RuntimeError("a defect of the tiny act")
        elif kind == "refuse":
            raise UnderstudyError("the tiny act cannot judge this")
        elif kind == "leave":
            sys.exit("as a library may that thinks it is a command")
        elif kind == "twice":
            yield self._outcome(case, Status.PASSED)
            yield self._outcome(case, Status.FAILED)
        elif kind == "silent":
            return
        elif kind == "hang":
            await asyncio.Event().wait()
        elif kind == "tells":
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                notes = ("more than a socket takes at once" * (1 << 17),)
                refused = (Failure("it could not tidy up"),)
                yield self._outcome(case, Status.FAILED, failures=refused, notes=notes)
                raise
        elif kind == "interrupts":
            for _ in range(int(case.name.split("-")[1])):
                signal.raise_signal(signal.SIGINT)
            yield self._outcome(case, Status.PASSED)
            await asyncio.Event().wait()
        elif kind == "exits":
            atexit.register(self._log, "exit")
            yield self._outcome(case, Status.PASSED)
        elif kind == "spin":
            while True:
                time.sleep(0.001)  # noqa: ASYNC251 - it must not yield to the loop
        elif kind == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        elif kind == "eat":
            hoard = [bytearray(16 << 20) for _ in range(64)]
            yield self._outcome(case, Status.PASSED, notes=(f"{len(hoard)}",))
        elif kind == "rows":
            for label in ("a", "b"):
                status = Status.PASSED if label == "a" else Status.FAILED
                row = case_id("tiny", "tiny.toml", f"{case.name}/{label}")
                failures = (Failure("row b fails"),) if label == "b" else ()
                yield Outcome(row, "tiny", f"{case.name}/{label}", status, failures, parent=case.id)
            yield self._outcome(case, Status.PASSED)
        elif kind == "hit":
            yield Evidence({"declared": {case.name.partition("-")[2]: 1}})
            yield self._outcome(case, Status.PASSED)
        elif kind == "resource":
            value = await stage.get(Resource("tiny worker thing", Scope.WORKER, self._thing))
            yield self._outcome(case, Status.PASSED, notes=(value,))
        elif kind == "target":
            target = await stage.get(self.project.target)
            yield self._outcome(case, Status.PASSED, notes=(target.base_url,))
        elif kind == "secret":
            yield self._outcome(
                case, Status.FAILED, failures=(Failure(f"token {os.environ['TINY_SECRET']} was refused"),)
            )
        else:
            yield self._outcome(case, Status.PASSED)

    def conclude(self, evidence: Mapping[str, Any]) -> Iterable[Outcome]:
        for mock, hits in evidence.get("declared", {}).items():
            if not hits:
                name = f"mock {mock} is dead"
                yield Outcome(case_id("tiny", "mocks", mock), "tiny", name, Status.FAILED, (Failure(name),))

    @asynccontextmanager
    async def _thing(self, stage: Stage) -> AsyncIterator[str]:
        self._log("open thing")
        try:
            yield f"thing of {os.getpid()}"
        finally:
            self._log("close thing")

    def _log(self, line: str) -> None:
        if self.config.log:
            with Path(self.config.log).open("a", encoding="utf-8") as log:
                log.write(line + "\n")

    def _outcome(self, case: CaseRef, status: Status, **fields: Any) -> Outcome:
        return Outcome(case.id, "tiny", case.name, status, location=case.location, tags=case.tags, **fields)
