"""What a replay that finds causes costs, as a multiple of the plain run of the same pipeline of 10,000 objects.

The pipeline reads indicators from one simulated connector, asks another what is known of each, makes a sighting of it
(with an id of its own, a look at the clock and one at the environment) and writes that to a third. The replay runs it,
hears every read, notes the line of every write, and judges ids, contents, order and writes by those of the first run.

A second pipeline looks nothing up and reads twice as much of its surroundings for each object, so that hearing weighs
more: the bound is held against it as well.

The claims are about the time on the wall with Python's collector as it is, for that is what users wait for. What a run
keeps makes the collector work; how much of the cost that is, the second pair shows, for which it is kept off the heap.
"""

from __future__ import annotations

import gc
import os
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
PLAIN_LEAN, REPLAYED_LEAN = f"{PLAIN}, lean pipeline", f"{REPLAYED}, lean pipeline"
PLAIN_FROZEN, REPLAYED_FROZEN = f"{PLAIN}, collector kept off", f"{REPLAYED}, collector kept off"
Objects = list[dict[str, Any]]
Pipeline = Callable[[ExecutionContext, Any], Objects]
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


def lean_pipeline(ctx: ExecutionContext, world: World) -> Objects:
    """A sighting of every indicator without a look-up, for which four things are read of the surroundings."""
    sightings = []
    for found in world.source.list_objects("indicator"):
        age = datetime.now(UTC) - datetime.fromisoformat(found["modified"])
        is_late = time.time() > 0
        sighting = {
            "type": "sighting",
            "id": f"sighting--{uuid.uuid5(uuid.NAMESPACE_URL, found['id'])}",
            "sighting_of_ref": found["id"],
            "count": 1 if age.total_seconds() > 0 and is_late else 0,
            "region": os.environ.get("UNDERSTUDY_REGION", "eu"),
            "zone": os.getenv("UNDERSTUDY_ZONE", "a"),
        }
        sightings.append(world.sink.upsert_object(sighting))
    return sightings


@contextmanager
def collector(*, kept_off: bool) -> Iterator[None]:
    """Begin with nothing to collect; with `kept_off` what is there already is not looked at again."""
    gc.collect()
    if kept_off:
        gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def plain(run: Pipeline = pipeline, *, kept_off: bool = False) -> Callable[[], float]:
    """Milliseconds of the pipeline in a context of its own, over what the first run has left."""
    prepared = world()
    run(ExecutionContext.create("benchmark", "ingestion"), prepared)

    def measure() -> float:
        context = ExecutionContext.create("benchmark", "ingestion", is_replay=True)
        with collector(kept_off=kept_off), context.use():
            began = time.perf_counter()
            run(context, prepared)
            return (time.perf_counter() - began) * 1e3

    return measure


def replayed(run: Pipeline = pipeline, *, find_causes: bool, kept_off: bool = False) -> Callable[[], float]:
    """Milliseconds of a replay, from the first run's log and ids to the result."""
    runner = ReplayRunner(
        run, world=world, compare="content", ordered=True, find_causes=find_causes, other_process=False
    )
    ids = runner.run_first()
    reads = (4 if run is lean_pipeline else 2) if find_causes else 0

    def measure() -> float:
        with collector(kept_off=kept_off):
            began = time.perf_counter()
            result = runner.replay(runner.last_execution_log, ids)
            took = (time.perf_counter() - began) * 1e3
        if result.findings or len(result.again.reads) != reads:
            raise SystemExit(f"this is not what was to be measured:\n{result}\n{result.again.reads}")
        return took

    return measure


def main() -> int:
    """Measure, show, and judge the claim."""
    # One pair after the other: the heap of contenders that only wait would make the collector work too.
    what = f"A pipeline of {OBJECTS:,} objects"
    times = rounds({PLAIN: plain(), REPLAYED: replayed(find_causes=True)}, ROUNDS)
    show(what, times, "ms")
    lean = rounds(
        {PLAIN_LEAN: plain(lean_pipeline), REPLAYED_LEAN: replayed(lean_pipeline, find_causes=True)}, ROUNDS
    )
    show(what, lean, "ms")
    deaf = rounds({PLAIN: plain(), DEAF: replayed(find_causes=False)}, ROUNDS)
    show(what, deaf, "ms")
    frozen = rounds(
        {PLAIN_FROZEN: plain(kept_off=True), REPLAYED_FROZEN: replayed(find_causes=True, kept_off=True)},
        ROUNDS,
    )
    show(what, frozen, "ms")
    return report(
        Claim("replay with causes, by the plain run", ratio(times, REPLAYED, PLAIN), at_most=1.5),
        Claim(
            "replay with causes, by the plain run, lean", ratio(lean, REPLAYED_LEAN, PLAIN_LEAN), at_most=1.5
        ),
        Claim("the first, causes not looked for", ratio(deaf, DEAF, PLAIN)),
        Claim("the first, collector kept off the heap", ratio(frozen, REPLAYED_FROZEN, PLAIN_FROZEN)),
    )


if __name__ == "__main__":
    sys.exit(main())
