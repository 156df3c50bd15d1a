"""Long failures are shortened in both directions, and always say something."""

from __future__ import annotations

from reporting.sample_reports import failed
from understudy.core.outcome import Attachment, Failure, Location
from understudy.reporting.failure_text import attachment_lines, outcome_lines


def test_long_lines_and_many_lines_are_cut_with_a_note() -> None:
    lines = [line.text for line in attachment_lines(Attachment("log", "x" * 1000 + "\n" + "y\n" * 99))]
    assert lines[0] == "log:"
    assert lines[1] == "    " + "x" * 240 + "… (760 more)"
    assert lines[-1] == "    … (76 more lines)"
    assert len(lines) == 26


def test_a_failure_without_a_message_says_so() -> None:
    assert [line.text for line in outcome_lines(failed(failures=(Failure(""),)))] == ["(no message)"]


def test_a_diff_stands_for_expected_and_actual() -> None:
    case = failed(failures=(Failure("differs", 1, 2, "@@ a\n- 1\n+ 2\n  3"),))
    assert [(line.style, line.text) for line in outcome_lines(case)] == [
        ("message", "differs"),
        ("hunk", "  @@ a"),
        ("minus", "  - 1"),
        ("plus", "  + 2"),
        ("plain", "    3"),
    ]


def test_the_place_of_the_case_is_not_repeated_at_its_failure() -> None:
    place = Location("a.yaml", 3)
    case = failed(location=place, failures=(Failure("x", location=place),))
    assert [line.text for line in outcome_lines(case)] == ["at a.yaml:3", "x"]
