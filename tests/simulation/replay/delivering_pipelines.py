"""Pipelines to explore, each with the one defect that its name tells, and the world that they work on."""

from __future__ import annotations

import asyncio
import threading
import uuid
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from understudy.context import ExecutionContext
from understudy.simulation import SideEffects, SimulationConnector


def tools(count: int = 3) -> list[dict[str, Any]]:
    return [{"type": "tool", "id": f"tool--{number}", "rank": number} for number in range(1, count + 1)]


@dataclass
class World:
    """What outlives a crash."""

    source: SimulationConnector = field(default_factory=lambda: SimulationConnector(tools(), name="source"))
    sink: SimulationConnector = field(default_factory=lambda: SimulationConnector(name="sink"))
    queue: list[str] = field(default_factory=lambda: ["a", "b", "c"])
    mails: list[str] = field(default_factory=list)
    effects: SideEffects = field(default_factory=SideEffects)
    memory: dict[str, Any] = field(default_factory=dict)


def copies(ctx: ExecutionContext, world: World) -> None:
    """Survives everything: what it writes has a key, and is the same whenever it is written."""
    for found in world.source.list_objects():
        world.sink.upsert_object(found)
        world.effects.perform(found["id"], found, partial(world.mails.append, found["id"]))


def mails_twice(ctx: ExecutionContext, world: World) -> None:
    for found in world.source.list_objects():
        world.mails.append(found["id"])
        ctx.record("send", subject="mail", kind="write")


def takes_before_it_is_done(ctx: ExecutionContext, world: World) -> None:
    while world.queue:
        name = world.queue.pop(0)
        world.sink.upsert_object({"type": "tool", "id": f"tool--{name}"})


def adds_up(ctx: ExecutionContext, world: World) -> None:
    for found in world.source.list_objects():
        world.memory["total"] = world.memory.get("total", 0) + found["rank"]
        ctx.record("total", kind="write", target_ref="total", content=world.memory["total"])


def trusts_the_order(ctx: ExecutionContext, world: World) -> None:
    for found in world.source.list_objects():
        world.sink.upsert_object({"type": "tool", "id": "tool--latest", "rank": found["rank"]})


def counts_on_places(ctx: ExecutionContext, world: World) -> None:
    """Goes on where it was, by a number: that is another object if they come in another order."""
    done = world.memory.get("done", 0)
    for place, found in enumerate(world.source.list_objects(), 1):
        if place > done:
            world.sink.upsert_object(found)
            world.memory["done"] = place


def draws_ids(ctx: ExecutionContext, world: World) -> None:
    for found in world.source.list_objects():
        world.sink.upsert_object({"type": "note", "id": f"note--{uuid.uuid4()}", "of": found["id"]})


def leaves_its_lock(ctx: ExecutionContext, world: World) -> None:
    if world.memory.get("locked"):
        raise RuntimeError("locked by somebody else")
    world.memory["locked"] = True
    world.sink.upsert_object(tools()[0])
    world.memory["locked"] = False


def swallows_everything(ctx: ExecutionContext, world: World) -> None:
    for found in world.source.list_objects():
        try:
            world.sink.upsert_object(found)
        except BaseException:
            continue


async def mails_at_once(ctx: ExecutionContext, world: World) -> None:
    async def mail(name: str) -> None:
        world.mails.append(name)
        ctx.record("send", subject="mail", kind="write")

    async with asyncio.TaskGroup() as group:
        for found in world.source.list_objects():
            group.create_task(mail(found["id"]))


def writes_in_threads(ctx: ExecutionContext, world: World) -> None:
    world.sink._context = ctx
    for found in world.source.list_objects():
        thread = threading.Thread(target=world.sink.upsert_object, args=(found,))
        thread.start()
        thread.join()
