"""What must hold for any plan: shards cover it once and stay put, selections keep its order, spools keep all."""

from __future__ import annotations

from collections import Counter
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from understudy.core.evidence import merge_evidence
from understudy.core.matching import compile_expression
from understudy.core.outcome import Known, Outcome, Status
from understudy.engine.act import CaseRef, Unit
from understudy.engine.evidence_book import EvidenceBook, hidden_in
from understudy.engine.known import judge_known
from understudy.engine.plan import PlanRequest, make_plan
from understudy.engine.selection import Selection
from understudy.engine.shards import Shard, take
from understudy.engine.spool import Spool

TAGS = st.lists(st.sampled_from(["smoke", "slow", "Login"]), max_size=2, unique=True).map(tuple)
NAMES = st.text("abcé:/ \ud800", min_size=1, max_size=6)


@st.composite
def plans(draw: st.DrawFn) -> list[Unit]:
    """Units of one to four cases with ids that differ, in any order of places."""
    names = draw(st.lists(NAMES, max_size=24, unique=True))
    units: list[Unit] = []
    while names:
        count = draw(st.integers(1, 4))
        group, names = names[:count], names[count:]
        cases = tuple(
            CaseRef(f"x::f::{name}", name, draw(TAGS), order=draw(st.integers(0, 99))) for name in group
        )
        units.append(Unit(cases[0].id, "x", cases, draw(st.booleans())))
    return units


DURATIONS = st.dictionaries(
    st.text("abcé:/ ", min_size=1, max_size=6).map("x::f::{}".format),
    st.floats(0, 1e6, allow_nan=False),
    max_size=20,
)


def ids(units: list[Unit]) -> list[str]:
    return [case.id for unit in units for case in unit.cases]


@given(plans(), st.integers(1, 9), st.none() | DURATIONS)
def test_the_shards_of_a_plan_have_every_unit_once_and_in_its_order(
    units: list[Unit], count: int, durations: dict[str, float] | None
) -> None:
    cut = [take(units, Shard(index, count), durations) for index in range(1, count + 1)]
    assert Counter(unit.id for shard in cut for unit in shard) == Counter(unit.id for unit in units)
    for shard in cut:
        assert shard == [unit for unit in units if unit in shard]


@given(plans(), st.integers(1, 9), st.data())
def test_a_unit_keeps_its_shard_whatever_else_is_there(
    units: list[Unit], count: int, data: st.DataObject
) -> None:
    some = [unit for unit in units if data.draw(st.booleans())]
    for index in range(1, count + 1):
        whole = take(units, Shard(index, count))
        assert take(some, Shard(index, count)) == [unit for unit in some if unit in whole]


@given(plans(), st.integers(2, 6), DURATIONS)
def test_no_shard_has_more_to_do_than_the_least_busy_one_but_for_one_unit(
    units: list[Unit], count: int, durations: dict[str, float]
) -> None:
    durations = {case.id: durations.get(case.id, 5.0) for unit in units for case in unit.cases}
    weight = {unit.id: sum(durations[case.id] for case in unit.cases) for unit in units}
    cut = [take(units, Shard(index, count), durations) for index in range(1, count + 1)]
    loads = [sum(weight[unit.id] for unit in shard) for shard in cut]
    for shard, load in zip(cut, loads, strict=True):
        smallest = min((weight[unit.id] for unit in shard), default=0.0)
        assert load - smallest <= min(loads) + 1e-6 * max(1.0, load)
    if not any(weight.values()):
        assert max(map(len, cut), default=0) - min(map(len, cut), default=0) <= 1


@given(
    plans(),
    st.sampled_from(["a", "b or not a", "smoke", "not slow and 'f::'"]),
    st.sampled_from(["", "smoke", "not login"]),
)
def test_a_selection_keeps_the_order_and_is_the_same_when_asked_again(
    units: list[Unit], keyword: str, tags: str
) -> None:
    selection = Selection(compile_expression(keyword), compile_expression(tags) if tags else None)
    narrowed = selection.narrow(units)
    assert ids(narrowed) == [case.id for unit in units for case in unit.cases if selection.wants(case)]
    assert all(unit.cases for unit in narrowed)
    assert selection.narrow(narrowed) == narrowed
    assert Selection(ids=frozenset(ids(narrowed))).narrow(units) == narrowed


@given(plans(), st.integers(1, 4), st.integers(0, 3), st.data())
def test_a_plan_counts_what_it_runs_and_knows_what_it_left_beside(
    units: list[Unit], count: int, seed: int, data: st.DataObject
) -> None:
    wanted = frozenset(identifier for identifier in ids(units) if data.draw(st.booleans()))
    request = PlanRequest(Selection(ids=wanted, description="some"), seed=seed, shuffle=bool(seed))
    planned = make_plan(units, request)
    assert planned.plan.cases == planned.selected == len(wanted)
    assert set(ids(list(planned.units))) == wanted
    whole = {unit.id: unit for unit in units}
    beside = {case.id for unit in planned.units for case in whole[unit.id].cases} - wanted
    assert set(planned.beside) == beside
    assert make_plan(units, request) == planned
    shards = [
        make_plan(units, PlanRequest(request.selection, Shard(index, count), seed=seed))
        for index in range(1, count + 1)
    ]
    assert {shard.plan.fingerprint for shard in shards} == {shards[0].plan.fingerprint}
    assert sum(shard.plan.cases for shard in shards) == len(wanted)


@given(plans(), plans())
def test_plans_of_different_cases_have_different_fingerprints(left: list[Unit], right: list[Unit]) -> None:
    same = make_plan(left, PlanRequest()).plan.fingerprint == make_plan(right, PlanRequest()).plan.fingerprint
    assert same == (ids(left) == ids(right))


@given(st.lists(st.tuples(st.integers(0, 20), st.text(max_size=5)), max_size=30), st.data())
def test_the_spool_gives_outcomes_back_by_position_and_then_as_they_came(
    entries: list[tuple[int, str]], data: st.DataObject
) -> None:
    with Spool() as spool:
        for number, (position, text) in enumerate(entries):
            spool.append(position, Outcome(str(number), "x", text, Status.PASSED))
            if data.draw(st.booleans()):
                next(iter(spool))  # reading in between, and no further, disturbs nothing
        expected = sorted(range(len(entries)), key=lambda number: entries[number][0])
        together = list(zip(spool, spool, strict=True))
        assert [int(first.id) for first, _ in together] == expected
        assert all(first == second for first, second in together)
        assert [outcome.name for outcome in spool] == [entries[number][1] for number in expected]
        assert list(spool.positions) == sorted(position for position, _ in entries)


EVIDENCE = st.dictionaries(
    st.sampled_from(["hits", "seen"]),
    st.dictionaries(st.sampled_from("abc"), st.integers(0, 5), max_size=3),
    max_size=2,
)


@given(st.lists(EVIDENCE, max_size=12))
def test_a_book_of_evidence_tells_what_merging_one_by_one_tells(
    pieces: list[dict[str, dict[str, int]]],
) -> None:
    book, merged = EvidenceBook(), dict[str, object]()
    for piece in pieces:
        book.add(piece)
        merged = merge_evidence(merged, piece)
    assert book.whole() == merged
    assert hidden_in(merged, str) == merged


@given(
    st.sampled_from(list(Status)),
    st.dates(date(2020, 1, 1), date(2030, 1, 1)),
    st.none() | st.dates(),
    st.booleans(),
)
def test_a_known_failure_is_green_only_while_it_fails_within_its_time(
    status: Status, today: date, until: date | None, is_row: bool
) -> None:
    outcome = Outcome("a", "x", "a", status, parent="case" if is_row else "")
    judged = judge_known(outcome, Known("ticket", until.isoformat() if until else ""), today)
    fails = status in (Status.FAILED, Status.ERRORED)
    in_time = until is None or today <= until
    assert (judged.known is not None) == (fails and in_time)
    stale = (fails and not in_time) or (status is Status.PASSED and not is_row)
    assert judged.is_bad == stale
