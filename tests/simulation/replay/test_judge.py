"""Two runs are compared: every kind of difference by its own name, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from understudy.simulation.replay.judge import (
    Finding,
    Kind,
    failing_of,
    judge_contents,
    judge_ids,
    judge_repeats,
    judge_replayed_writes,
    judge_runs,
)
from understudy.simulation.replay.record import Run, Write
from understudy.simulation.replay.snapshot import ids_of, snapshots

IDS = st.lists(st.sampled_from("abcdef"), max_size=8)


def run_of(objects: list[dict[str, Any]]) -> Run:
    return Run(ids=tuple(ids_of(objects)), contents=dict(snapshots(objects)), count=len(objects))


@settings(deadline=None)
@given(before=IDS, after=IDS)
def test_ids_are_judged_as_sets_bags_and_lists(before: list[str], after: list[str]) -> None:
    found = list(judge_ids(before, after, ordered=True))
    texts = {finding.kind: set(finding.texts) for finding in found}

    assert texts.get("missing", set()) == set(before) - set(after)
    assert texts.get("added", set()) == set(after) - set(before)
    assert (found == []) == (before == after)
    assert ("order" in texts) == (before != after and sorted(before) == sorted(after))
    assert all(finding.diff for finding in found)


def test_many_ids_are_named_in_part_and_listed_as_a_diff() -> None:
    (finding,) = judge_ids([f"id-{number:03}" for number in range(100)], [])

    assert finding.message == '100 ids are missing: "id-000", "id-001", "id-002" and 97 more'
    assert finding.diff.splitlines()[0] == "-id-000"
    assert finding.diff.splitlines()[-1] == "… and 60 more"
    assert len(finding.texts) == 100


def test_ids_that_are_no_texts_are_judged_by_what_they_hold() -> None:
    (missing, added) = judge_ids([7, {"a": 1}], [{"a": 1}, None])  # type: ignore[list-item]  # as pipelines may

    assert (missing.texts, added.texts) == (("7",), ("null",))


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ({"n": 1}, {"n": 1.0}, ""),
        ({"n": 1, "m": 2}, {"m": 2, "n": 1}, ""),
        ({"n": 1}, {"n": True}, "a has changed at $.n: expected 1 (number), got true (boolean)"),
        ({"n": [1]}, {"n": [1, 2]}, "a has changed at $.n[1]: was not expected, got 2"),
        ({"n": b"x"}, {"n": b"y"}, 'a has changed at $.n[\'$bytes\']: expected "78", got "79"'),
        (
            {"n": 1, "m": 1},
            {"n": 2, "m": 2},
            "a has changed at $.m: expected 1, got 2 (and 1 more difference)",
        ),
    ],
)
def test_contents_differ_by_path(before: dict[str, Any], after: dict[str, Any], message: str) -> None:
    first, again = run_of([{"id": "a", **before}]), run_of([{"id": "a", **after}])

    found = [str(finding) for finding in judge_contents(first.contents, again.contents)]

    assert found == ([message] if message else [])


def test_of_very_many_findings_the_last_are_counted() -> None:
    first = run_of([{"id": str(number), "n": 1} for number in range(1_000)])
    again = run_of([{"id": str(number), "n": 2} for number in range(1_000)])
    writes = tuple(Write(step, "feed", "append", "", "h") for step in range(1_000))

    changed = judge_runs(first, again)
    written = judge_runs(Run(), Run(writes=writes))

    assert (len(changed), changed[-1].message) == (201, "800 more objects have changed")
    assert (len(written), written[-1].message) == (201, "800 more findings of the kind above")
    assert {finding.kind for finding in changed} == {"changed"}


def test_objects_with_one_id_are_told_apart_by_number() -> None:
    first, again = run_of([{"id": "a"}, {"id": "a", "n": 1}]), run_of([{"id": "a"}, {"id": "a", "n": 2}])

    (finding,) = judge_runs(first, again)

    assert finding.message == "a (2) has changed at $.n: expected 1, got 2"


def test_a_replay_that_writes_less_is_fine() -> None:
    writes = (Write(1, "feed", "upsert_object", "a", "h"), Write(2, "feed", "upsert_object", "b", "h"))

    assert list(judge_replayed_writes(writes, writes[1:])) == []
    assert list(judge_replayed_writes(writes, ())) == []


def test_the_same_key_on_another_connector_is_another_write() -> None:
    one, other = Write(1, "feed", "upsert", "a", "h"), Write(2, "mail", "upsert", "a", "h")

    assert list(judge_repeats([one, other])) == []
    assert len(list(judge_replayed_writes([one], [other]))) == 1


def test_deleting_twice_is_no_double_write() -> None:
    writes = [Write(step, "feed", "delete_object", "a", "") for step in (1, 2)]

    assert list(judge_repeats(writes)) == []


def test_by_ids_only_what_no_replay_may_do_fails() -> None:
    kinds: tuple[Kind, ...] = ("missing", "added", "repeated", "changed", "order", "write", "error", "empty")
    findings = [Finding(kind, kind) for kind in kinds]

    def failing(**options: Any) -> set[str]:
        return {finding.kind for finding in failing_of(findings, **options)}

    assert failing(compare="ids", ordered=False) == {"missing", "error"}
    assert failing(compare="ids", ordered=True) == {"missing", "error", "order"}
    assert failing(compare="content", ordered=False) == set(kinds)
