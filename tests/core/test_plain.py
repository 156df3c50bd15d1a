"""Whatever a failure is about, it is kept as JSON data of bounded size."""

from __future__ import annotations

import json
from datetime import date
from enum import StrEnum
from typing import Any

import pytest

from understudy.core.plain import plain


class Colour(StrEnum):
    RED = "red"


class Broken:
    def __repr__(self) -> str:
        raise ValueError("no")


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ({"a": (1, None, True), 2: 1.5}, {"a": [1, None, True], "2": 1.5}),
        ({3, 1, 2}, [1, 2, 3]),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (Colour.RED, "red"),
        (date(2026, 1, 2), "datetime.date(2026, 1, 2)"),
        (10**400, "1" + "0" * 79 + "…"),
        (Broken(), "<Broken>"),
        ({Broken(): 1}, {"<Broken>": 1}),
    ],
)
def test_values_become_json_data(value: Any, kept: Any) -> None:
    assert plain(value) == kept
    assert json.loads(json.dumps(plain(value), allow_nan=False)) == kept
    assert type(plain(value)) is type(kept)


def test_what_is_too_large_is_cut_and_says_so() -> None:
    assert plain("x" * 200_000).endswith("… (200,000 characters)")
    assert plain(list(range(1500)))[-1] == "… 500 more"
    assert plain({str(n): n for n in range(1500)})["…"] == "500 more"


def test_deep_and_circular_data_end() -> None:
    circular: list[Any] = []
    circular.append(circular)
    assert len(json.dumps(plain(circular))) < 200
