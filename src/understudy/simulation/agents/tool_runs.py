"""Which tools were put behind governance, how often each was called, and which of them really ran."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping, Sequence

from understudy.governance.action_types import unknown
from understudy.simulation.agents.findings import numbered_text
from understudy.simulation.agents.tool_calls import ToolCall, ToolRun


class ToolLedger:
    """Keeps account of guarded tools by their names."""

    def __init__(self) -> None:
        self._calls: Counter[str] = Counter()
        self._runs: list[ToolRun] = []
        self._lock = threading.Lock()

    def guarded(self, name: str) -> None:
        """A tool was put behind governance."""
        with self._lock:
            self._calls.setdefault(name, 0)

    def called(self, name: str) -> None:
        """A tool was called, whether it may run or not."""
        with self._lock:
            self._calls[name] += 1

    def began(self, call: ToolCall) -> None:
        """A call may run, and does so now."""
        governed = call.governed
        with self._lock:
            self._runs.append(
                ToolRun(governed.name, governed.agent_id, governed.action_type, call.target_ref)
            )

    @property
    def calls(self) -> Mapping[str, int]:
        """How often each guarded tool was called."""
        with self._lock:
            return dict(self._calls)

    @property
    def runs(self) -> list[ToolRun]:
        """What ran, in the order in which it began."""
        with self._lock:
            return list(self._runs)

    def runs_of(self, name: str) -> list[ToolRun]:
        """What ran of one tool; a name that no guarded tool has is refused, as it could never have run."""
        if name not in self.calls:
            raise unknown("guarded tool", name, self.calls)
        return [run for run in self.runs if run.tool == name]


def tool_runs_text(runs: Sequence[ToolRun]) -> str:
    """The runs as numbered lines, the last of them where they are many.

    >>> print(tool_runs_text([ToolRun("send", "clerk", "export", "partner")]))
    tools that ran:
      1. clerk ran send (export) on partner
    """
    return numbered_text("tools that ran", runs)
