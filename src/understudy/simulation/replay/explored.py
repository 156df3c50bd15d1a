"""What came of an exploration: every find with its test, what was tried, and what was left because of the bounds."""

from __future__ import annotations

from dataclasses import dataclass, field

from understudy.simulation.replay.disturbance import Disturbance, described
from understudy.simulation.replay.survival import DAMAGES_SHOWN, Damage
from understudy.simulation.replay.trial import Trial


@dataclass(frozen=True, slots=True)
class Find:
    """A disturbance that the pipeline does not survive, as small as it can be, and the test that shows it.

    `also` counts the other disturbances that did the same damage.
    """

    disturbance: Disturbance
    damages: tuple[Damage, ...]
    test: str
    also: int = 0

    def __str__(self) -> str:
        lines = [f"{described(self.disturbance)}:"]
        lines += [f"  {damage}" for damage in self.damages[:DAMAGES_SHOWN]]
        if len(self.damages) > DAMAGES_SHOWN:
            lines.append(f"  and {len(self.damages) - DAMAGES_SHOWN} more")
        if self.also:
            lines.append(f"  ({_count(self.also, 'other disturbance')} did the same damage)")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Tally:
    """The disturbances of so many steps. `unmet` had no effect, `implied` were not tried: a part of them is a find."""

    steps: int
    possible: int
    tried: int = 0
    unmet: int = 0
    implied: int = 0

    @property
    def left(self) -> int:
        """How many were left out because of a bound."""
        return self.possible - self.tried - self.implied

    def __str__(self) -> str:
        said = f"{self.tried:,} of {self.possible:,} tried"
        said += f", {self.implied:,} not needed (a part of them is a find)" if self.implied else ""
        said += f", {self.left:,} left" if self.left else ""
        said += f"; {self.unmet:,} of them did not come to pass" if self.unmet else ""
        return f"{'single disturbances' if self.steps == 1 else f'combinations of {self.steps}'}: {said}"


@dataclass(frozen=True, slots=True)
class Explored:
    """The result of `explore`. `stopped` names the bound that ended it, if one did.

    Everything in it is the same again for the same pipeline, seed and bounds (but for a bound of time).
    """

    pipeline: str
    seed: int
    finds: tuple[Find, ...]
    tallies: tuple[Tally, ...]
    clean: Trial = field(repr=False)
    stopped: str = ""
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """True if the pipeline survived everything that was tried."""
        return not self.finds

    @property
    def tried(self) -> int:
        """How many disturbances were tried."""
        return sum(tally.tried for tally in self.tallies)

    @property
    def left(self) -> int:
        """How many were left out because of a bound."""
        return sum(tally.left for tally in self.tallies)

    def check(self) -> Explored:
        """Raise AssertionError with every find and its test, if there is any."""
        __tracebackhide__ = True
        if self.finds:
            raise AssertionError(str(self))
        return self

    def __str__(self) -> str:
        if self.ok:
            lines = [f"{self.pipeline} survived {_count(self.tried, 'disturbance')} (seed {self.seed})"]
        else:
            found = _count(len(self.finds), "thing")
            lines = [f"{self.pipeline} does not survive {found} (seed {self.seed}):"]
        for number, find in enumerate(self.finds, 1):
            lines += [f"{number}) {find}", "   the test of it:", ""]
            lines += [f"    {line}".rstrip() for line in find.test.splitlines()]
            lines.append("")
        lines += [f"  {tally}" for tally in self.tallies if tally.possible]
        if self.stopped:
            lines.append(f"  stopped by {self.stopped}")
        lines += [f"note: {note}" for note in self.notes]
        return "\n".join(lines)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
