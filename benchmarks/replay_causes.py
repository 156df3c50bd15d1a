"""What a replay that finds causes costs, as a multiple of the plain run of the same pipeline of 10,000 objects.

The pipeline reads indicators from one simulated connector, asks another what is known of each, makes a sighting of it
(with an id of its own, a look at the clock and one at the environment) and writes that to a third. The replay runs it,
hears every read, notes the line of every write, and judges ids, contents, order and writes by those of the first run.
"""

from __future__ import annotations

import gc
import os
import sys
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from benchmarks.claims import Claim, report
from benchmarks.measuring import ratio, rounds, show
from understudy.context import ExecutionContext
from understudy.simulation import SimulationConnector
from understudy.simulation.replay.runner import ReplayRunner

ROUNDS = 15
OBJECTS = 10_000
PLAIN, REPLAYED, DEAF = "plain run", "replay, causes found", "replay, causes not looked for"
Objects = list[dict[str, Any]]
INDICATORS = [
    {
        "type": "indicator",
        "spec_version": "2.1",
        "id": f"indicator--{uuid.UUID(int=number)}",
        "created": "2026-01-01T00:00:00.000Z",
        "modified": "2026-01-02T00:00:00.000Z",
        "name": f"host-{number}.example.com",
        "pattern": f"[domain-name:value = 'host-{number}.example.com']",
        "pattern_type": "stix",
        "valid_from": "2026-01-01T00:00:00Z",
        "labels": ["malicious-activity"],
    }
    for number in range(OBJECTS)
]


@dataclass(frozen=True, slots=True)
class World:
    """Where the pipeline reads, whom it asks, and where it writes."""

    source: SimulationConnector
    reputation: SimulationConnector
    sink: SimulationConnector


def world() -> World:
    """A world in which nothing has been written."""
    known = [{"type": "reputation", "id": found["id"], "score": len(found["name"])} for found in INDICATORS]
    return World(
        SimulationConnector(INDICATORS, name="source"),
        SimulationConnector(known, name="reputation"),
        SimulationConnector(name="sink"),
    )


def pipeline(ctx: ExecutionContext, world: World) -> Objects:
    """A sighting of every indicator."""
    sightings = []
    for found in world.source.list_objects("indicator"):
        age = datetime.now(UTC) - datetime.fromisoformat(found["modified"])
        sighting = {
            "type": "sighting",
            "id": f"sighting--{uuid.uuid5(uuid.NAMESPACE_URL, found['id'])}",
            "sighting_of_ref": found["id"],
            "score": world.reputation.get_object(found["id"])["score"],
            "count": 1 if age.total_seconds() > 0 else 0,
            "region": os.environ.get("UNDERSTUDY_REGION", "eu"),
        }
        sightings.append(world.sink.upsert_object(sighting))
    return sightings


def settled() -> None:
    """Keep the collector off what the other contenders hold, which is several times what a run makes."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def plain() -> Callable[[], float]:
    """Milliseconds of processor time of the pipeline in a context of its own, over what the first run has left."""
    prepared = world()
    pipeline(ExecutionContext.create("benchmark", "ingestion"), prepared)

    def measure() -> float:
        settled()
        context = ExecutionContext.create("benchmark", "ingestion", is_replay=True)
        with context.use():
            began = time.process_time()
            pipeline(context, prepared)
            return (time.process_time() - began) * 1e3

    return measure


def replayed(*, find_causes: bool) -> Callable[[], float]:
    """Milliseconds of processor time of a replay, from the first run's log and ids to the result."""
    runner = ReplayRunner(
        pipeline, world=world, compare="content", ordered=True, find_causes=find_causes, other_process=False
    )
    ids = runner.run_first()

    def measure() -> float:
        settled()
        began = time.process_time()
        result = runner.replay(runner.last_execution_log, ids)
        took = (time.process_time() - began) * 1e3
        if result.findings or len(result.again.reads) != (2 if find_causes else 0):
            raise SystemExit(f"this is not what was to be measured:\n{result}\n{result.again.reads}")
        return took

    return measure


def main() -> int:
    """Measure, show, and judge the claim."""
    times = rounds(
        {PLAIN: plain(), REPLAYED: replayed(find_causes=True), DEAF: replayed(find_causes=False)}, ROUNDS
    )
    show(f"A pipeline of {OBJECTS:,} objects", times, "ms")
    return report(Claim("replay with causes, by the plain run", ratio(times, REPLAYED, PLAIN), at_most=1.5))


if __name__ == "__main__":
    sys.exit(main())
