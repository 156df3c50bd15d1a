"""How a benchmark says what it measured: one line per claim, which the runner gathers into the summary."""

from __future__ import annotations

from dataclasses import dataclass

PREFIX = "claim: "


@dataclass(frozen=True, slots=True)
class Claim:
    """A ratio or an amount, and the bound that it has to keep.

    >>> print(Claim("500 GETs, share of the bare loop", 0.934, at_least=0.8))
    claim: holds    500 GETs, share of the bare loop: 0.934 (at least 0.8)
    >>> print(Claim("memory of 100,000 cases", 310, at_most=300, unit="MB"))
    claim: MISSED   memory of 100,000 cases: 310 MB (at most 300 MB)
    """

    name: str
    measured: float
    at_least: float | None = None
    at_most: float | None = None
    unit: str = ""

    @property
    def holds(self) -> bool:
        """True if the measure keeps every bound that the claim has."""
        return (self.at_least is None or self.measured >= self.at_least) and (
            self.at_most is None or self.measured <= self.at_most
        )

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        bounds = [("at least", self.at_least), ("at most", self.at_most)]
        kept = ", ".join(f"{word} {bound:g}{unit}" for word, bound in bounds if bound is not None)
        verdict = "holds " if self.holds else "MISSED"
        return f"{PREFIX}{verdict}   {self.name}: {self.measured:.3g}{unit} ({kept or 'no bound'})"


def report(*claims: Claim) -> int:
    """Print the claims of a script; the result is its exit code."""
    for claim in claims:
        print(claim, flush=True)
    return 0 if all(claim.holds for claim in claims) else 1
