"""A suite file as the project runs it: checked whole, then kept small, one compact text a case."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from understudy.core.errors import InputError, Problem
from understudy.core.files import read_text
from understudy.core.outcome import Known, Location
from understudy.documents.json import JSON_LIMIT, load_json
from understudy.documents.json_places import root_place
from understudy.documents.positions import Document, Positions
from understudy.documents.validate import problem_at, validate
from understudy.testbed.cases import Case
from understudy.testbed.items import Item
from understudy.testbed.models import GraphQLCase, HTTPCase, Suite
from understudy.testbed.ties import names_of

# Keys that tie a case to others; without them in a file, every one of its cases stands alone.
_TIES = ('"capture"', '"needs"', '"finally"')


@dataclass(slots=True)
class Slot:
    """A case that is kept as compact JSON until it runs, and what a plan has to know of it."""

    holder: Holder
    number: int
    data: bytes
    name: str
    tags: tuple[str, ...]
    known: Known | None
    is_scripted: bool

    def item(self) -> Item:
        """The case, read again."""
        holder = self.holder
        item = Item(holder.protocol, holder.owner, self._case(), 0)
        if b"${" in self.data:
            item.names = frozenset(names_of(item))
        return item

    def _case(self) -> Case:
        try:
            return self.holder.model.model_validate_json(self.data)
        except ValidationError:
            # Half of a surrogate pair: JSON can say it, and so can Python, but pydantic's own reader does not.
            return self.holder.model.model_validate(json.loads(self.data))


@dataclass(slots=True)
class Holder:
    """A route or endpoint and its cases; `place` is where it stands in the suite file."""

    protocol: str
    place: tuple[str | int, ...]
    model: type[Case]
    slots: list[Slot] = field(default_factory=list)
    owner: Any = None


@dataclass(slots=True)
class SuiteFile:
    """One suite: `suite` has every route and endpoint but none of their cases, which the holders keep."""

    path: Path
    suite: Suite
    holders: list[Holder]
    is_tied: bool
    version: tuple[int, int]
    _marks: dict[tuple[str | int, ...], array[int]] | None = None

    def location(self, slot: Slot, file: str) -> Location:
        """Where a case stands. The file is read again when the first case fails, and all places are noted then."""
        if self._marks is None:
            self._marks = self._noted()
        marks = self._marks.get(slot.holder.place)
        if marks is None:
            return Location(file)
        return Location(file, marks[2 * slot.number], marks[2 * slot.number + 1])

    def _noted(self) -> dict[tuple[str | int, ...], array[int]]:
        """Line and column of every case, by its holder's place; nothing if the file is no longer what was checked."""
        try:
            if _version(self.path) != self.version:
                return {}
            positions = Positions(root_place(read_text(self.path, limit=JSON_LIMIT)))
            return {holder.place: _places(holder, positions) for holder in self.holders}
        except (OSError, ValueError, IndexError, InputError):
            return {}


def read_suite_file(path: Path) -> SuiteFile:
    """Read a suite and check it and every case; raises InputError with all problems."""
    try:
        version = _version(path)
    except OSError:
        version = (0, 0)  # reading it says in better words what is wrong with it
    document = load_json(path)
    if not isinstance(document.data, dict):
        raise InputError([problem_at(document, (), "is not a suite: the file must hold an object")])
    problems: list[Problem] = []
    holders = list(_holders(document.data))
    for holder in holders:
        _fill(holder, document, problems)
    for holder in holders:
        _at(document.data, holder.place).pop("cases", None)
    try:
        suite = validate(Suite, document)
    except InputError as error:
        problems.extend(error.problems)
    if problems:
        raise InputError(problems)
    for holder in holders:
        _attach(holder, suite)
    tied = any(key.encode() in slot.data for holder in holders for slot in holder.slots for key in _TIES)
    return SuiteFile(path, suite, holders, tied, version)


def _version(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_mtime_ns, found.st_size


def _places(holder: Holder, positions: Positions) -> array[int]:
    cases = positions.below((*holder.place, "cases"))
    return array("Q", (number for slot in holder.slots for number in cases.value((slot.number,))))


def _holders(data: dict[str, Any]) -> Iterator[Holder]:
    """All routes and endpoints that look like such; what does not is reported by the suite's model."""
    for protocol, key, model in (("http", "routes", HTTPCase), ("graphql", "endpoints", GraphQLCase)):
        part = data.get(protocol)
        owners = part.get(key) if isinstance(part, dict) else None
        if isinstance(owners, list):
            for number, owner in enumerate(owners):
                if isinstance(owner, dict):
                    yield Holder(protocol, (protocol, key, number), model)


def _fill(holder: Holder, document: Document, problems: list[Problem]) -> None:
    """Check the cases of a holder, one at a time, so that only their compact form stays in memory."""
    cases = _at(document.data, holder.place).get("cases")
    if cases is not None and not isinstance(cases, list):
        problems.append(problem_at(document, (*holder.place, "cases"), "'cases' must be a list"))
        return
    for number, raw in enumerate(cases or ()):
        try:
            case = validate(holder.model, document, (*holder.place, "cases", number))
        except InputError as error:
            problems.extend(error.problems)
            continue
        data = json.dumps(raw, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
        known = Known(case.known.reason, case.known.until) if case.known is not None else None
        holder.slots.append(Slot(holder, number, data, case.name, tuple(case.tags), known, case.is_scripted))


def _attach(holder: Holder, suite: Suite) -> None:
    number = int(holder.place[2])
    if holder.protocol == "graphql":
        holder.owner = suite.graphql.endpoints[number]
        return
    route = suite.http.routes[number]
    holder.owner = route
    holder.protocol = "websocket" if route.websocket else "http"


def _at(data: Any, place: tuple[str | int, ...]) -> Any:
    for step in place:
        data = data[step]
    return data
