"""Counts, durations and values read as people would write them."""

from __future__ import annotations

from typing import Any

import pytest

from understudy.core.report import Plan, Report, Summary
from understudy.reporting.wording import (
    duration_in_words,
    in_words,
    plain,
    shortened,
    stopped_in_words,
    value_text,
)


def test_counts_come_in_a_fixed_order_and_zeros_are_left_out() -> None:
    assert in_words(Summary(6, 1, 2, 0, 1, 2)) == "1 passed, 2 failed, 2 known failures, 1 skipped"
    assert in_words(Summary()) == "no cases"


@pytest.mark.parametrize(
    ("milliseconds", "words"),
    [(0, "0.0 ms"), (499, "499 ms"), (812, "0.8 s"), (59_900, "59.9 s"), (119_600, "2 min 0 s")],
)
def test_durations(milliseconds: float, words: str) -> None:
    assert duration_in_words(milliseconds) == words


def test_a_run_that_was_stopped_after_all_cases_misses_none() -> None:
    report = Report(Summary(), [], Plan(cases=3), stopped="interrupted")
    assert stopped_in_words(report, 1) == "stopped early (interrupted): 2 of 3 cases not run"
    assert stopped_in_words(report, 4) == "stopped early (interrupted)"
    assert stopped_in_words(Report(Summary(), []), 0) == ""


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "null"), ("as it is", "as it is"), (True, "true"), ([], "[]"), (float("nan"), '"nan"')],
)
def test_values(value: Any, text: str) -> None:
    assert value_text(value) == text


def test_long_texts_are_cut_with_a_note() -> None:
    assert shortened("x" * 1500, 500) == "x" * 500 + "… (1,000 more characters)"


def test_a_value_without_end_is_cut() -> None:
    loop: dict[str, Any] = {}
    loop["again"] = loop
    assert plain(loop, depth=2) == {"again": {"again": "…"}}
