"""YAML as Go's yaml.v3 reads it, and as Go writes it to JSON."""

from __future__ import annotations

from typing import Any

import pytest

from understudy.core.errors import InputError
from understudy.documents.yaml import load_go_yaml


def data_of(text: str, *, only_text_keys: bool = False) -> Any:
    return load_go_yaml("a.yaml", text=text, only_text_keys=only_text_keys).data


def problems_of(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        data_of(text, only_text_keys=True)
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("on", "on"),
        ("Off", "Off"),
        ("yes", "yes"),
        ("n", "n"),
        ("true", True),
        ("TRUE", True),
        ("tRue", "tRue"),
        ("False", False),
        ("", None),
        ("~", None),
        ("Null", None),
        ("nULL", "nULL"),
        ("'~'", "~"),
        ('"true"', "true"),
        ("12", 12),
        ("+12", 12),
        ("-12", -12),
        ("1_000", 1000),
        ("0", 0),
        ("-0", 0),
        ("0777", 511),
        ("0o17", 15),
        ("-0o17", -15),
        ("0x1F", 31),
        ("-0x1f", -31),
        ("0b101", 5),
        ("0b12", "0b12"),
        ("0x", "0x"),
        ("08", 8),
        ("_1", "_1"),
        ("+", "+"),
        ("-x", "-x"),
        ("18446744073709551615", 18446744073709551615),
        ("-9223372036854775808", -9223372036854775808),
        ("99999999999999999999", 99999999999999999999.0),
        ("1.5", 1.5),
        ("-.5", -0.5),
        (".5", 0.5),
        ("1.", 1),
        ("1e3", 1000),
        ("6.02e23", 6.02e23),
        ("1e999", "1e999"),
        (".", "."),
        ("...x", "...x"),
        ("1:30", "1:30"),
        ("1.2.3", "1.2.3"),
        ("v1", "v1"),
        ("=", "="),
        ("2001-12-14", "2001-12-14T00:00:00Z"),
        ("2001-1-2", "2001-01-02T00:00:00Z"),
        ("2001-12-14T21:59:43.10-05:00", "2001-12-14T21:59:43.1-05:00"),
        ("2001-12-14t21:59:43Z", "2001-12-14T21:59:43Z"),
        ("2001-12-14T21:59:43+00:00", "2001-12-14T21:59:43Z"),
        ("2001-12-14 21:59:43.000123", "2001-12-14T21:59:43.000123Z"),
        ("2001-12-14 21:59:43 -5", "2001-12-14 21:59:43 -5"),
        ("2001-12-14T21:59:43", "2001-12-14T21:59:43"),
        ("2001-02-30", "2001-02-30"),
        ("0000-02-29", "0000-02-29T00:00:00Z"),
        ("'2001-12-14'", "2001-12-14"),
        ("!!str 12", "12"),
        ("!!str", ""),
        ("!!int '12'", 12),
        ("!!float 1", 1),
        ("!!bool 'true'", True),
        ("!!timestamp '2001-12-14'", "2001-12-14T00:00:00Z"),
        ("!Ref name", "name"),
        ("!Ref 12", "12"),
        ("!!binary aGk=", "hi"),
        ("! x", "x"),
        ("!Sub [1, on]", [1, "on"]),
        ("!!set {b}", {"b": None}),
        ("<<", "<<"),
        ("|\n  12\n", "12\n"),
    ],
)
def test_a_scalar_means_what_it_means_in_go(text: str, value: object) -> None:
    loaded = data_of(f"a: {text}")["a"]
    assert loaded == value
    assert type(loaded) is type(value)


def test_a_key_is_its_text_and_a_workflow_has_an_on() -> None:
    assert data_of("on:\n  push: {}\n200: x\n~: y\n") == {"on": {"push": {}}, "200": "x", "~": "y"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: {200: x}", "1:5: the key '200' is not text (write it in quotes)"),
        ("true: x", "1:1: the key 'true' is not text (write it in quotes)"),
        ("~: x", "1:1: the key '~' is not text (write it in quotes)"),
        ("2001-12-14: x", "1:1: the key '2001-12-14' is not text (write it in quotes)"),
        ("!mine a: x", "1:1: the key 'a' is not text (write it in quotes)"),
        ("a: &a 1\n*a : x", "2:1: the key '1' is not text (write it in quotes)"),
        ("? [a]\n: b", "1:3: a key must be text, not a list or a mapping (write the key as text)"),
        ("a: 1\na: 2", "2:1: the key 'a' is given twice, first in line 1 (remove one of the two)"),
        ("a: .inf", "1:4: .inf has no form in JSON (write a number, or quote it to mean text)"),
        ("a: !!int x", "1:4: !!int does not fit the text 'x' (write the value without a tag)"),
        ("a: !!bool yes", "1:4: !!bool does not fit the text 'yes' (write the value without a tag)"),
        ("a: !!binary '*'", "1:4: !!binary holds text that is no base64 (correct it)"),
    ],
)
def test_what_go_cannot_give_as_json_is_refused_where_it_stands(text: str, problem: str) -> None:
    assert problems_of(text) == [f"a.yaml:{problem}"]


def test_text_keys_pass_with_quotes_merges_and_anchors() -> None:
    text = "base: &base {'200': x, on: y}\nother: {<<: *base, on: z, !!str 7: s}\nname: &n key\n*n : last\n"
    assert data_of(text, only_text_keys=True) == {
        "base": {"200": "x", "on": "y"},
        "other": {"200": "x", "on": "z", "7": "s"},
        "name": "key",
        "key": "last",
    }


def test_only_the_first_document_is_read() -> None:
    assert data_of("a: 1\n---\nb: 2\n") == {"a": 1}
    assert data_of("--- 1\n--- [\n") == 1
    assert data_of("a: 1\n...\n") == {"a": 1}
    assert data_of("") is None


def test_positions_are_known_too() -> None:
    document = load_go_yaml("a.yaml", text="on:\n  - push\n")
    assert document.positions.value(("on", 0)) == (2, 5)


def test_the_bounds_are_those_of_every_file() -> None:
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]\n" for level in range(1, 20)
    )
    assert "its aliases written out" in problems_of(bomb)[0]
    assert "nested more than 100 levels" in problems_of("[" * 10_000)[0]
    assert data_of("a: " + "9" * 5000)["a"] == "9" * 5000
