"""The `[replay]` table of the project file."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from understudy.core.clock import FixedClock
from understudy.simulation.named_functions import FunctionName
from understudy.simulation.replay.deterministic import Deterministic
from understudy.simulation.replay.disturbance_kinds import KINDS, MOST_STEPS, MOST_WRITES, StepKind
from understudy.simulation.replay.judge import Compare
from understudy.simulation.replay.snapshot import MOST_OBJECTS


class ReplayTable(BaseModel):
    """A table of the replay act; unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ImposeSettings(ReplayTable):
    """What a pipeline reads in place of the real clock, ids, chance and environment, the same in every run."""

    clock: datetime = Field(
        default=FixedClock().moment, description="When every run begins; without a zone, in UTC."
    )
    seed: Annotated[int, Field(ge=0)] = Field(default=0, description="Seed of ids and chance.")
    tick: Annotated[float, Field(ge=0, le=86_400)] = Field(
        default=0.001, description="Seconds that the clock goes on at each look at it."
    )
    environment: dict[str, str] | None = Field(
        default=None, description="All environment variables that there are; default: the real ones."
    )

    def deterministic(self) -> Deterministic:
        """The same for a run."""
        moment = self.clock if self.clock.tzinfo is not None else self.clock.replace(tzinfo=UTC)
        return Deterministic(FixedClock(moment.astimezone(UTC)), self.seed, self.tick, self.environment)


class ExploreSettings(ReplayTable):
    """How a pipeline is explored: crashed, and handed what it gets twice and in other orders."""

    seed: int | None = Field(default=None, description="Seed of what is drawn by chance; default: the run's.")
    max_trials: Annotated[int, Field(ge=1)] = Field(
        default=200, description="Disturbances after which it stops."
    )
    max_seconds: Annotated[float, Field(gt=0, le=86_400)] = Field(
        default=300.0, description="Seconds after which it stops."
    )
    max_steps: Annotated[int, Field(ge=1, le=MOST_STEPS)] = Field(
        default=2, description="Steps that a combination of disturbances has at most."
    )
    orders: Annotated[int, Field(ge=0)] = Field(default=3, description="Orders in which a delivery is tried.")
    kinds: list[StepKind] = Field(
        default_factory=lambda: list(KINDS), min_length=1, description="What is done to the pipeline."
    )
    state: FunctionName | None = Field(
        default=None, description="module:function that returns what matters of its world."
    )
    ignore: FunctionName | None = Field(
        default=None, description="module:function that is true for a write that does not matter."
    )
    ordered: bool = Field(default=False, description="The order of what it leaves behind matters too.")
    max_writes: Annotated[int, Field(ge=1)] = Field(
        default=MOST_WRITES, description="Writes after which a run is taken to be endless."
    )


class PipelineSettings(ReplayTable):
    """A pipeline, and how it is judged."""

    run: FunctionName = Field(description="The pipeline: module:function, called with an execution context.")
    name: str = Field(default="", max_length=200, description="How it is called; default: its function.")
    world: FunctionName | None = Field(
        default=None,
        description="module:function that makes what it works on, such as connectors: its second argument.",
    )
    compare: Compare = Field(
        default="content", description='"content": everything must be the same; "ids": no id may be missing.'
    )
    ordered: bool = Field(default=False, description="Another order of the objects is a difference too.")
    workspace: str = Field(default="default", min_length=1, description="The workspace of its context.")
    timeout: Annotated[float, Field(gt=0, le=86_400)] = Field(
        default=60.0, description="Seconds that one run may take."
    )
    memory: Annotated[int, Field(ge=0, le=1 << 20)] = Field(
        default=0, description="MiB of memory that its process may use; 0: not bounded."
    )
    max_objects: Annotated[int, Field(ge=1, le=MOST_OBJECTS)] = Field(
        default=MOST_OBJECTS, description="Objects after which a generator is taken to be endless."
    )
    hash_seeds: bool = Field(
        default=True, description="Also run it under other hash seeds, each in a process of its own."
    )
    allow_network: bool = Field(default=False, description="Let it reach beyond this machine.")
    impose: ImposeSettings | None = Field(
        default=None, description="A clock, ids and chance that are the same in every run."
    )
    explore: bool | ExploreSettings = Field(
        default=False, description="Also explore what crashes, repeated and reordered deliveries do to it."
    )
    tags: list[str] = Field(default_factory=list, description="Tags to select it by, with -m.")


class ReplaySettings(ReplayTable):
    """Pipelines that must do the same again."""

    path: list[str] = Field(
        default_factory=lambda: ["."], min_length=1, description="Folders that modules are imported from."
    )
    pipelines: list[PipelineSettings] = Field(min_length=1, description="The pipelines to replay.")
