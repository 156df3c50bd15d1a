"""Goes through the disturbances of a plan within bounds, and gathers what the pipeline does not survive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from understudy.core.clock import Clock
from understudy.simulation.replay.disturbance import Disturbance, key_of
from understudy.simulation.replay.disturbance_plan import Level, drawn, is_possible
from understudy.simulation.replay.explored import Find, Tally
from understudy.simulation.replay.printed_test import printed_test
from understudy.simulation.replay.shrinking import shrunk, without
from understudy.simulation.replay.survival import Damage, damages_of
from understudy.simulation.replay.trial import Setting, Trial, run_trial
from understudy.simulation.replay.tried import Tried, Verdict

MOST_FINDS = 20
_SHRINKING_TRIALS = 100
_Group = tuple[tuple[str, ...], frozenset[str]]
_Damages = tuple[Damage, ...]


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far a search goes, and the seed by which it chooses where it cannot try everything."""

    seed: int = 0
    max_trials: int = 200
    max_seconds: float | None = None
    max_steps: int = 2


class Search:
    """One search: afterwards `finds`, `tallies` and `stopped` say what came of it."""

    def __init__(self, setting: Setting, clean: Trial, bounds: Bounds, tried: Tried, clock: Clock) -> None:
        self._setting = setting
        self._clean = clean
        self._bounds = bounds
        self._tried = tried
        self._clock = clock
        self._begun = clock.monotonic()
        self._trials = 0
        self._failing: set[str] = set()
        self._groups: dict[_Group, int] = {}
        self._finds: list[Find] = []
        self._tallies: list[Tally] = []
        self.stopped = ""

    @property
    def finds(self) -> tuple[Find, ...]:
        """What the pipeline does not survive, in the order in which it was found."""
        return tuple(self._finds)

    @property
    def tallies(self) -> tuple[Tally, ...]:
        """What was tried of every level."""
        return tuple(self._tallies)

    def run(self, levels: Sequence[Level]) -> None:
        """Try the levels, one after the other, until a bound is reached."""
        for level in levels:
            self._tallies.append(Tally(level.steps, level.possible))
            self._run_level(level)

    def _run_level(self, level: Level) -> None:
        all_of_them = level.count <= self._bounds.max_trials - self._trials
        for disturbance in drawn(level, self._bounds.seed, all_of_them=all_of_them):
            if self._is_implied(disturbance):
                self._tally(implied=1)
                continue
            self.stopped = self.stopped or self._reached()
            if self.stopped:
                return
            self._trials += 1
            self._try(disturbance)

    def _reached(self) -> str:
        """The bound that is reached, if any is."""
        if self._trials >= self._bounds.max_trials:
            return f"max_trials={self._bounds.max_trials}"
        if len(self._finds) >= MOST_FINDS:
            return f"its number of finds ({MOST_FINDS})"
        return f"max_seconds={self._bounds.max_seconds:g}" if self._is_late() else ""

    def _is_late(self) -> bool:
        limit = self._bounds.max_seconds
        return limit is not None and self._clock.monotonic() - self._begun >= limit

    def _try(self, disturbance: Disturbance) -> None:
        known = self._tried.verdict(key_of(disturbance))
        # a find of an earlier exploration is shown again, with all that is to be said of it
        damages: _Damages = ()
        if known is None or known.damage:
            damages, is_met = self._carried_out(disturbance)
        else:
            is_met = known.is_met
        self._tally(tried=1, unmet=int(not is_met))
        if damages:
            self._failing.add(key_of(disturbance))
            self._found(disturbance, damages)

    def _carried_out(self, disturbance: Disturbance) -> tuple[_Damages, bool]:
        trial = run_trial(self._setting, disturbance)
        damages = damages_of(self._setting, self._clean, trial)
        is_met = all(step in trial.met for step in disturbance)
        labels = tuple(sorted({damage.label for damage in damages}))
        self._tried.note(key_of(disturbance), Verdict(labels, is_met))
        return damages, is_met

    def _found(self, disturbance: Disturbance, damages: _Damages) -> None:
        group = _group(disturbance, damages)
        if group not in self._groups:
            smallest, shown = self._smallest(disturbance, damages)
            least = _group(smallest, shown)
            if least not in self._groups:
                self._groups[group] = self._groups[least] = len(self._finds)
                test = printed_test(self._setting, smallest, shown)
                self._finds.append(Find(smallest, shown, test))
                return
            self._groups[group] = self._groups[least]
        place = self._groups[group]
        self._finds[place] = replace(self._finds[place], also=self._finds[place].also + 1)

    def _smallest(self, disturbance: Disturbance, damages: _Damages) -> tuple[Disturbance, _Damages]:
        """The smallest disturbance that does one of these damages, and what it does."""
        labels = {damage.label for damage in damages}
        shown = {disturbance: damages}
        left = _SHRINKING_TRIALS

        def shows(candidate: Disturbance) -> bool:
            nonlocal left
            known = self._tried.verdict(key_of(candidate))
            if not is_possible(candidate) or (known is not None and not labels & set(known.damage)):
                return False
            if left <= 0 or self._is_late():
                return False
            left -= 1
            found, is_met = self._carried_out(candidate)
            shown[candidate] = found
            return is_met and bool(labels & {damage.label for damage in found})

        least = shrunk(disturbance, shows)
        if least not in shown:  # it is written shorter, and does the same
            shown[least] = self._carried_out(least)[0]
        return least, shown[least]

    def _is_implied(self, disturbance: Disturbance) -> bool:
        """True if a part of it is known to do damage: what more it does is seen when that is mended."""
        if len(disturbance) == 1 or not self._failing:
            return False
        parts = [without(disturbance, place) for place in range(len(disturbance))]
        return any(key_of(part) in self._failing or self._is_implied(part) for part in parts)

    def _tally(self, **more: int) -> None:
        tally = self._tallies[-1]
        self._tallies[-1] = replace(
            tally, **{name: getattr(tally, name) + count for name, count in more.items()}
        )


def _group(disturbance: Disturbance, damages: _Damages) -> _Group:
    """Finds of one group are taken for one defect: the same kinds of steps do the same damage."""
    kinds = tuple(sorted(type(step).__name__ for step in disturbance))
    return kinds, frozenset(damage.label for damage in damages)
