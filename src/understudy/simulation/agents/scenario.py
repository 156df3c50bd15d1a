"""One scenario in a process of its own: the agent is given a harness, and what it did is told in plain data."""

from __future__ import annotations

import asyncio
import inspect
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from understudy.core.errors import InputError, Problem
from understudy.core.expect import ExpectationError
from understudy.core.outcome import Failure, Location
from understudy.core.plain import plain
from understudy.governance.actions import AgentAction
from understudy.simulation.agents.answers import ScriptedReviewer
from understudy.simulation.agents.guard import REFUSALS
from understudy.simulation.agents.harness import AgentTestHarness
from understudy.simulation.agents.settings import EVERYTHING, ScenarioSettings
from understudy.simulation.agents.tool_calls import ToolRun
from understudy.simulation.named_functions import load_function
from understudy.simulation.replay.offline import stay_offline

STAGE = "understudy.simulation.agents.scenario:ScenarioStage"
_OURS = "understudy."


@dataclass(frozen=True, slots=True)
class Played:
    """What came of a scenario. `failures` are those of the agent's own assertions; `error` is what else it raised,
    and `place` where.
    """

    actions: tuple[AgentAction, ...] = ()
    tool_calls: Mapping[str, int] = field(default_factory=dict)
    tool_runs: tuple[ToolRun, ...] = ()
    returned: Any = None
    failures: tuple[Failure, ...] = ()
    error: str = ""
    traceback: str = ""
    place: Location | None = None


class ScenarioStage:
    """The servant of the cell in which a scenario is played."""

    def __init__(self, path: tuple[str, ...], folder: str, allow_network: bool) -> None:
        sys.path[:] = [*path, *(known for known in sys.path if known not in path)]
        os.chdir(folder)
        if not allow_network:
            stay_offline("an agent", "agents.scenarios")

    def play(self, settings: ScenarioSettings) -> Iterator[Played]:
        """Let the agent act."""
        try:
            agent = _agent(settings.agent)
            harness, scripts = _harness(settings)
        except InputError as error:
            yield Played(error=str(error))
            return
        returned: Any = None
        failures: list[Failure] = []
        error_text, trace, place = "", "", None
        try:
            returned = _done(agent, harness)
        except ExpectationError as error:
            failures += error.failures
        except AssertionError as error:
            failures.append(Failure(str(error) or "an assertion does not hold", location=_place(error)))
        except REFUSALS as error:
            message = f"the agent gave up when it was refused: {error}"
            failures.append(Failure(message, location=_place(error)))
        except (Exception, SystemExit) as error:
            error_text, trace, place = (
                f"the agent raised {type(error).__name__}: {error}",
                _trace(error),
                _place(error),
            )
        failures += [Failure(f"reviews of {name!r}: {why}") for name, why in _unfinished(scripts)]
        yield Played(
            tuple(harness.recorded_actions),
            harness.tools.calls,
            tuple(harness.tools.runs),
            plain(returned),
            tuple(failures),
            error_text,
            trace,
            place,
        )


def _agent(name: str) -> Callable[..., Any]:
    agent = load_function(name, [], "agent")
    if inspect.isgeneratorfunction(agent) or inspect.isasyncgenfunction(agent):
        hint = "return what it yields, as a list"
        raise InputError([Problem(f"agent: {name!r} yields, so that calling it does nothing", hint=hint)])
    return agent


def _harness(settings: ScenarioSettings) -> tuple[AgentTestHarness, dict[str, ScriptedReviewer]]:
    harness = AgentTestHarness(
        settings.trust_level,
        max_calls_per_window=settings.max_calls_per_window,
        window_seconds=settings.window_seconds,
        policy_overrides=settings.overrides,
        expiry_seconds=settings.expiry_seconds,
        action_types=settings.known_actions(),
    )
    reviewers = settings.reviewers()
    for name, reviewer in reviewers.items():
        harness.set_reviewer(reviewer, None if name == EVERYTHING else name)
    return harness, {
        name: reviewer for name, reviewer in reviewers.items() if isinstance(reviewer, ScriptedReviewer)
    }


def _done(agent: Callable[..., Any], harness: AgentTestHarness) -> Any:
    """What the agent returns, once it is done."""
    returned = agent(harness)
    if not inspect.isawaitable(returned):
        return returned

    async def awaited() -> Any:
        return await returned

    return asyncio.run(awaited())


def _unfinished(scripts: Mapping[str, ScriptedReviewer]) -> Iterator[tuple[str, str]]:
    for name, script in scripts.items():
        try:
            script.assert_finished()
        except AssertionError as error:
            yield name, str(error)


def _trace(error: BaseException) -> str:
    """The traceback from the agent on; how it was called is nobody's concern."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_globals.get("__name__", "").startswith(_OURS):
        trace = trace.tb_next
    return "".join(traceback.format_exception(type(error), error, trace))


def _place(error: BaseException) -> Location | None:
    """The innermost line of the project's own code."""
    folder = os.path.join(os.getcwd(), "")
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(folder)
    ]
    return Location(frames[-1].filename.removeprefix(folder), frames[-1].lineno) if frames else None
