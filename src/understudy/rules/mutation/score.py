"""How many mutants were noticed: of one rule, and of all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import floor

from understudy.rules.mutation.session import RuleTried, Tried


@dataclass(frozen=True, slots=True)
class Score:
    """Mutants by what came of them: noticed by a test or `overdue`, survived, `left` untried.

    `invalid` are those that do not compile; they are no mutants, and only told of.
    """

    noticed: int = 0
    overdue: int = 0
    survived: int = 0
    left: int = 0
    invalid: int = 0

    @property
    def mutants(self) -> int:
        """How many there are."""
        return self.noticed + self.overdue + self.survived + self.left

    @property
    def percent(self) -> float | None:
        """How many of those that were tried were noticed, in percent, rounded down; None if none was tried.

        >>> Score(noticed=2, survived=1).percent, Score(noticed=1999, survived=1).percent, Score(left=3).percent
        (66.6, 99.9, None)
        """
        tried = self.noticed + self.overdue + self.survived
        return floor(1000 * (self.noticed + self.overdue) / tried) / 10 if tried else None

    def reaches(self, threshold: float) -> bool:
        """Whether enough were noticed, judged by the exact share; nothing tried is never enough.

        >>> Score(noticed=1, overdue=1, survived=1).reaches(66.6), Score(noticed=2, survived=1).reaches(66.7)
        (True, False)
        """
        tried = self.noticed + self.overdue + self.survived
        return bool(tried) and 100 * (self.noticed + self.overdue) >= threshold * tried

    def __add__(self, other: Score) -> Score:
        return Score(
            self.noticed + other.noticed,
            self.overdue + other.overdue,
            self.survived + other.survived,
            self.left + other.left,
            self.invalid + other.invalid,
        )


def score_of(rule: RuleTried) -> Score:
    """The score of one rule; nothing is known of one that could not be tried."""
    if rule.problem:
        return Score()
    count = Counter(tried.verdict.result if tried.verdict is not None else "left" for tried in rule.mutants)
    return Score(**count)


def total(rules: Iterable[RuleTried]) -> Score:
    """The score of all rules."""
    return sum((score_of(rule) for rule in rules), Score())


def with_result(rule: RuleTried, result: str) -> list[Tried]:
    """The mutants of a rule that came to this."""
    return [tried for tried in rule.mutants if tried.verdict is not None and tried.verdict.result == result]
