"""A pipeline that copies what is new, and what it is replayed with; put your own in its place."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from understudy.context import ExecutionContext
from understudy.simulation import SimulationConnector


class World(NamedTuple):
    """Where the pipeline reads, and where it writes."""

    source: SimulationConnector
    target: SimulationConnector


def world() -> World:
    """What the real connectors are replaced by."""
    tools = [{"type": "tool", "id": f"tool--{name}", "name": name} for name in ("nmap", "wireshark")]
    return World(SimulationConnector(tools, name="source"), SimulationConnector(name="target"))


def copy_tools(ctx: ExecutionContext, world: World) -> Iterator[dict[str, Any]]:
    """Write every tool once; a replay yields the same and writes nothing."""
    for tool in world.source.list_objects("tool"):
        if not ctx.is_replay:
            world.target.upsert_object(tool)
        yield tool
