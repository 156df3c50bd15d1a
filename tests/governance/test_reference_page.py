"""The reference page of agents says what the code does."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from understudy.governance import ActionTypes, AgentGovernor, HITLGateway, ReviewService, ReviewStatus
from understudy.governance.binding import LARGEST
from understudy.governance.gateway import LONGEST_TARGET, LONGEST_WAIT
from understudy.governance.identity import LONGEST
from understudy.governance.notification import MOST_AT_ONCE
from understudy.governance.review_service import LONGEST_TEXT

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "agents.md").read_text("utf-8")


def rows(heading: str) -> list[list[str]]:
    """The cells of the last table below a heading."""
    (section,) = re.findall(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    table = [line for line in section.splitlines() if line.startswith("|")]
    start = max(number for number, line in enumerate(table) if line.startswith("| ---"))
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[start + 1 :]]


def test_the_matrix_is_the_one_that_is_kept_to() -> None:
    types = ActionTypes()
    levels = ("trusted_internal", "semi_trusted", "untrusted_external")

    assert rows("Trust and actions") == [
        [f"`{action}`", *("yes" if types.permits(level, action) else "" for level in levels)]
        for action in types
    ]


@pytest.mark.parametrize("kind", [AgentGovernor, HITLGateway, ReviewService])
def test_every_method_that_is_listed_is_there_and_none_is_missing(kind: type) -> None:
    listed: dict[str, list[str]] = {}
    for cell, *_ in rows(f"`{kind.__name__}`"):
        for name, given in re.findall(r"`(\w+)(?:\(([^)]*)\))?`", cell):
            listed[name] = [one.partition("=")[0].strip() for one in given.split(",") if one]
    public = {
        name
        for name, member in inspect.getmembers(kind, inspect.isfunction)
        if not name.startswith("_") and name not in ("admit", "record")  # for those who build on a governor
    }

    assert set(listed) == public
    for name, given in listed.items():
        known = inspect.signature(getattr(kind, name)).parameters
        assert given == [one for one in known if one in given], name


def test_the_limits_are_the_ones_that_are_kept_to() -> None:
    said = {row[0]: row[1] for row in rows("Limits")}

    assert said["name of an agent or reviewer"].startswith(f"{LONGEST} characters")
    assert said["`target_ref`"] == f"{LONGEST_TARGET:,} characters"
    assert said["arguments"].startswith(f"{LARGEST:,} bytes")
    assert said["reason"] == f"{LONGEST_TEXT:,} characters"
    assert said["`expiry_seconds`, `notifier_patience`"] == f"{LONGEST_WAIT // 86400} days"
    assert said["notifiers at once"].startswith(f"{MOST_AT_ONCE};")


def test_the_time_limits_of_a_gateway_are_the_ones_that_it_begins_with() -> None:
    defaults = {
        name: parameter.default for name, parameter in inspect.signature(HITLGateway).parameters.items()
    }

    assert f"`expiry_seconds` ({defaults['expiry_seconds']})" in PAGE
    assert f"`notifier_patience` ({defaults['notifier_patience']}\nseconds)" in PAGE


def test_the_ways_of_a_review_name_every_status() -> None:
    (ways,) = re.findall(r"```text\n(pending.*?)```", PAGE, re.DOTALL)

    assert set(re.findall(r"\b(\w+)(?= ->|$|\s*\(|\n)", ways)) >= {status.value for status in ReviewStatus}
