"""What a scenario expects against what came of it: everything that does not hold, each with expected and actual."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from understudy.core.brief import brief
from understudy.core.diff import diff
from understudy.core.nearness import closest_name
from understudy.core.outcome import Failure
from understudy.core.plain import plain
from understudy.governance.actions import PENDING, AgentAction
from understudy.simulation.agents.scenario import Played
from understudy.simulation.agents.settings import ExpectSettings, ScenarioSettings

_SHOWN = 300


def judge(settings: ScenarioSettings, played: Played) -> tuple[Failure, ...]:
    """All failures of a scenario; none if everything is as it must be."""
    return (
        *played.failures,
        *_nothing_done(played),
        *_actions(settings, played.actions),
        *_tools(settings, played),
        *_returned(settings, played),
    )


def settled(actions: Sequence[AgentAction]) -> list[AgentAction]:
    """What came of each action in the end: of those that people were asked about, the last word.

    >>> asked = AgentAction("clerk", "export", status="pending", review_id="r1")
    >>> answered = AgentAction("clerk", "export", status="rejected", review_id="r1")
    >>> [action.status for action in settled([asked, answered])]
    ['rejected']
    """
    last = {action.review_id: index for index, action in enumerate(actions) if action.review_id}
    return [
        action
        for index, action in enumerate(actions)
        if not action.review_id or last[action.review_id] == index
    ]


def _nothing_done(played: Played) -> Iterator[Failure]:
    if not played.actions:
        hint = "let it call harness.run_action(...), or tools that harness.guard(...) gave it"
        message = f"the agent took no action, so that nothing is shown: {hint}"
        yield Failure(message, "1 or more", 0, "- actions: 1 or more\n+ actions: 0")


def _actions(settings: ScenarioSettings, actions: Sequence[AgentAction]) -> Iterator[Failure]:
    known = settings.known_actions()
    final = settled(actions)
    foreseen: set[int] = set()
    for expected in settings.expect:
        # A question that is decided has been pending before.
        found = expected.wanted.among(actions if expected.status == PENDING else final, known)
        foreseen |= {id(action) for action in found}
        if len(found) != expected.times and (expected.times is not None or not found):
            yield _miscounted(expected, len(found), final)
    if settings.other_actions:
        return
    for text, count in Counter(str(action) for action in final if id(action) not in foreseen).items():
        times = f" ({count} times)" if count > 1 else ""
        yield Failure(
            f"nothing expects that the agent does this: {text}{times}", 0, count, f"+ {text}{times}"
        )


def _miscounted(expected: ExpectSettings, found: int, final: Sequence[AgentAction]) -> Failure:
    same = [str(action) for action in final if action.action_type == expected.action]
    happened = brief("; ".join(same), _SHOWN) if same else "nothing"
    wanted = "1 or more" if expected.times is None else expected.times
    return Failure(
        f"{expected.wanted}: {wanted} expected, {found} recorded; of {expected.action!r} there is {happened}",
        wanted,
        found,
        f"- {expected.wanted}: {wanted}\n+ {expected.wanted}: {found}",
    )


def _tools(settings: ScenarioSettings, played: Played) -> Iterator[Failure]:
    """A tool that must never run has to be tried in vain: what nobody tries shows nothing."""
    for name in settings.never_runs:
        runs = [str(run) for run in played.tool_runs if run.tool == name]
        calls = played.tool_calls.get(name)
        if runs:
            message = f"{name} must never run, and did: {brief('; '.join(runs), _SHOWN)}"
            yield Failure(message, 0, len(runs), f"- {name}: ran 0 times\n+ {name}: ran {len(runs)} times")
        elif calls is None:
            message = (
                f"{name} must never run, and no tool of that name was guarded ({_nearest(name, played)})"
            )
            yield Failure(message, "guarded", None, f"- {name}: guarded\n+ {name}: unknown")
        elif not calls:
            message = f"{name} must never run, which nothing shows: the agent did not try it behind its guard"
            yield Failure(
                message, "1 or more", 0, f"- {name}: called 1 or more times\n+ {name}: called 0 times"
            )


def _nearest(name: str, played: Played) -> str:
    near = closest_name(name, played.tool_calls)
    return f"did you mean {near!r}?" if near else f"guarded were {', '.join(played.tool_calls) or 'none'}"


def _returned(settings: ScenarioSettings, played: Played) -> Iterator[Failure]:
    if "returns" not in settings.model_fields_set:
        return
    expected = plain(settings.returns)
    difference = diff(expected, played.returned)
    if difference:
        yield Failure(f"the agent returned {brief(played.returned)}", expected, played.returned, difference)
