"""One trial: a new world, the pipeline disturbed in it, resumed after every crash, and what is there in the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from understudy.core.errors import InputError, Problem
from understudy.simulation.replay.deterministic import Deterministic
from understudy.simulation.replay.disturbance import Crash, Disturbance, Step
from understudy.simulation.replay.disturbance_kinds import MOST_WRITES, SECONDS_PER_RUN
from understudy.simulation.replay.disturber import Delivery, StepsDisturber
from understudy.simulation.replay.execute import NOTHING, RETURNED_NONE, Conditions, Execution
from understudy.simulation.replay.ledger import RunLog, writes_of
from understudy.simulation.replay.pipelines import Pipeline, is_async, name_of
from understudy.simulation.replay.quiet_crashes import quiet_crashes
from understudy.simulation.replay.record import Run, Write
from understudy.simulation.replay.snapshot import MOST_OBJECTS
from understudy.simulation.replay.time_limit import PipelineTimeout, within
from understudy.simulation.replay.world_state import state_of


@dataclass(frozen=True, slots=True)
class Setting:
    """What all trials of an exploration share. `world` makes a new one for each; `state` says what matters of it."""

    pipeline: Pipeline
    world: Callable[[], Any] | None = None
    state: Callable[[Any], Any] | None = None
    impose: Deterministic | None = None
    ordered: bool = False
    ignore: Callable[[Write], object] | None = None
    timeout: float | None = SECONDS_PER_RUN
    max_writes: int = MOST_WRITES
    max_objects: int = MOST_OBJECTS
    root: str | None = None

    @property
    def name(self) -> str:
        """What the pipeline is called."""
        return name_of(self.pipeline)


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of a trial: its runs, all that they wrote together, and the state of the world in the end.

    `deliveries` and `announced` (the writes that said so before) are those of the first run; `met` are the steps of
    the disturbance that took place. `error` says how the last run ended, if not well. `drawn` are the ids that were
    imposed, and those of the contexts. One that `has_caught_crash` hung because it went on after it had died.
    """

    disturbance: Disturbance = ()
    runs: tuple[Run, ...] = ()
    writes: tuple[Write, ...] = ()
    state: Any = None
    deliveries: tuple[Delivery, ...] = ()
    announced: frozenset[int] = frozenset()
    met: tuple[Step, ...] = ()
    error: str = ""
    is_runaway: bool = False
    is_hung: bool = False
    has_caught_crash: bool = False
    notes: tuple[str, ...] = ()
    drawn: frozenset[str] = frozenset()
    world: Any = None


class _Trying:
    """A trial on its way; what is known of it is known also when a run of it does not end."""

    def __init__(self, setting: Setting, disturbance: Disturbance, watch: bool) -> None:
        self._setting = setting
        self._disturbance = disturbance
        self._watch = watch
        self._logs: list[RunLog] = []
        self._disturbers: list[StepsDisturber] = []
        self._runs: list[Run] = []
        self._state: Any = None
        self._world: Any = NOTHING
        self._is_over = False
        self._has_caught_crash = False
        self._imposed = None if setting.impose is None else setting.impose.begin()

    def carry_out(self) -> None:
        """Run the pipeline until it ends without a crash, and look at the world."""
        setting = self._setting
        world = self._world = NOTHING if setting.world is None else _made(setting.world)
        for number in range(1, 2 + sum(isinstance(step, Crash) for step in self._disturbance)):
            self._run(number, world)
            if self._is_over or not self._logs[-1].has_crashed or self._disturbers[-1].is_runaway:
                break
        if world is not NOTHING and not self._is_over:
            self._state = _seen(setting, world, self._drawn())

    def abandon(self) -> None:
        """See that a run which is left behind ends at the next thing that it logs, and is not followed by another."""
        self._is_over = True
        self._has_caught_crash = bool(self._logs) and self._logs[-1].has_crashed
        for log in self._logs:
            log.has_crashed = True

    def _drawn(self) -> frozenset[str]:
        contexts = {run.context_id for run in self._runs}
        return frozenset(contexts | (set() if self._imposed is None else self._imposed.drawn))

    def _run(self, number: int, world: Any) -> None:
        setting = self._setting
        steps = [step for step in self._disturbance if step.run == number]
        disturber = StepsDisturber(steps, setting.max_writes)
        log = RunLog(disturber=disturber)
        self._disturbers.append(disturber)
        self._logs.append(log)
        conditions = Conditions(
            world=world,
            impose=setting.impose,
            imposed=self._imposed,  # a process that is started again does not draw the same ids as before
            timeout=setting.timeout if is_async(setting.pipeline) else None,
            max_objects=setting.max_objects,
            root=setting.root,
            watch=self._watch,
            log=log,
        )
        self._runs.append(Execution(setting.pipeline, conditions).execute())

    def outcome(self, is_hung: bool) -> Trial:
        """The trial, as far as it came."""
        first = self._disturbers[0] if self._disturbers else StepsDisturber()
        last = self._runs[-1] if self._runs else Run()
        entries = [entry for log in self._logs for entry in list(log.entries)]
        is_hung = is_hung or last.error.startswith(PipelineTimeout.__name__)
        return Trial(
            disturbance=self._disturbance,
            runs=tuple(self._runs),
            writes=writes_of(entries),
            state=self._state,
            deliveries=tuple(first.deliveries),
            announced=frozenset(first.announced),
            met=tuple(step for disturber in self._disturbers for step in disturber.met),
            error="" if last.is_crashed else last.error,
            is_runaway=any(disturber.is_runaway for disturber in self._disturbers),
            is_hung=is_hung,
            has_caught_crash=self._has_caught_crash,
            drawn=self._drawn(),
            world=self._world,
            # what a run returns is no part of an exploration: a resumed one returns only what was left to do
            notes=tuple(
                dict.fromkeys(note for run in self._runs for note in run.notes if RETURNED_NONE not in note)
            ),
        )


def run_trial(setting: Setting, disturbance: Disturbance = (), *, watch: bool = False) -> Trial:
    """Run the pipeline in a world of its own, disturbed, and again after every crash, until it ends.

    With `watch`, what it reads of clock, ids, chance and environment is noted.

    >>> run_trial(Setting(lambda ctx: [{"id": "a"}])).runs[0].ids
    ('a',)
    """
    trying = _Trying(setting, disturbance, watch)
    runs = 1 + sum(isinstance(step, Crash) for step in disturbance)
    # the world is made in the thread that works on it: connections to databases insist on that
    seconds = None if setting.timeout is None or is_async(setting.pipeline) else setting.timeout * runs
    is_hung = False
    with quiet_crashes():
        try:
            within(seconds, trying.carry_out, setting.name)
        except PipelineTimeout:
            is_hung = True
            trying.abandon()
    return trying.outcome(is_hung)


def _made(world: Callable[[], Any]) -> Any:
    try:
        return world()
    except Exception as error:
        raise _wrong(
            f"the world cannot be made: {type(error).__name__}: {error}", "correct world="
        ) from error


def _seen(setting: Setting, world: Any, drawn: frozenset[str]) -> Any:
    try:
        held = world if setting.state is None else setting.state(world)
        return state_of(held, ordered=setting.ordered, drawn=drawn)
    except InputError:
        raise
    except Exception as error:
        said = f"the state of the world cannot be read: {type(error).__name__}: {error}"
        raise _wrong(said, "give state=, a function of the world that returns what matters of it") from error


def _wrong(message: str, hint: str) -> InputError:
    return InputError([Problem(message, hint=hint)])
