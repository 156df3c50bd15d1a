"""What a case hands to the flow that it tries: tools that only note that they ran, a clock, and an ear."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from understudy.core.clock import FixedClock
from understudy.core.plain import plain
from understudy.governance.conformance.flow import Call

GOVERNED = "export_bundle"
FREE = "write_note"


class CountingBench:
    """Tools whose runs are counted, and the time, which stands until a case moves it.

    >>> import asyncio
    >>> bench = CountingBench()
    >>> asyncio.run(bench.run(Call("call-1", "export_bundle", {"target": "a"})))
    'export_bundle is done'
    >>> bench.runs[0].arguments
    {'target': 'a'}
    """

    governed = frozenset({GOVERNED})
    free = frozenset({FREE})
    expiry_seconds = 3600.0

    def __init__(self, *, streaming: bool = False, leave_after: int | None = None) -> None:
        self.streaming = streaming
        self.clock = FixedClock()
        self.runs: list[Call] = []
        self.events: list[tuple[str, int]] = []
        self._leave_after = leave_after

    async def run(self, call: Call) -> str:
        """The tool itself: it notes the call as it arrived, and does nothing else."""
        self.runs.append(Call(call.id, call.tool, dict(call.arguments)))
        return f"{call.tool} is done"

    def heard(self, event: str) -> bool:
        """An event of the flow's stream came; False if nobody listens any more."""
        self.events.append((event, len(self.runs_of(GOVERNED))))
        return self._leave_after is None or len(self.events) < self._leave_after

    def runs_of(self, tool: str) -> list[Mapping[str, Any]]:
        """With which arguments a tool ran, in a stable order, whatever order it ran in."""
        return sorted(
            (run.arguments for run in self.runs if run.tool == tool), key=lambda one: str(plain(one))
        )
