"""Agents as an act: each scenario that the project declares is played in a process that can be killed, and judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import aclosing
from time import perf_counter
from typing import Any

from understudy.core.errors import UnderstudyError
from understudy.core.events import Evidence
from understudy.core.ids import case_id
from understudy.core.outcome import Failure, Outcome, Status
from understudy.engine.act import Item, ProjectView, Unit
from understudy.engine.cells.cell import Cell, CellOverdue, CellPlan
from understudy.engine.stage import Stage
from understudy.simulation.agents.catalogue import ACT, Declared, read_catalogue
from understudy.simulation.agents.expectations import judge
from understudy.simulation.agents.outcomes import errored, to_outcome
from understudy.simulation.agents.scenario import STAGE, Played
from understudy.simulation.agents.settings import AgentsSettings


class AgentsAct:
    """Agents at work, and what they must be stopped from."""

    name = ACT
    settings = AgentsSettings

    def __init__(self) -> None:
        self._declared: Mapping[str, Declared] = {}
        self._settings: AgentsSettings | None = None

    def discover(self, project: ProjectView) -> Iterable[Unit]:
        """One unit for every declared scenario."""
        settings: AgentsSettings = project.settings(ACT)
        self._settings = settings
        self._declared = read_catalogue(project.root, settings)
        return [declared.unit for declared in self._declared.values()]

    async def run(self, unit: Unit, stage: Stage) -> AsyncIterator[Item]:
        """Play a scenario and judge it."""
        declared = self._declared[unit.id]
        (ref,) = unit.cases
        began = perf_counter()
        try:
            played = await _played(declared)
        except CellOverdue:
            reason = (
                f"its process was killed: the agent acted longer than the {declared.settings.timeout:g} s allowed; "
                "does it end? allow more with timeout under its [[agents.scenarios]]"
            )
            yield errored(ref, ACT, reason, 1000 * (perf_counter() - began))
            return
        except UnderstudyError as error:
            yield errored(ref, ACT, str(error), 1000 * (perf_counter() - began))
            return
        failures = () if played.error else judge(declared.settings, played)
        yield to_outcome(ref, ACT, played, failures, 1000 * (perf_counter() - began))
        if not played.error:
            yield Evidence(self._evidence(ref.id, played))

    def conclude(self, evidence: Mapping[str, Any]) -> Iterable[Outcome]:
        """Fail for guarded tools that no agent calls, once every scenario was played."""
        scenarios: Mapping[str, int] = evidence.get("scenarios", {})
        calls: Mapping[str, int] = evidence.get("toolCalls", {})
        if not calls or not all(scenarios.values()):
            return
        allowed = set(evidence.get("uncalledTools", ()))
        idle = sorted(name for name, count in calls.items() if not count and name not in allowed)
        hint = "let an agent try them, do not guard them, or list them in uncalled_tools under [agents]"
        message = (
            f"guarded tools that no agent calls, so that nothing is known of them: {', '.join(idle)} ({hint})"
        )
        yield Outcome(
            id=case_id(ACT, "tools", "coverage"),
            act=ACT,
            name="every guarded tool is called",
            status=Status.FAILED if idle else Status.PASSED,
            failures=(Failure(message, [], idle, "\n".join(f"- {name}" for name in idle)),) if idle else (),
            notes=() if idle else (f"{len(calls)} guarded tools were called",),
        )

    def _evidence(self, identifier: str, played: Played) -> dict[str, Any]:
        """What this scenario showed, and which others there are."""
        allowed = self._settings.uncalled_tools if self._settings is not None else []
        return {
            "scenarios": {**dict.fromkeys(self._declared, 0), identifier: 1},
            "toolCalls": dict(played.tool_calls),
            "actions": dict(Counter(action.status for action in played.actions)),
            **({"uncalledTools": list(allowed)} if allowed else {}),
        }


async def _played(declared: Declared) -> Played:
    """The scenario, in a process of its own, which is gone afterwards."""
    settings = declared.settings
    arguments = {"path": declared.path, "folder": declared.folder, "allow_network": settings.allow_network}
    cell = Cell(CellPlan(STAGE, arguments, environment={"PYTHONHASHSEED": "0"}))
    try:
        async with aclosing(cell.call_async("play", settings, seconds=settings.timeout)) as answers:
            async for answer in answers:
                if isinstance(answer, Played):
                    return answer
    finally:
        cell.kill()
    raise UnderstudyError("its process answered nothing")
