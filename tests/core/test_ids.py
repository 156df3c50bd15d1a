"""A case id is one printable line that splits back into its parts, and equal names are told apart."""

from __future__ import annotations

import pytest

from understudy.core.ids import Numbering, case_id, split_case_id


@pytest.mark.parametrize(
    "parts",
    [
        ("testbed", "shop.json", "http/getItem/first item"),
        ("a::b", "c:", ":d"),
        ("a\\", "\\::", "\\:"),
        ("", "", ""),
        ("a", "line\nbreak\ttab", "\u200b\x00\U000e0001"),
        ("naïve", "✓", "C:\\new"),
        (":::", ":", "::::"),
        ("a", "b", "\ud800"),
    ],
)
def test_an_id_splits_back_into_its_parts(parts: tuple[str, str, str]) -> None:
    identifier = case_id(*parts)
    assert split_case_id(identifier) == parts
    assert identifier.isprintable()


def test_plain_names_stay_readable() -> None:
    assert case_id("testbed", "shop.json", "GET /a:b") == "testbed::shop.json::GET /a:b"


@pytest.mark.parametrize("identifier", ["", "a", "a::b", "a::b::c::d"])
def test_what_is_no_id_is_refused(identifier: str) -> None:
    with pytest.raises(ValueError, match="it must read act::file::name"):
        split_case_id(identifier)


def test_equal_names_are_numbered_and_never_clash_with_a_name_as_written() -> None:
    numbering = Numbering()
    assert [numbering(name) for name in ("a", "a#2", "a", "a", "a#2", "b")] == [
        "a",
        "a#2",
        "a#3",
        "a#4",
        "a#2#2",
        "b",
    ]
