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
        self._explained: dict[tuple[str, ...], dict[str, int]] = {}
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
        """Make a find of what damages something that no find of the same kind of disturbance does; else count it."""
        new = self._unexplained(disturbance, damages)
        place = self._place(disturbance, damages)
        if new:
            smallest, shown = self._smallest(disturbance, damages, new)
            if self._unexplained(smallest, shown) & new:
                self._explain(smallest, shown, len(self._finds))
                self._explain(disturbance, damages, len(self._finds))
                self._finds.append(Find(smallest, shown, printed_test(self._setting, smallest, shown)))
                return
            place = self._place(smallest, shown)
            self._explain(disturbance, damages, place)
        self._finds[place] = replace(self._finds[place], also=self._finds[place].also + 1)

    def _unexplained(self, disturbance: Disturbance, damages: _Damages) -> set[str]:
        """The labels of damage that no find has. The world counts only where the ledger says nothing."""
        known = self._explained.get(_kinds(disturbance), {})
        in_ledger = {damage.label for damage in damages if damage.kind != "world"}
        return (in_ledger or {damage.label for damage in damages}) - known.keys()

    def _explain(self, disturbance: Disturbance, damages: _Damages, place: int) -> None:
        known = self._explained.setdefault(_kinds(disturbance), {})
        for damage in damages:
            known.setdefault(damage.label, place)

    def _place(self, disturbance: Disturbance, damages: _Damages) -> int:
        """The first find that did some of this damage."""
        known = self._explained.get(_kinds(disturbance), {})
        return min((known[damage.label] for damage in damages if damage.label in known), default=0)

    def _smallest(
        self, disturbance: Disturbance, damages: _Damages, labels: set[str]
    ) -> tuple[Disturbance, _Damages]:
        """The smallest disturbance that does damage with one of these labels, and all that it does."""
        shown = {disturbance: damages}
        left = _SHRINKING_TRIALS

        def shows(candidate: Disturbance) -> bool:
            nonlocal left
            left -= 1  # also for what is known: an exploration that goes on has to come to the same
            known = self._tried.verdict(key_of(candidate))
            if left < 0 or not is_possible(candidate) or self._is_late():
                return False
            if known is not None and not labels & set(known.damage):
                return False
            found, _ = self._carried_out(candidate)
            shown[candidate] = found
            return bool(labels & {damage.label for damage in found})

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


def _kinds(disturbance: Disturbance) -> tuple[str, ...]:
    """What is taken for one defect if it does the same damage."""
    return tuple(sorted(type(step).__name__ for step in disturbance))
