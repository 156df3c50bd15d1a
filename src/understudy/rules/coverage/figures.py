"""Evidence as figures: of every rule file, what there is to reach and what was reached."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import floor
from typing import Any


@dataclass(frozen=True, slots=True)
class Assertion:
    """A jq assertion, at its line: whether it was ever compared and held, and compared and failed."""

    index: int
    line: int
    held: bool = False
    failed: bool = False

    @property
    def is_reached(self) -> bool:
        """Whether it was compared at all."""
        return self.held or self.failed


@dataclass(frozen=True)
class RuleFigures:
    """What the tests reached of one rule file. `broken` says why nothing can be measured in it."""

    file: str
    rule: str = ""
    evaluations: int = 0
    known: frozenset[int] = frozenset()
    reached: frozenset[int] = frozenset()
    assertions: tuple[Assertion, ...] = ()
    broken: str = ""

    @property
    def total(self) -> int:
        """How many lines and assertions there are."""
        return len(self.known) + len(self.assertions)

    @property
    def hit(self) -> int:
        """How many of them were reached."""
        return len(self.reached) + sum(assertion.is_reached for assertion in self.assertions)

    @property
    def percent(self) -> float:
        """How much of it was reached; all of nothing is everything."""
        return percentage(self.hit, self.total)

    @cached_property
    def missed(self) -> list[int]:
        """The lines of Rego that were not reached."""
        return sorted(self.known - self.reached)

    @property
    def missed_assertions(self) -> list[Assertion]:
        """The assertions that were never compared."""
        return [assertion for assertion in self.assertions if not assertion.is_reached]

    @property
    def one_sided(self) -> list[Assertion]:
        """The assertions that always came to the same: a test that they can fail, or hold, is missing."""
        return [entry for entry in self.assertions if entry.is_reached and entry.held != entry.failed]

    @cached_property
    def lines(self) -> Mapping[int, bool]:
        """The lines that count, Rego and jq, and whether each was reached as a whole."""
        found = {line: line in self.reached for line in self.known}
        for entry in self.assertions:
            found[entry.line] = found.get(entry.line, True) and entry.is_reached
        return dict(sorted(found.items()))


@dataclass(frozen=True)
class Coverage:
    """What the tests reached of all rules, by file."""

    rules: Sequence[RuleFigures]

    @property
    def total(self) -> int:
        """How many lines and assertions there are in all rules."""
        return sum(rule.total for rule in self.rules)

    @property
    def hit(self) -> int:
        """How many of them were reached."""
        return sum(rule.hit for rule in self.rules)

    @property
    def percent(self) -> float:
        """How much of all of it was reached."""
        return percentage(self.hit, self.total)

    @property
    def untested(self) -> list[RuleFigures]:
        """The rules that no test evaluates."""
        return [rule for rule in self.rules if not rule.evaluations]

    @property
    def broken(self) -> list[RuleFigures]:
        """The rules that cannot be measured."""
        return [rule for rule in self.rules if rule.broken]


def coverage_of(evidence: Mapping[str, Any]) -> Coverage:
    """The figures in the evidence of the act.

    >>> evidence = {"rules": {"a.yaml": 2}, "lines": {"a.yaml": {"all": [3, 4], "covered": [3]}}}
    >>> coverage_of(evidence).percent
    50.0
    """
    named = ("measured", "lines", "assertions", "broken")
    files = sorted({file for key in named for file in evidence.get(key, {})})
    return Coverage([_figures(file, evidence) for file in files])


def percentage(hit: int, total: int) -> float:
    """How many of a hundred.

    >>> percentage(1, 8), percentage(0, 0)
    (12.5, 100.0)
    """
    return 100 * hit / total if total else 100.0


def shown_percent(percent: float) -> str:
    """A percentage for a reader, rounded down: what is not all is never shown as 100%.

    >>> shown_percent(99.97), shown_percent(100), shown_percent(66.6666)
    ('99.9%', '100%', '66.6%')
    """
    return f"{floor(percent * 10 + 1e-9) / 10:g}%"


def ranges(numbers: Iterable[int]) -> str:
    """Line numbers in the order they come, neighbours joined.

    >>> ranges([3, 4, 5, 9])
    '3-5, 9'
    """
    found: list[list[int]] = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ", ".join(f"{first}-{last}" if last > first else f"{first}" for first, last in found)


def _figures(file: str, evidence: Mapping[str, Any]) -> RuleFigures:
    lines = evidence.get("lines", {}).get(file, {})
    known = frozenset(int(line) for line in lines.get("all", ()))
    assertions = evidence.get("assertions", {}).get(file, {})
    return RuleFigures(
        file,
        "; ".join(evidence.get("measured", {}).get(file, ())),
        evidence.get("rules", {}).get(file, 0),
        known,
        known & frozenset(int(line) for line in lines.get("covered", ())),
        tuple(_assertion(int(index), found) for index, found in sorted(assertions.items(), key=_index)),
        "; ".join(evidence.get("broken", {}).get(file, ())),
    )


def _assertion(index: int, found: Mapping[str, Any]) -> Assertion:
    line = min(found.get("line", ()), default=1)
    return Assertion(index, line, bool(found.get("held")), bool(found.get("failed")))


def _index(entry: tuple[str, Any]) -> int:
    return int(entry[0])
