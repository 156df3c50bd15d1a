"""Which group of a report an outcome belongs to, how it is called there, and what kind of outcome it is."""

from __future__ import annotations

from typing import NamedTuple

from understudy.core.ids import split_case_id
from understudy.core.outcome import Outcome

# In the order in which a reader wants to see them.
KINDS = ("failed", "errored", "known", "skipped", "passed")


class Group(NamedTuple):
    """The cases of one file of one act."""

    act: str
    file: str

    def __str__(self) -> str:
        return f"{self.act}::{self.file}" if self.file else self.act


class Place(NamedTuple):
    """An outcome's group, and its name there, which is unique where the id is."""

    group: Group
    name: str


def place_of(outcome: Outcome) -> Place:
    """Where an outcome stands, as its id says.

    >>> from understudy.core.outcome import Status
    >>> place_of(Outcome(id="testbed::shop.json::get#2", act="testbed", name="get", status=Status.PASSED))
    Place(group=Group(act='testbed', file='shop.json'), name='get#2')
    """
    try:
        act, file, name = split_case_id(outcome.id)
    except (ValueError, UnicodeError):
        # A third party's act may call its cases as it likes; the id itself tells them apart.
        return Place(Group(outcome.act, ""), outcome.id)
    return Place(Group(act, file), name or outcome.name)


def kind_of(outcome: Outcome) -> str:
    """The status of an outcome, or `known` if its failure is tolerated; one of KINDS."""
    return "known" if outcome.known is not None else outcome.status.value
