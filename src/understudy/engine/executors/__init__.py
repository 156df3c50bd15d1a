"""How units are run: one after the other, side by side in one process, or in worker processes.

An executor is given units, a `Job` that knows the acts and the stage, and reports through the job; it decides
only where and when. Adding one is a module here and a line in `EXECUTORS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol, cast

from understudy.core.outcome import Outcome
from understudy.engine.act import Act, Unit
from understudy.engine.stage import Stage
from understudy.engine.unit import Emit


@dataclass(frozen=True, slots=True)
class Workshop:
    """How another process gets the same acts: an importable function (`module:name`) and its picklable arguments.

    The function returns the acts by name, each of them having discovered its units.
    """

    loader: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Limits:
    """What an executor may use. `workers` of 0 means its own default; times in seconds, memory in MiB."""

    workers: int = 0
    unit_timeout: float | None = None
    memory: int | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """What an executor needs to run units. `trouble` takes what went wrong outside of any unit."""

    acts: Mapping[str, Act]
    stage: Stage
    emit: Emit
    trouble: Callable[[Outcome], None]
    should_stop: Callable[[], bool]
    limits: Limits = field(default_factory=Limits)
    workshop: Workshop | None = None
    shared: Mapping[str, Any] = field(default_factory=dict)


class Executor(Protocol):
    """Runs units; returns when all have run, or as soon as possible once the job should stop."""

    async def execute(self, units: Sequence[Unit], job: Job) -> None:
        """Run the units."""
        ...


EXECUTORS = {
    "serial": "understudy.engine.executors.serial:SerialExecutor",
    "concurrent": "understudy.engine.executors.concurrent:ConcurrentExecutor",
    "processes": "understudy.engine.executors.processes:ProcessExecutor",
}


def open_executor(name: str) -> Executor:
    """The executor of that name."""
    module, _, attribute = EXECUTORS[name].partition(":")
    return cast("Executor", getattr(import_module(module), attribute)())
