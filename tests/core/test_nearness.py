"""What is offered as the nearest is near, is found in bounded time, and nothing is offered when nothing is near."""

from __future__ import annotations

import random

import pytest

from endless import ends
from understudy.core.nearness import closest_name, nearest


@pytest.mark.parametrize(
    ("needle", "haystack", "excerpt"),
    [
        ('"id":1', '{"name":"lamp","id": 7,"stock":3}', '…"id": 7…'),
        ("hello wrold", "Hello World", "Hello World"),
        ('"status": "shipped"', '{"a": 1, "status": "shiped", "b": 2}', '…"status": "shiped"…'),
        ("ok", "no o k here: OK.", "no o k here: OK."),
        ("status ok", "completely other things", ""),
        ("anything", "", ""),
        ("", "anything", ""),
        ("x", "xyz", ""),
    ],
)
def test_the_most_similar_excerpt(needle: str, haystack: str, excerpt: str) -> None:
    assert nearest(needle, haystack) == excerpt


def test_it_is_found_in_the_middle_of_a_megabyte() -> None:
    body = "lorem ipsum dolor sit amet, " * 20_000
    with ends():
        assert "the quikc brown foxx" in nearest(
            "the quick brown fox", body + "the quikc brown foxx, " + body
        )


def test_a_megabyte_that_repeats_the_needle_almost_takes_bounded_time() -> None:
    letters = random.Random(1)
    noise = "".join(letters.choices("ab", k=1 << 20))
    with ends():
        for needle, haystack in (
            ("a" * 5000 + "b", "a" * (1 << 20)),
            ("ab" * 150 + "c", noise),
            ("zq" * 200, noise),
        ):
            nearest(needle, haystack)


@pytest.mark.parametrize(
    ("name", "candidates", "closest"),
    [
        ("pathh", ["path", "method"], "path"),
        ("body_contains", ["bodyContains", "streamContains"], "bodyContains"),
        ("STATUS", ["status"], "status"),
        ("opertion", ["endpoint", "operation"], "operation"),
        ("zebra", ["status", "headers"], ""),
        ("", ["status"], ""),
        ("status", [], ""),
        ("--", ["a", "b"], ""),
    ],
)
def test_the_closest_name(name: str, candidates: list[str], closest: str) -> None:
    assert closest_name(name, candidates) == closest


def test_a_huge_name_among_many_takes_bounded_time() -> None:
    with ends():
        closest_name("a" * 1_000_000, ("ab" * (number % 60) for number in range(100_000)))
