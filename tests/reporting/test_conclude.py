"""A merged report is judged as a whole run is judged."""

from __future__ import annotations

from engine.troubled_act import troubled_acts
from understudy.core.outcome import Outcome, Status
from understudy.core.report import Report, Summary
from understudy.engine.act import Act
from understudy.reporting.conclude import concluded


def report() -> Report:
    return Report(Summary(total=1, passed=1), [Outcome("a", "troubled", "a", Status.PASSED)], positions=[0])


def test_the_conclusions_stand_at_the_end_and_are_counted() -> None:
    first = report()
    whole = concluded(first, troubled_acts())
    for _ in range(2):
        assert [outcome.id for outcome in whole.outcomes] == ["a", "troubled::whole::first"]
    assert (whole.summary.total, whole.summary.passed) == (2, 2)
    assert first.summary.total == 1


def test_an_act_that_cannot_conclude_makes_the_whole_red() -> None:
    whole = concluded(report(), troubled_acts("refuse"))
    assert not whole.summary.is_green
    assert [outcome.status.value for outcome in whole.outcomes][-1] == "errored"


def test_a_report_that_nobody_concludes_stays_as_it_is() -> None:
    acts: dict[str, Act] = {}
    first = report()
    assert concluded(first, acts) is first
