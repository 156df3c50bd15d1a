"""What a room offers to the engine: an act with units, and what the engine offers to an act: a view of the project."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from understudy.core.events import CaseStarted, Evidence
from understudy.core.outcome import Known, Location, Outcome
from understudy.core.pickling import travelling
from understudy.wire.target import Target

if TYPE_CHECKING:  # what is imported with asyncio, for which processes that only name cases need not wait
    from understudy.engine.stage import Resource, Stage

Item = Outcome | Evidence | CaseStarted


@travelling
@dataclass(frozen=True, slots=True)
class CaseRef:
    """A case as it stands in a plan. `order` is its place among the cases of its act; -1 means as discovered."""

    id: str
    name: str
    tags: tuple[str, ...] = ()
    location: Location | None = None
    known: Known | None = None
    order: int = -1


@travelling
@dataclass(frozen=True, slots=True)
class Unit:
    """The smallest thing that can run alone: one case, or a closed group of cases that are tied together.

    The engine hands a unit back with only the selected cases in it; the act adds what those need. A unit that is
    `last` runs after all others, whatever happened to them.
    """

    id: str
    act: str
    cases: tuple[CaseRef, ...]
    last: bool = False


@dataclass(frozen=True, slots=True)
class FileChange:
    """What an act would write into a file of the project, for `--update`."""

    path: Path
    before: str
    after: str


class ProjectView(Protocol):
    """What an act may know of the project that it is discovered in."""

    @property
    def root(self) -> Path:
        """The folder of the project file; nothing outside of it is read or written."""
        ...

    @property
    def seed(self) -> int:
        """The seed of everything that is drawn at random in this run."""
        ...

    @property
    def target(self) -> Resource[Target]:
        """Where the app under test is reached, started first if the project says how."""
        ...

    def settings(self, act: str) -> Any:
        """The act's own table of the project file, validated by the act's `settings` model if it has one."""
        ...


@runtime_checkable
class Act(Protocol):
    """A room's part in a run. A class attribute `settings`, if there is one, is the pydantic model of its table."""

    @property
    def name(self) -> str:
        """How the act is called in ids, in the project file and on the command line."""
        ...

    def discover(self, project: ProjectView) -> Iterable[Unit]:
        """Every unit of the project, in a stable order. Wrong input raises InputError with all problems."""
        ...

    def run(self, unit: Unit, stage: Stage) -> AsyncIterator[Item]:
        """Run the cases of a unit: yields their outcomes, labelled rows (with `parent`) as they come, and evidence."""
        ...

    def conclude(self, evidence: Mapping[str, Any]) -> Iterable[Outcome]:
        """Judge what only the whole can tell, from the merged evidence of all units, workers and shards."""
        ...


@runtime_checkable
class ForeseeingAct(Protocol):
    """An act that is quicker if it knows which units come next, since it can prepare or even run them together."""

    async def foresee(self, units: Sequence[Unit], worker: Stage) -> None:
        """These units are about to be run, one after the other, on stages of this worker.

        A run may be stopped before it comes to all of them: of those it did not come to, nothing may be seen.
        """
        ...


@runtime_checkable
class UpdatingAct(Protocol):
    """An act that can rewrite expectations to what was observed."""

    def changes(self, outcomes: Iterable[Outcome]) -> Iterable[FileChange]:
        """What `--update` would write, from the outcomes of a run."""
        ...
