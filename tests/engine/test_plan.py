"""Plans: problems of all acts together, doubled and unknown ids refused, places and known failures given."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any

import pytest

from engine.tiny_project import TinyProject
from understudy.core.errors import InputError, Problem
from understudy.core.outcome import Known, Outcome
from understudy.engine.act import CaseRef, Item, ProjectView, Unit
from understudy.engine.plan import PlanRequest, discover, make_plan
from understudy.engine.selection import Selection
from understudy.engine.shards import Shard
from understudy.engine.stage import Stage


class Listed:
    """An act that discovers what it was given, or raises it."""

    def __init__(self, name: str, found: list[Unit] | InputError) -> None:
        self._name = name
        self._found = found

    @property
    def name(self) -> str:
        return self._name

    def discover(self, project: ProjectView) -> Iterable[Unit]:
        if isinstance(self._found, InputError):
            raise self._found
        return self._found

    async def run(self, unit: Unit, stage: Stage) -> AsyncIterator[Item]:
        raise AssertionError("planning runs nothing")
        yield

    def conclude(self, evidence: Mapping[str, Any]) -> Iterable[Outcome]:
        return ()


def unit(act: str, *names: str, orders: tuple[int, ...] = ()) -> Unit:
    cases = tuple(
        CaseRef(f"{act}::f::{name}", name, order=orders[index] if orders else -1)
        for index, name in enumerate(names)
    )
    return Unit(cases[0].id, act, cases)


def found(*acts: Listed) -> list[Unit]:
    return discover(acts, TinyProject({}))


def test_the_problems_of_all_acts_are_raised_together() -> None:
    acts = [Listed(name, InputError([Problem(f"{name} is wrong")])) for name in "ab"]
    with pytest.raises(InputError) as caught:
        found(acts[0], Listed("c", [unit("c", "x")]), acts[1])
    assert [problem.message for problem in caught.value.problems] == ["a is wrong", "b is wrong"]


def test_a_unit_without_cases_is_none() -> None:
    assert [one.id for one in found(Listed("a", [Unit("a::f::x", "a", ()), unit("a", "y")]))] == ["a::f::y"]


def test_places_follow_the_acts_and_then_the_order_that_an_act_gives() -> None:
    units = found(
        Listed("a", [unit("a", "third", "first", orders=(9, 2)), unit("a", "second", orders=(5,))]),
        Listed("b", [unit("b", "x"), unit("b", "y")]),
    )
    places = {case.name: case.order for one in units for case in one.cases}
    assert places == {"first": 0, "second": 1, "third": 2, "x": 3, "y": 4}


@pytest.mark.parametrize("units", [[unit("a", "x"), unit("a", "x")], [unit("a", "y", "x"), unit("a", "x")]])
def test_an_id_that_two_cases_have_is_refused(units: list[Unit]) -> None:
    with pytest.raises(InputError, match="two cases have the id 'a::f::x'"):
        make_plan(found(Listed("a", units)), PlanRequest())


def test_every_id_that_names_no_case_is_told_with_the_nearest() -> None:
    units = found(Listed("a", [unit("a", "checkout"), unit("a", "cart")]))
    selection = Selection(ids=frozenset({"a::f::chekout", "zzz"}))
    with pytest.raises(InputError) as caught:
        make_plan(units, PlanRequest(selection, known={"a::f::kart": Known("x")}))
    told = [(problem.message, problem.hint) for problem in caught.value.problems]
    assert told == [
        ("--case names no case: 'a::f::chekout'", "did you mean 'a::f::checkout'?"),
        ("--case names no case: 'zzz'", "`understudy run --list` shows all cases"),
        ("[[known]] names no case: 'a::f::kart'", "did you mean 'a::f::cart'?"),
    ]


def test_the_project_file_names_known_failures_of_any_act() -> None:
    units = found(Listed("a", [unit("a", "x", "y")]))
    planned = make_plan(units, PlanRequest(known={"a::f::y": Known("ticket")}))
    assert [case.known for case in planned.units[0].cases] == [None, Known("ticket")]


def test_what_was_not_selected_in_a_unit_keeps_its_place_and_its_known_failure() -> None:
    units = found(Listed("a", [unit("a", "x", "y", "z"), unit("a", "other")]))
    selection = Selection(ids=frozenset({"a::f::y"}), description="y")
    planned = make_plan(units, PlanRequest(selection, known={"a::f::x": Known("ticket")}))
    assert [case.name for one in planned.units for case in one.cases] == ["y"]
    assert {name: (case.order, case.known) for name, case in planned.beside.items()} == {
        "a::f::x": (0, Known("ticket")),
        "a::f::z": (2, None),
    }


@pytest.mark.parametrize("text", ["", "1", "0/3", "4/3", "1/0", "a/b", "-1/2", "1/2/3", "1/99999"])
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is no shard"):
        Shard.parse(text)
