"""What a simulated connector costs: the same at a million objects as at a thousand, and beside stix2's MemoryStore."""

from __future__ import annotations

import gc
import random
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from uuid import UUID

import stix2

from benchmarks.claims import Claim, report
from benchmarks.measuring import ratio, rounds, show
from understudy.simulation import SimulationConnector

ROUNDS = 15
CALLS = 1_000
FEW, MIDDLE, MANY = 1_000, 10_000, 1_000_000
# Of the objects of a store, every hundredth is a tool: a type query over 10,000 objects finds 100, a page of them.
RARE = 100
AT = "2026-01-01T00:00:00.000Z"

_CHANCE = random.Random(1)


def made(kind: str, number: int) -> dict[str, Any]:
    """An object as feeds have them: flat but for its labels and references."""
    return {
        "type": kind,
        "spec_version": "2.1",
        "id": f"{kind}--{UUID(int=_CHANCE.getrandbits(128), version=4)}",
        "created": AT,
        "modified": AT,
        "name": f"{kind} {number}",
        "labels": ["benchmark", "made-up"],
        "external_references": [{"source_name": "feed", "url": f"https://feed.test/{number}"}],
        **(
            {"pattern": f"[domain-name:value = 'n{number}.test']", "pattern_type": "stix", "valid_from": AT}
            if kind == "indicator"
            else {}
        ),
    }


def feed(count: int) -> list[dict[str, Any]]:
    """So many objects, of which one in a hundred is a tool and the others are indicators."""
    return [made("tool" if number % RARE == 0 else "indicator", number) for number in range(count)]


def microseconds(call: Callable[[Any], object], given: Sequence[Any]) -> float:
    """The processor's time of one call, over all that it is given in turn: what others do meanwhile does not count."""
    began = time.thread_time_ns()
    for one in given:
        call(one)
    return (time.thread_time_ns() - began) / len(given) / 1000


def fresh(connector: SimulationConnector) -> Callable[[], float]:
    """The time of one upsert of a new object; they are taken out again, so that the store keeps its size."""

    def measure() -> float:
        objects = [made("indicator", number) for number in range(CALLS)]
        took = microseconds(connector.upsert_object, objects)
        for obj in objects:
            connector.delete_object(obj["id"])
        return took

    return measure


def gone(connector: SimulationConnector, objects: Sequence[dict[str, Any]]) -> Callable[[], float]:
    """The time of one delete, for neighbours from anywhere in the store; they are put in again.

    That they are neighbours, and are looked up before, keeps out of it how far a large memory is away.
    """

    def measure() -> float:
        first = _CHANCE.randrange(len(objects) - CALLS // 10)
        chosen = range(first, first + CALLS // 10)
        for at in chosen:
            connector.get_object(objects[at]["id"])
        took = microseconds(connector.delete_object, [objects[at]["id"] for at in chosen])
        for at in chosen:
            connector.upsert_object(objects[at])
        return took

    return measure


def got(store: Any, ids: Sequence[str]) -> Callable[[], float]:
    """The time of one get of an object from anywhere in the store. The same few, so that memory is not measured."""
    get = store.get_object if isinstance(store, SimulationConnector) else store.get
    return partial(microseconds, get, _CHANCE.choices(_CHANCE.sample(ids, 100), k=CALLS))


def paged(connector: SimulationConnector, page: int) -> Callable[[], float]:
    """The time of one page of 100 objects of a type."""
    return partial(microseconds, lambda _: connector.list_objects("indicator", page=page), range(50))


def by_size(connectors: dict[int, tuple[SimulationConnector, list[dict[str, Any]]]]) -> list[Claim]:
    """The same calls on a small and on a large store."""
    claims = []
    calls: dict[str, Callable[[SimulationConnector, list[dict[str, Any]]], Callable[[], float]]] = {
        "upsert": lambda connector, objects: fresh(connector),
        "get": lambda connector, objects: got(connector, [obj["id"] for obj in objects]),
        "delete": gone,
        "page in the middle": lambda connector, objects: paged(connector, len(objects) // 200),
    }
    for name, contender in calls.items():
        few, many = f"{name}, {FEW:,} objects", f"{name}, {MANY:,} objects"
        times = rounds(
            {few: contender(*connectors[FEW]), many: contender(*connectors[MANY])},
            ROUNDS,
        )
        show(f"One {name}", times, "us")
        claims.append(
            Claim(f"{name} at {MANY:,} objects, by one at {FEW:,}", ratio(times, many, few), at_most=1.5)
        )
    return claims


def beside_memory_store(
    connectors: dict[int, tuple[SimulationConnector, list[dict[str, Any]]]],
) -> list[Claim]:
    """The same questions to stix2's MemoryStore, which hands out what it keeps instead of copies."""
    claims = []
    stores: dict[int, Any] = {
        count: stix2.MemoryStore([stix2.parse(obj) for obj in connectors[count][1]])
        for count in (FEW, MIDDLE)
    }
    for kind, found in (("tool", MIDDLE // RARE), ("indicator", MIDDLE - MIDDLE // RARE)):
        ours, theirs = f"list_objects, {found:,} found", f"MemoryStore.query, {found:,} found"
        asked = [stix2.Filter("type", "=", kind)]
        times = rounds(
            {
                ours: partial(microseconds, connectors[MIDDLE][0].list_objects, [kind] * 20),
                theirs: partial(microseconds, stores[MIDDLE].query, [asked]),
            },
            ROUNDS,
        )
        show(f"One type query over {MIDDLE:,} objects", times, "us")
        if kind == "tool":
            name = f"type query over {MIDDLE:,} objects, times that MemoryStore takes longer"
            claims.append(Claim(name, ratio(times, theirs, ours), at_least=100))
    for count in (FEW, MIDDLE, MANY):
        connector, objects = connectors[count]
        # a MemoryStore of a million is not to be had in memory; its get is a look-up in a dict, of any size
        store = stores[min(count, MIDDLE)]
        ours, theirs = f"get_object at {count:,}", f"MemoryStore.get at {min(count, MIDDLE):,}"
        times = rounds(
            {
                ours: got(connector, [obj["id"] for obj in objects]),
                theirs: got(store, [obj["id"] for obj in connectors[min(count, MIDDLE)][1]]),
            },
            ROUNDS,
        )
        show("One get", times, "us")
        claims.append(Claim(f"{ours}, copy included, by {theirs}", ratio(times, ours, theirs), at_most=4))
    return claims


def main() -> int:
    """Measure, show, and judge the claims."""
    connectors = {}
    for count in (FEW, MIDDLE, MANY):
        objects = feed(count)
        connectors[count] = (SimulationConnector(objects), objects)
    gc.freeze()  # what a million objects cost the garbage collector is not what a call costs
    return report(*by_size(connectors), *beside_memory_store(connectors))


if __name__ == "__main__":
    sys.exit(main())
