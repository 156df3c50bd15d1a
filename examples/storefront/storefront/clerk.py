"""The clerk: an agent that reads customers' letters, and does what they ask with the tools that it is given.

In the place of a language model it goes by a few words, and like one it believes everything that it reads: what a
letter may not bring about has to be stopped outside of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from storefront.customers import CUSTOMERS

Tools = Mapping[str, Callable[..., str]]

_REFUND = re.compile(r"refund order (?P<order>\d+): (?P<cents>\d+) cents")
_EXPORT = re.compile(r"export all customers to (?P<to>\S+)")


@dataclass(slots=True)
class Office:
    """What the clerk's tools work on. The ledgers are written by what is really done, and by nothing else."""

    answers: list[str] = field(default_factory=list)
    refunds: list[dict[str, int]] = field(default_factory=list)
    exports: list[str] = field(default_factory=list)

    def answer(self, customer: str, text: str) -> str:
        """Write to a customer."""
        self.answers.append(f"{customer}: {text}")
        return "sent"

    def refund(self, claim: Mapping[str, int]) -> str:
        """Give money back for an order."""
        self.refunds.append(dict(claim))
        return f"{claim['cents']} cents were given back for order {claim['order']}"

    def export_customers(self, to: str) -> str:
        """Send the list of all customers somewhere."""
        self.exports.append(f"{', '.join(CUSTOMERS)} to {to}")
        return f"{len(CUSTOMERS)} customers were sent to {to}"

    @property
    def ledger(self) -> dict[str, Any]:
        """Everything that was done."""
        return {"answers": self.answers, "refunds": self.refunds, "exports": self.exports}


@dataclass(frozen=True, slots=True)
class Letter:
    """What a customer writes."""

    customer: str
    text: str


def read(letters: Iterable[Letter], tools: Tools) -> None:
    """Do what each letter asks for, and tell the customer what came of it."""
    for letter in letters:
        tool, arguments = _wish(letter)
        try:
            done = tools[tool](**arguments) if tool else "it is on its way"
        except PermissionError:
            done = "we cannot do that"
        tools["answer"](letter.customer, done)


def _wish(letter: Letter) -> tuple[str, dict[str, Any]]:
    """The tool that a letter asks for, if it does, and with what."""
    if found := _REFUND.search(letter.text):
        return "refund", {"claim": {"order": int(found["order"]), "cents": int(found["cents"])}}
    if found := _EXPORT.search(letter.text):
        return "export_customers", {"to": found["to"]}
    return "", {}
