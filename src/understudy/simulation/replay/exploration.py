"""`explore`: runs a pipeline with crashes, repeated and reordered deliveries, and finds what it does not survive."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from understudy.core.brief import brief
from understudy.core.clock import Clock, SystemClock
from understudy.core.errors import InputError, Problem
from understudy.simulation.replay.clean_run import clean_run, state_hash
from understudy.simulation.replay.deterministic import Deterministic
from understudy.simulation.replay.disturbance import Step, checked, described
from understudy.simulation.replay.disturbance_kinds import (
    KINDS,
    MOST_STEPS,
    MOST_WRITES,
    SECONDS_PER_RUN,
    StepKind,
)
from understudy.simulation.replay.disturbance_plan import plan
from understudy.simulation.replay.explored import Explored
from understudy.simulation.replay.pipelines import Pipeline, importable_name, require_fit
from understudy.simulation.replay.record import Write
from understudy.simulation.replay.search import Bounds, Search
from understudy.simulation.replay.snapshot import MOST_OBJECTS
from understudy.simulation.replay.survival import damages_of
from understudy.simulation.replay.trial import Setting, run_trial
from understudy.simulation.replay.tried import Identity, Tried


def explore(
    pipeline_fn: Pipeline,
    *,
    world: Callable[[], Any] | None = None,
    state: Callable[[Any], Any] | None = None,
    seed: int = 0,
    max_trials: int = 200,
    max_seconds: float | None = None,
    max_steps: int = 2,
    orders: int = 3,
    kinds: Sequence[StepKind] = KINDS,
    ordered: bool = False,
    ignore: Callable[[Write], object] | None = None,
    impose: Deterministic | None = None,
    timeout: float | None = SECONDS_PER_RUN,
    max_writes: int = MOST_WRITES,
    max_objects: int = MOST_OBJECTS,
    progress: str | os.PathLike[str] | None = None,
    clock: Clock | None = None,
    root: str | None = None,
) -> Explored:
    """Find the crashes, repeated and reordered deliveries after which a pipeline leaves something else behind.

    The pipeline is run in a new world for every trial (`world` makes it, and it is the second argument), disturbed,
    and run again in the same world after every crash. Its side effects and the state of the world are then compared
    with those of a clean run. First every disturbance is tried by itself, then combinations of up to `max_steps`,
    until `max_trials` were tried or `max_seconds` have passed. What is found is made as small as possible. With
    `progress`, a file, an exploration that was stopped or killed goes on where it was.

    >>> from understudy.simulation import SimulationConnector
    >>> def copy(ctx, world):
    ...     for found in world["source"].list_objects():
    ...         world["sink"].upsert_object(found)
    >>> def make_world():
    ...     return {"source": SimulationConnector([{"id": "tool--1"}]), "sink": SimulationConnector()}
    >>> print(explore(copy, world=make_world))
    copy survived 11 disturbances (seed 0)
      single disturbances: 3 of 3 tried
      combinations of 2: 8 of 8 tried
    """
    setting = Setting(
        pipeline=pipeline_fn,
        world=world,
        state=state,
        impose=impose,
        ordered=ordered,
        ignore=ignore,
        timeout=timeout,
        max_writes=max_writes,
        max_objects=max_objects,
        root=root,
    )
    _require_usable(setting)
    bounds = Bounds(seed, max_trials, max_seconds, max_steps)
    _require_bounds(bounds, orders, kinds)
    clean, notes = clean_run(setting)
    levels = plan(clean, seed=seed, steps=max_steps, orders=orders, kinds=kinds)
    if not levels[0].count:
        hint = f"allow other kinds than {', '.join(kinds) or 'none'}"
        raise _wrong(f"{setting.name} was handed nothing that could be disturbed like this", hint)
    with Tried(progress, _identity(setting, seed, state_hash(setting, clean))) as tried:
        if tried.is_renewed:
            notes.append(
                "the pipeline is not what it was when the progress was kept, so it was explored anew"
            )
        search = Search(setting, clean, bounds, tried, clock or SystemClock())
        search.run(levels)
    return Explored(
        setting.name, seed, search.finds, search.tallies, clean, search.stopped, tuple(dict.fromkeys(notes))
    )


async def explore_async(pipeline_fn: Pipeline, **options: Any) -> Explored:
    """`explore` from async code, with the same options: the event loop goes on meanwhile.

    >>> import asyncio
    >>> async def remember(ctx):
    ...     ctx.record("remember", kind="write", target_ref="a")
    >>> asyncio.run(explore_async(remember)).ok
    True
    """
    return await asyncio.to_thread(partial(explore, pipeline_fn, **options))


def assert_survives(
    pipeline_fn: Pipeline,
    *steps: Step,
    world: Callable[[], Any] | None = None,
    state: Callable[[Any], Any] | None = None,
    ordered: bool = False,
    ignore: Callable[[Write], object] | None = None,
    impose: Deterministic | None = None,
    timeout: float | None = SECONDS_PER_RUN,
    max_writes: int = MOST_WRITES,
    max_objects: int = MOST_OBJECTS,
) -> None:
    """Fail unless the pipeline leaves the same behind with this disturbance as without. What `explore` prints calls it.

    >>> from understudy.simulation.replay.disturbance import Crash
    >>> def notify(ctx, sent):
    ...     sent.append("mail")
    ...     ctx.record("send", subject="mail", kind="write")
    >>> assert_survives(notify, Crash("after", write=1), world=list)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    AssertionError: notify does not survive a crash after write 1:
      mail.send() at ... was made 2 times, and once in the clean run: it has no key, so that it happened again
      the world: $ holds "mail" 2 times, which is there once after the clean run
    """
    __tracebackhide__ = True
    setting = Setting(pipeline_fn, world, state, impose, ordered, ignore, timeout, max_writes, max_objects)
    _require_usable(setting)
    disturbance = checked(steps)
    if not disturbance:
        raise _wrong("there is nothing to survive", "give Crash(), Duplicate() or Reorder()")
    clean, _ = clean_run(setting)
    trial = run_trial(setting, disturbance)
    damages = damages_of(setting, clean, trial)
    if damages:
        said = "\n".join(f"  {damage}" for damage in damages)
        raise AssertionError(f"{setting.name} does not survive {described(disturbance)}:\n{said}")
    unmet = tuple(step for step in disturbance if step.run == 1 and step not in trial.met)
    if unmet:
        raise AssertionError(
            f"nothing was tested, for {described(unmet)} did not come to pass: the run makes "
            f"{len(clean.writes)} writes and gets {len(clean.deliveries)} deliveries; explore it again"
        )


def _identity(setting: Setting, seed: int, state: str) -> Identity:
    named = {
        "world": _named(setting.world),
        "state": _named(setting.state),
        "ignore": _named(setting.ignore),
        "impose": setting.impose is not None,
        "ordered": setting.ordered,
        "max_writes": setting.max_writes,
    }
    options = ", ".join(f"{name}={value}" for name, value in named.items())
    return Identity(_named(setting.pipeline), seed, options, state)


def _named(function: Any) -> str:
    module = getattr(function, "__module__", "")
    path = getattr(function, "__qualname__", type(function).__qualname__)
    return "None" if function is None else importable_name(function) or f"{module}:{path}"


def _require_usable(setting: Setting) -> None:
    problems: list[Problem] = []
    try:
        require_fit(setting.pipeline, setting.world is not None)
    except InputError as error:
        problems += error.problems
    for name in ("world", "state", "ignore"):
        value = getattr(setting, name)
        if value is not None and not callable(value):
            made = "a function that makes a new world for every trial" if name == "world" else "a function"
            problems.append(Problem(f"{name}={brief(value)} is no function", hint=f"give {made}"))
    if setting.timeout is not None and not _is_number(setting.timeout, above=0):
        problems.append(Problem(f"timeout is a number of seconds above 0, not {brief(setting.timeout)}"))
    problems += _counts({"max_writes": setting.max_writes, "max_objects": setting.max_objects})
    if problems:
        raise InputError(problems)


def _require_bounds(bounds: Bounds, orders: Any, kinds: Any) -> None:
    problems = _counts({"max_trials": bounds.max_trials, "max_steps": bounds.max_steps})
    if not problems and bounds.max_steps > MOST_STEPS:
        problems.append(Problem(f"max_steps is at most {MOST_STEPS}, not {bounds.max_steps}"))
    if isinstance(bounds.seed, bool) or not isinstance(bounds.seed, int):
        problems.append(Problem(f"a seed is a whole number, not {brief(bounds.seed)}"))
    if isinstance(orders, bool) or not isinstance(orders, int) or orders < 0:
        problems.append(Problem(f"orders is a number from 0 on, not {brief(orders)}"))
    if bounds.max_seconds is not None and not _is_number(bounds.max_seconds, above=0):
        problems.append(Problem(f"max_seconds is a number above 0, not {brief(bounds.max_seconds)}"))
    if isinstance(kinds, str) or not kinds or any(kind not in KINDS for kind in kinds):
        problems.append(Problem(f"kinds={brief(kinds)}", hint=f"give some of {', '.join(KINDS)}"))
    if problems:
        raise InputError(problems)


def _counts(named: dict[str, Any]) -> list[Problem]:
    return [
        Problem(f"{name} is a number from 1 on, not {brief(value)}")
        for name, value in named.items()
        if isinstance(value, bool) or not isinstance(value, int) or value < 1
    ]


def _is_number(value: Any, above: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > above


def _wrong(message: str, hint: str) -> InputError:
    return InputError([Problem(message, hint=hint)])
