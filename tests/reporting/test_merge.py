"""The reports of all shards become the report of the whole, and nothing else can be merged by accident."""

from __future__ import annotations

import io
import itertools
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.sample_reports import failed, outcome, report_of
from understudy.core.errors import InputError
from understudy.core.outcome import Attachment, Known, Outcome, Status
from understudy.core.report import Plan, Report, Summary
from understudy.reporting.json_report import write_json
from understudy.reporting.merge import merge_reports


def shard(number: int, outcomes: Sequence[Outcome] = (), of: int = 2, **more: Any) -> Report:
    more.setdefault("plan", Plan("f00d", len(outcomes), number, of, seed=7))
    return report_of(outcomes, **more)


def merged(*reports: Report, **more: Any) -> Report:
    return merge_reports(reports, [f"{report.plan.shard}.json" for report in reports], **more)


def text_of(report: Report) -> str:
    out = io.StringIO()
    write_json(report, out, "1")
    return out.getvalue()


def refusal(*reports: Report) -> str:
    with pytest.raises(InputError) as caught:
        merged(*reports)
    return str(caught.value)


def three() -> list[Report]:
    return [
        shard(
            1,
            [outcome("a"), failed("e", "401 for <secret 1>, not <secret 2>")],
            3,
            positions=[0, 4],
            evidence={"hits": {"x": 1}, "seen": ["b"]},
            stopped="interrupted",
            duration_ms=5.0,
            attachments=(Attachment("app", "token <secret 2>"),),
        ),
        shard(
            2,
            [outcome("b", Status.SKIPPED, reason="no"), outcome("c", notes=("<secret 1>",)), outcome("d")],
            3,
            positions=[1, 2, 2],
            evidence={"hits": {"x": 2, "y": 1}, "seen": ["a"], "by <secret 1>": 1},
            duration_ms=9.0,
        ),
        shard(
            3,
            [failed("f", known=Known("SHOP-1 <secret 3>"))],
            3,
            positions=[5],
            stopped="stopped by <secret 3>",
        ),
    ]


def test_outcomes_stand_in_the_order_of_the_plan() -> None:
    report = merged(*three())
    assert [each.name for each in report.outcomes] == ["a", "b", "c", "d", "e", "f"]
    assert [each.name for each in report.outcomes] == ["a", "b", "c", "d", "e", "f"], (
        "a second reading is the same"
    )
    assert list(report.positions) == [0, 1, 2, 2, 4, 5]


def test_what_shards_counted_and_saw_is_added_up() -> None:
    report = merged(*three())
    assert report.summary == Summary(total=6, passed=3, failed=1, skipped=1, known=1)
    assert report.plan == Plan("f00d", 6, 1, 1, seed=7)
    assert report.plan.is_whole
    assert report.evidence == {"hits": {"x": 3, "y": 1}, "seen": ["a", "b"], "by <secret 3>": 1}
    assert report.duration_ms == 9.0


def test_reasons_for_stopping_are_kept_with_their_shard() -> None:
    assert merged(*three()).stopped == "shard 1: interrupted; shard 3: stopped by <secret 6>"


def test_secrets_of_different_shards_stay_different() -> None:
    text = text_of(merged(*three()))
    assert "401 for <secret 1>, not <secret 2>" in text
    assert "token <secret 2>" in text
    outcomes = {each.name: each for each in merged(*three()).outcomes}
    assert outcomes["c"].notes == ("<secret 3>",)
    assert outcomes["f"].known == Known("SHOP-1 <secret 6>")


def test_the_order_in_which_reports_are_given_does_not_matter() -> None:
    texts = {text_of(merged(*order)) for order in itertools.permutations(three())}
    assert len(texts) == 1


@given(st.lists(st.integers(0, 2), min_size=1, max_size=30))
def test_shards_of_any_cut_give_what_the_whole_gives(owners: list[int]) -> None:
    whole = [outcome(f"case {number}") for number in range(len(owners))]
    shards = [
        shard(
            index + 1,
            [each for each, owner in zip(whole, owners, strict=True) if owner == index],
            3,
            positions=[place for place, owner in enumerate(owners) if owner == index],
        )
        for index in range(3)
    ]
    assert list(merged(*reversed(shards)).outcomes) == whole


def test_without_positions_shards_follow_one_another() -> None:
    report = merged(shard(2, [outcome("b")]), shard(1, [outcome("a")]))
    assert [each.name for each in report.outcomes] == ["a", "b"]
    assert list(report.positions) == []


def test_shards_of_different_plans_are_refused() -> None:
    assert refusal(shard(1), shard(2, plan=Plan("beef", 0, 2, 2))).startswith(
        "2.json: is a shard of another plan than 1.json"
    )


def test_the_same_shard_twice_is_refused() -> None:
    assert "is shard 1 of 2, and so is 1.json (give every shard once)" in refusal(
        shard(1), shard(1), shard(2)
    )


def test_a_missing_shard_is_refused() -> None:
    assert refusal(shard(2, of=3)) == (
        "shard 1 of 3 is missing (give its report too, or merge with --partial)\n"
        "shard 3 of 3 is missing (give its report too, or merge with --partial)"
    )


def test_a_shard_beyond_the_last_is_refused() -> None:
    assert "calls itself shard 5 of 2" in refusal(shard(1), shard(5))


def test_a_plan_of_absurdly_many_shards_is_refused_in_one_line() -> None:
    assert refusal(shard(1, of=10**9)).count("\n") == 0


def test_a_partial_merge_says_that_it_is_one_and_is_not_judged_as_the_whole() -> None:
    report = merged(shard(2, [outcome("b")], 3), shard(3, [outcome("c")], 3), partial=True)
    assert report.stopped == "merged from 2 of 3 shards"
    assert not report.plan.is_whole


@pytest.mark.parametrize("where", [1, 2])
def test_an_id_that_occurs_twice_is_refused(where: int) -> None:
    reports = [shard(1, [outcome("a")]), shard(2)]
    reports[where - 1] = shard(where, [*reports[where - 1].outcomes, outcome("x"), outcome("a")])
    expected = {
        1: "1.json: has the case testbed::shop.json::a twice",
        2: "2.json: has the case testbed::shop.json::a, ",
    }
    assert refusal(*reports).startswith(expected[where])


def test_no_report_and_evidence_that_clashes_are_the_users_errors() -> None:
    assert "no report to merge" in refusal()
    clash = shard(1, evidence={"a": 1}), shard(2, evidence={"a": "x"})
    assert "evidence at 'a' is a number in one place and a list in another, among 1.json, 2.json" in refusal(
        *clash
    )
