"""Where outcomes go on the page: by file, under the topmost outcome they belong to."""

from __future__ import annotations

from reporting.sample_reports import failed, outcome
from understudy.core.outcome import Outcome
from understudy.reporting.html_tree import Layout


def layout_of(outcomes: list[Outcome]) -> Layout:
    layout = Layout({each.parent for each in outcomes})
    for each in outcomes:
        layout.add(each)
    layout.settle()
    return layout


def trees(outcomes: list[Outcome]) -> list[tuple[int, list[int], str]]:
    return [(tree.root, list(tree.rows), tree.worst) for tree in layout_of(outcomes).trees()]


def test_rows_of_rows_stand_under_the_topmost_case_wherever_it_comes() -> None:
    top = "testbed::shop.json::top"
    middle = "testbed::shop.json::middle"
    outcomes = [
        outcome("leaf", parent=middle),
        outcome("middle", parent=top),
        outcome("alone"),
        outcome("top"),
    ]
    assert trees(outcomes) == [(2, [], "passed"), (3, [0, 1], "passed")]


def test_a_tree_is_as_bad_as_the_worst_in_it_and_what_failed_goes_first() -> None:
    top = "testbed::shop.json::top"
    outcomes = [outcome("top"), outcome("a", parent=top), failed("b", parent=top), outcome("c", parent=top)]
    assert trees(outcomes) == [(0, [2, 1, 3], "failed")]


def test_settling_counts_the_cases_that_are_no_rows() -> None:
    layout = Layout({"testbed::shop.json::a"})
    for each in (outcome("a"), outcome("b", parent="testbed::shop.json::a")):
        layout.add(each)
    assert layout.settle() == 1
