"""A collection: the face that a connector's objects have to those who read and write them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from understudy.core.errors import InputError, Problem

if TYPE_CHECKING:
    from understudy.simulation.connector import SimulationConnector

# What stands in a path as it is, and cannot be taken for anything else there.
_IN_PATH = re.compile(r"[A-Za-z0-9_~-][A-Za-z0-9._~-]*")


@dataclass(frozen=True, slots=True)
class TaxiiCollection:
    """One collection. Several may show the same connector, each allowing something else.

    `id` is made from the title if it is not given, so that it is the same in every run. `connector` is None for
    the one that the whole server is given. With `settle_after`, objects that are posted are pending until their
    status was asked for so many times; only then are they written.

    >>> TaxiiCollection("Indicators").id
    '3cdfa37b-13de-4454-81f5-2c13370d75a5'
    """

    title: str = "Objects"
    id: str = ""
    alias: str = ""
    description: str = ""
    can_read: bool = True
    can_write: bool = True
    connector: SimulationConnector | None = None
    settle_after: int = 0

    def __post_init__(self) -> None:
        if not self.title:
            raise InputError("the title of a collection is empty: TAXII asks for one")
        if not self.id:
            object.__setattr__(self, "id", _id_of(self.title))
        for name, value in (("id", self.id), ("alias", self.alias)):
            if value and not _IN_PATH.fullmatch(value):
                hint = "it is a part of addresses: take letters, digits, '-', '_', '.' and '~'"
                raise InputError([Problem(f"the {name} of a collection is {value!r}", hint=hint)])
        if self.settle_after < 0:
            raise InputError(f"settle_after is {self.settle_after}: it is how often a status is asked for")


def checked_collections(given: Iterable[TaxiiCollection]) -> Sequence[TaxiiCollection]:
    """The collections of a server. Raises InputError if two of them have the same id or alias."""
    collections = tuple(given)
    names = [name for one in collections for name in (one.id, one.alias) if name]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        hint = "give each a title, or an id and an alias, of its own"
        raise InputError([Problem(f"two collections are called {twice!r}", hint=hint)])
    return collections


def _id_of(title: str) -> str:
    return str(UUID(bytes=hashlib.sha256(title.encode("utf-8")).digest()[:16], version=4))
