"""How many mutants were noticed: of one rule, and of all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from understudy.rules.mutation.session import RuleTried, Tried


@dataclass(frozen=True, slots=True)
class Score:
    """Mutants by what came of them. Those that do not compile are none; `left` are those that were not tried."""

    noticed: int = 0
    survived: int = 0
    left: int = 0

    @property
    def mutants(self) -> int:
        """How many there are."""
        return self.noticed + self.survived + self.left

    @property
    def percent(self) -> float | None:
        """How many of those that were tried were noticed, in percent; None if none was tried.

        >>> Score(noticed=2, survived=1).percent, Score(left=3).percent
        (66.7, None)
        """
        tried = self.noticed + self.survived
        return round(100 * self.noticed / tried, 1) if tried else None

    def reaches(self, threshold: float) -> bool:
        """Whether enough were noticed, judged by the exact share; nothing tried is never enough.

        >>> Score(noticed=2, survived=1).reaches(66.6), Score(noticed=2, survived=1).reaches(66.7)
        (True, False)
        """
        tried = self.noticed + self.survived
        return bool(tried) and 100 * self.noticed >= threshold * tried

    def __add__(self, other: Score) -> Score:
        return Score(self.noticed + other.noticed, self.survived + other.survived, self.left + other.left)


def score_of(rule: RuleTried) -> Score:
    """The score of one rule; nothing is known of one that could not be tried."""
    if rule.problem:
        return Score()
    results = [tried.verdict.result if tried.verdict is not None else "left" for tried in rule.mutants]
    return Score(results.count("noticed"), results.count("survived"), results.count("left"))


def total(rules: Iterable[RuleTried]) -> Score:
    """The score of all rules."""
    return sum((score_of(rule) for rule in rules), Score())


def survivors(rule: RuleTried) -> list[Tried]:
    """The mutants of a rule that no test noticed."""
    return [
        tried for tried in rule.mutants if tried.verdict is not None and tried.verdict.result == "survived"
    ]
