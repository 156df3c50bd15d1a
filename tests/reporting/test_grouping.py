"""An outcome's group and name come from its id, whoever made it."""

from __future__ import annotations

import pytest

from reporting.sample_reports import failed, outcome
from understudy.core.ids import case_id
from understudy.core.outcome import Known, Outcome, Status
from understudy.reporting.grouping import Group, kind_of, place_of


def test_the_name_keeps_the_number_that_tells_it_apart() -> None:
    case = Outcome(id="testbed::a.json::get#2", act="testbed", name="get", status=Status.PASSED)
    assert place_of(case) == (Group("testbed", "a.json"), "get#2")


def test_escaped_parts_are_read_back() -> None:
    case = Outcome(id=case_id("x", "a::b", "c\nd"), act="x", name="c", status=Status.PASSED)
    assert place_of(case) == (Group("x", "a::b"), "c\nd")


@pytest.mark.parametrize("identifier", ["whatever", "a::b", "a::b::c::d", "a::b::\\u12"])
def test_an_id_of_another_form_is_a_name_in_its_act(identifier: str) -> None:
    case = Outcome(id=identifier, act="third", name="n", status=Status.PASSED)
    assert place_of(case) == (Group("third", ""), identifier)


def test_a_known_failure_is_a_kind_of_its_own() -> None:
    assert [kind_of(each) for each in (outcome(), failed(), failed(known=Known("x")))] == [
        "passed",
        "failed",
        "known",
    ]
