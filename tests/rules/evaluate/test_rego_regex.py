"""Regular expressions are Go's, in what they accept, find, split and put in."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.rules.evaluate import rego_regex as regex
from understudy.rules.evaluate.functions import HostError


@pytest.mark.parametrize(
    ("pattern", "valid"),
    [
        (r"\${{(.*?)}}", True),
        ("{", True),
        ("a{,2}", True),
        (r"(?P<name>\pL+)", True),
        (r"[[:alpha:]]\z", True),
        (r"\Qa.b\E", True),
        (r"(?i)A(?-i)b", True),
        ("(", False),
        ("a**", False),
        (r"(?=a)", False),
        (r"(a)\1", False),
        ("[z-a]", False),
        ("a{1001}", False),
    ],
)
def test_which_patterns_there_are(pattern: str, valid: bool) -> None:
    assert regex.is_valid(pattern) is valid
    if not valid:
        with pytest.raises(HostError, match="error parsing regexp"):
            regex.match(pattern, "a")


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        (r"^v\d+$", "v12", True),
        (r"^v\d+$", "v12\n", False),
        (r"\d", "٣", False),
        (r"\w", "é", False),
        (r"\pL", "é", True),
        (r"^.$", "é", True),
        ("a.c", "a\nc", False),
        ("(?s)a.c", "a\nc", True),
        ("(?m)^b$", "a\nb", True),
        ("", "", True),
    ],
)
def test_what_matches(pattern: str, text: str, matches: bool) -> None:
    assert regex.match(pattern, text) is matches


@pytest.mark.parametrize(
    ("text", "pattern", "template", "expected"),
    [
        ("-ab-axxb-", "a(x*)b", "T", "-T-T-"),
        ("-ab-axxb-", "a(x*)b", "$1", "--xx-"),
        ("-ab-axxb-", "a(x*)b", "$1W", "---"),
        ("-ab-axxb-", "a(x*)b", "${1}W", "-W-xxW-"),
        ("axxb", "a(?P<in>x*)b", "${in}$in", "xxxx"),
        ("axxb", "a(x*)b", "$0$9$$1$", "axxb$1$"),
        ("axxb", "a(x*)b", "${1", "${1"),
        ("abc", "", "-", "-a-b-c-"),
        ("éa", "x*", "-", "-é-a-"),
        ("baac", "a*", "x", "xbxcx"),
        ("a.b", r"\.", r"\1", r"a\1b"),
    ],
)
def test_what_is_put_in(text: str, pattern: str, template: str, expected: str) -> None:
    assert regex.replace(text, pattern, template) == expected


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("a", "banana", ["b", "n", "n", ""]),
        ("z+", "pizza", ["pi", "a"]),
        ("z*", "pizza", ["p", "i", "a"]),
        ("", "abc", ["a", "b", "c"]),
        ("a", "", [""]),
        (",", "a,b,", ["a", "b", ""]),
        (r"\s+", "é a  b", ["é", "a", "b"]),
    ],
)
def test_what_is_split(pattern: str, text: str, expected: list[str]) -> None:
    assert regex.split(pattern, text) == expected


@pytest.mark.parametrize(
    ("pattern", "text", "limit", "expected"),
    [
        ("a.", "paranormal", -1, [["ar"], ["an"], ["al"]]),
        ("a.", "paranormal", 2, [["ar"], ["an"]]),
        ("a.", "paranormal", 0, []),
        ("a(x)?b", "ab-axb", -1, [["ab", ""], ["axb", "x"]]),
        ("a*", "baac", -1, [[""], ["aa"], [""]]),
        (r"\${{(.*?)}}", "${{ a }} ${{b}}", -1, [["${{ a }}", " a "], ["${{b}}", "b"]]),
    ],
)
def test_what_is_found(pattern: str, text: str, limit: int, expected: list[list[str]]) -> None:
    assert regex.find_all_string_submatch_n(pattern, text, limit) == expected
    assert regex.find_n(pattern, text, limit) == [found[0] for found in expected]


@pytest.mark.parametrize("arguments", [(1, "a"), ("a", 1), ("a", None)])
def test_what_is_no_text_has_no_value(arguments: tuple[Any, Any]) -> None:
    for function in (regex.match, regex.split):
        with pytest.raises(HostError):
            function(*arguments)


@given(st.text("ab é", max_size=20), st.sampled_from(["a", "a*", "", "b+", "(a|b)", " ", "é?"]))
def test_what_is_found_and_what_is_between_make_up_the_text(text: str, pattern: str) -> None:
    assert regex.replace(text, pattern, "$0") == text
    if regex.match(pattern, ""):
        return
    pieces = regex.split(pattern, text)
    found = [*regex.find_n(pattern, text, -1), ""]
    assert "".join(a + b for a, b in zip(pieces, found, strict=True)) == text
