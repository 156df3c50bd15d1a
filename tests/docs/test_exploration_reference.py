"""The page on exploration names every argument, member, step and kind of damage, with the defaults that they have."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest

from understudy.simulation import (
    Crash,
    Duplicate,
    Explored,
    Reorder,
    about_to_write,
    assert_survives,
    delivered,
    explore,
)
from understudy.simulation.replay.explored import Find, Tally
from understudy.simulation.replay.survival import DamageKind

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "exploration.md").read_text(encoding="utf-8")
WORDS = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", PAGE))))


@pytest.mark.parametrize(
    "function", [explore, assert_survives, delivered, about_to_write], ids=lambda one: one.__name__
)
def test_every_argument_is_named(function: Callable[..., Any]) -> None:
    assert set(inspect.signature(function).parameters) - {"steps"} <= WORDS


@pytest.mark.parametrize(
    "kind", [Explored, Find, Tally, Crash, Duplicate, Reorder], ids=lambda one: one.__name__
)
def test_every_member_is_named(kind: type) -> None:
    members = {name for name, value in vars(kind).items() if isinstance(value, property)}
    assert {field.name for field in fields(kind)} | members <= WORDS | {"steps"}


def test_every_kind_of_damage_is_named() -> None:
    assert set(get_args(DamageKind)) <= WORDS


def test_the_defaults_are_those_of_the_code() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| ([\d,]+|`False`) \|", PAGE, flags=re.MULTILINE))
    listed = {name: eval(value.strip("`").replace(",", "")) for name, value in rows.items()}
    assert listed == {
        name: parameter.default
        for name, parameter in inspect.signature(explore).parameters.items()
        if isinstance(parameter.default, bool | int | float)
    }
