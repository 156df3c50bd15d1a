"""The plan: every unit that will run, in a fixed order, each of its cases with its place in the reports."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from understudy.core.errors import ActDefect, InputError, Problem, UnderstudyError
from understudy.core.nearness import closest_name
from understudy.core.outcome import Known, Location
from understudy.core.report import Plan
from understudy.engine.act import Act, CaseRef, ProjectView, Unit
from understudy.engine.selection import Selection
from understudy.engine.shards import Shard, fingerprint, take


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """What the user asked of a plan."""

    selection: Selection = field(default_factory=Selection)
    shard: Shard = field(default_factory=Shard)
    durations: Mapping[str, float] | None = None
    known: Mapping[str, Known] = field(default_factory=dict)
    known_places: Mapping[str, Location] = field(default_factory=dict)
    seed: int = 0
    shuffle: bool = False


@dataclass(frozen=True, slots=True)
class Planned:
    """The units to run and what the report says of them; `selected` counts the cases of all shards.

    `beside` are the cases of these units that were not selected; an act may run them for those that were.
    """

    units: Sequence[Unit]
    plan: Plan
    selected: int = 0
    beside: Mapping[str, CaseRef] = field(default_factory=dict)


def discover(acts: Iterable[Act], project: ProjectView) -> list[Unit]:
    """All units of all acts; the problems of all acts are raised together."""
    units: list[Unit] = []
    problems: list[Problem] = []
    for act in acts:
        try:
            units.extend(unit for unit in act.discover(project) if unit.cases)
        except InputError as error:
            problems.extend(error.problems)
        except (UnderstudyError, MemoryError):
            raise
        except (Exception, SystemExit) as error:
            raise ActDefect(act.name, "looked for its units") from error
    if problems:
        raise InputError(problems)
    return _placed(units)


def make_plan(units: list[Unit], request: PlanRequest) -> Planned:
    """Select, cut into shards and order what was discovered."""
    _refuse_doubles(units)
    _refuse_unknown_ids(units, request)
    units = _with_known(units, request.known)
    selected = request.selection.narrow(units)
    mark = fingerprint(selected, request.shard.count, request.durations)
    mine = take(selected, request.shard, request.durations)
    if request.shuffle:
        random.Random(request.seed).shuffle(mine)  # noqa: S311 - an order to rehearse, no secret
    plan = Plan(
        fingerprint=mark,
        cases=sum(len(unit.cases) for unit in mine),
        shard=request.shard.index,
        shards=request.shard.count,
        selection=request.selection.description,
        seed=request.seed,
    )
    return Planned(mine, plan, sum(len(unit.cases) for unit in selected), _beside(units, mine))


def _beside(units: Iterable[Unit], mine: Iterable[Unit]) -> dict[str, CaseRef]:
    """The cases that selecting took out of units that are run."""
    whole = {unit.id: unit for unit in units if len(unit.cases) > 1}
    left: dict[str, CaseRef] = {}
    for unit in mine:
        if unit.id in whole and whole[unit.id] is not unit:
            kept = {case.id for case in unit.cases}
            left.update((case.id, case) for case in whole[unit.id].cases if case.id not in kept)
    return left


def _placed(units: list[Unit]) -> list[Unit]:
    """Give every case its place: acts in the order they came, cases as the act orders them."""
    acts = {name: index for index, name in enumerate(dict.fromkeys(unit.act for unit in units))}
    running = 0
    keys: list[tuple[int, int, int]] = []
    for unit in units:
        for case in unit.cases:
            keys.append((acts[unit.act], case.order if case.order >= 0 else running, running))
            running += 1
    places = [0] * running
    for place, key in enumerate(sorted(keys)):
        places[key[2]] = place
    numbers = iter(places)
    return [replace(unit, cases=tuple(_at(case, next(numbers)) for case in unit.cases)) for unit in units]


def _at(case: CaseRef, place: int) -> CaseRef:
    return case if case.order == place else replace(case, order=place)


def _with_known(units: list[Unit], known: Mapping[str, Known]) -> list[Unit]:
    if not known:
        return units
    return [
        replace(
            unit,
            cases=tuple(replace(c, known=known[c.id]) if c.id in known else c for c in unit.cases),
        )
        if any(case.id in known for case in unit.cases)
        else unit
        for unit in units
    ]


def _refuse_doubles(units: Iterable[Unit]) -> None:
    seen: set[str] = set()
    doubled: dict[str, None] = {}
    for unit in units:
        for case in unit.cases:
            if case.id in seen:
                doubled[case.id] = None
            seen.add(case.id)
    if doubled:
        hint = "an act must number them"
        raise InputError(
            [Problem(f"two cases have the id {case!r}", hint=hint) for case in islice(doubled, 20)]
        )


def _refuse_unknown_ids(units: Iterable[Unit], request: PlanRequest) -> None:
    """An id that names nothing would silently run, or tolerate, nothing."""
    asked = [(identifier, "--case") for identifier in sorted(request.selection.ids or ())]
    asked += [(identifier, "[[known]]") for identifier in request.known]
    if not asked:
        return
    ids = {case.id for unit in units for case in unit.cases}
    problems = []
    for identifier, origin in asked:
        if identifier not in ids:
            near = closest_name(identifier, islice(sorted(ids), 5000))
            hint = f"did you mean {near!r}?" if near else "`understudy run --list` shows all cases"
            place = request.known_places.get(identifier) if origin == "[[known]]" else None
            problem = Problem(f"{origin} names no case: {identifier!r}", hint=hint)
            if place is not None:
                problem = replace(problem, file=place.file, line=place.line, column=place.column)
            problems.append(problem)
    if problems:
        raise InputError(problems)
