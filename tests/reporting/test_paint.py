"""Colour is decided by the environment first, then by who is looking."""

from __future__ import annotations

import pytest

from understudy.reporting.paint import wants_color


@pytest.mark.parametrize(
    ("is_terminal", "environment", "colored"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"TERM": "dumb"}, False),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
        (False, {"FORCE_COLOR": "1"}, True),
        (True, {"FORCE_COLOR": "0"}, False),
        (False, {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
    ],
)
def test_who_gets_colour(is_terminal: bool, environment: dict[str, str], colored: bool) -> None:
    assert wants_color(is_terminal, environment) is colored
