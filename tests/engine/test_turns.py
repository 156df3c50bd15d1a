"""Units are handed out in their order, several at a time to acts that foresee, and singly at the end."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any

from looping import in_a_loop
from understudy.core.outcome import Outcome, Status
from understudy.engine.act import CaseRef, Item, ProjectView, Unit
from understudy.engine.executors import EXECUTORS, Job, open_executor
from understudy.engine.executors.turns import MOST_AT_ONCE, Turns
from understudy.engine.stage import Stage


class Plain:
    name = "plain"

    def discover(self, project: ProjectView) -> Iterable[Unit]:
        return ()

    async def run(self, unit: Unit, stage: Stage) -> AsyncIterator[Item]:
        yield Outcome(unit.id, self.name, unit.id, Status.PASSED)

    def conclude(self, evidence: Mapping[str, Any]) -> Iterable[Outcome]:
        return ()


class Foreseeing(Plain):
    name = "foreseeing"

    def __init__(self, *, fails: bool = False) -> None:
        self.fails = fails
        self.foreseen: list[str] = []
        self.ran: list[str] = []

    async def foresee(self, units: Sequence[Unit], worker: Stage) -> None:
        if self.fails:
            raise RuntimeError("it cannot see that far")
        self.foreseen += [unit.id for unit in units]

    async def run(self, unit: Unit, stage: Stage) -> AsyncIterator[Item]:
        self.ran.append(unit.id)
        yield Outcome(unit.id, self.name, unit.id, Status.PASSED)


def units(act: str, count: int) -> list[Unit]:
    return [Unit(f"{act}{number}", act, (CaseRef(f"{act}{number}", "case"),)) for number in range(count)]


def handed_out(waiting: list[Unit], takers: int) -> list[list[Unit]]:
    turns = Turns(waiting, {"plain": Plain(), "foreseeing": Foreseeing()}, takers)
    return list(iter(turns.take, []))


def test_every_unit_is_handed_out_once_and_in_order() -> None:
    waiting = units("foreseeing", 70) + units("plain", 5) + units("foreseeing", 9)
    taken = handed_out(waiting, 2)
    assert [unit for several in taken for unit in several] == waiting
    assert all(len({unit.act for unit in several}) == 1 for several in taken)


def test_an_act_that_foresees_gets_several_and_single_ones_when_few_are_left() -> None:
    sizes = [len(several) for several in handed_out(units("foreseeing", 100), 2)]
    assert sizes[0] == MOST_AT_ONCE
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-2:] == [1, 1]


def test_other_acts_get_one_at_a_time() -> None:
    assert {len(several) for several in handed_out(units("plain", 100), 1)} == {1}


async def execute(act: Foreseeing, executor: str, stop_after: int = 1000) -> list[str]:
    told: list[str] = []
    job = Job(
        {act.name: act},
        Stage(),
        lambda _, item: told.append(item.id) if isinstance(item, Outcome) else None,
        lambda outcome: None,
        lambda: len(told) >= stop_after,
    )
    await open_executor(executor).execute(units(act.name, 40), job)
    return told


@in_a_loop
async def test_an_act_is_told_of_the_units_that_it_is_then_given_in_that_order() -> None:
    act = Foreseeing()
    told = await execute(act, "serial")
    assert told == act.ran == [unit.id for unit in units("foreseeing", 40)]
    assert act.foreseen == act.ran[: len(act.foreseen)]
    assert len(act.foreseen) > MOST_AT_ONCE


@in_a_loop
async def test_nothing_is_run_after_a_stop_however_much_was_foreseen() -> None:
    act = Foreseeing()
    assert (
        await execute(act, "serial", stop_after=3) == act.ran == ["foreseeing0", "foreseeing1", "foreseeing2"]
    )
    assert len(act.foreseen) == MOST_AT_ONCE


@in_a_loop
async def test_an_act_that_cannot_foresee_runs_all_the_same() -> None:
    assert EXECUTORS.keys() >= {"serial", "concurrent"}
    for executor in ("serial", "concurrent"):
        assert len(await execute(Foreseeing(fails=True), executor)) == 40
