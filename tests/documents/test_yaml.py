"""YAML from outside: what it becomes, where things stand, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from understudy.core.errors import InputError
from understudy.documents import yaml_tree
from understudy.documents.yaml import load_yaml

BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]\n" for level in range(1, 20)
)


def data_of(text: str) -> Any:
    return load_yaml("a.yaml", text=text).data


def problems_of(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        load_yaml("a.yaml", text=text)
    return [str(problem) for problem in caught.value.problems]


def test_a_file_is_read_under_the_name_that_was_given(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("a: [1, null, 1.5, yes, 'x']\n")
    document = load_yaml(tmp_path / "a.yaml")
    assert document.file == str(tmp_path / "a.yaml")
    assert document.data == {"a": [1, None, 1.5, True, "x"]}


def test_an_empty_file_has_no_data() -> None:
    assert data_of("") is None
    assert data_of("# only a comment\n") is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2026-01-01", "2026-01-01"),
        ("2026-01-01T10:00:00Z", "2026-01-01T10:00:00Z"),
        ("12:30", "12:30"),
        ("1:30.5", "1:30.5"),
        ("1_000", 1000),
        ("010", 8),
        ("-0x1F", -31),
        ("0b101", 5),
        ("on", True),
        ("No", False),
        ("~", None),
        ("'~'", "~"),
        ("!!str 12", "12"),
        ("!!int '12'", 12),
        ("! 12", "12"),
        ("=", "="),
        ("6.02e+23", 6.02e23),
        ("1_0.5", 10.5),
        ("${name}", "${name}"),
    ],
)
def test_a_scalar_becomes_what_a_writer_of_tests_means(text: str, value: object) -> None:
    loaded = data_of(f"a: {text}")["a"]
    assert loaded == value
    assert type(loaded) is type(value)


def test_a_key_is_its_source_text_whatever_it_would_mean_as_a_value() -> None:
    assert data_of("200: x\ntrue: x\n1_0: x\n2026-01-01: x\nnull: x") == dict.fromkeys(
        ["200", "true", "1_0", "2026-01-01", "null"], "x"
    )


def test_every_key_and_value_has_its_line_and_column() -> None:
    positions = load_yaml("a.yaml", text="http:\n  - operation: get\n    expect: {status: 200}\n").positions
    assert positions.value(("http", 0)) == (2, 5)
    assert positions.key(("http", 0, "expect")) == (3, 5)
    assert positions.value(("http", 0, "expect", "status")) == (3, 22)
    assert positions.value(("http", 0, "expect", "absent")) == (3, 13)


def test_an_alias_is_a_copy_that_stands_where_it_is_used_and_its_parts_where_they_are_written() -> None:
    document = load_yaml("a.yaml", text="a: &one {b: [1]}\nc: *one\n")
    assert document.data == {"a": {"b": [1]}, "c": {"b": [1]}}
    document.data["a"]["b"].append(2)
    assert document.data["c"] == {"b": [1]}
    assert document.positions.value(("c",)) == (2, 4)
    assert document.positions.key(("c", "b")) == (1, 10)


def test_merged_keys_give_way_to_own_keys_and_earlier_ones_win() -> None:
    text = "a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\nc: {z: 3, <<: [*a, *b]}\nd: {<<: *b, '<<': text}\n"
    document = load_yaml("a.yaml", text=text)
    assert document.data["c"] == {"z": 3, "x": 1, "y": 1}
    assert document.positions.key(("c", "y")) == (1, 14)
    assert problems_of("a: {<<: 3}") == [
        "a.yaml:1:9: '<<' takes a mapping or a list of mappings (name an anchored mapping: '<<: *name')"
    ]


def test_a_quoted_merge_key_is_a_plain_key() -> None:
    assert data_of("'<<': {a: 1}") == {"<<": {"a": 1}}


def test_duplicate_keys_are_refused_with_both_lines_and_all_together() -> None:
    assert problems_of("a: 1\nb: {c: 1,\n c: 2}\n'a': 3\n") == [
        "a.yaml:3:2: the key 'c' is given twice, first in line 2 (remove one of the two)",
        "a.yaml:4:1: the key 'a' is given twice, first in line 1 (remove one of the two)",
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: !mine 1", "1:4: the tag !mine is not supported"),
        ("a: !!python/object/apply:os.system [x]", "1:4: the tag !!python/object/apply:os.system is not"),
        ("a: !!binary aGk=", "1:4: the tag !!binary is not supported"),
        ("a: !!set {b}", "1:4: the tag !!set is not supported"),
        ("a: !!int x", "1:4: !!int does not fit the text 'x'"),
        ("!mine a: 1", "1:1: the tag !mine is not supported"),
        ("a: .nan", "1:4: .nan has no form in JSON"),
        ("a: -.INF", "1:4: -.INF has no form in JSON"),
        ("a: 1.0e+999", "1:4: the number 1.0e+999 is too large"),
        ("a: " + "9" * 1001, "1:4: the number has more than 1,000 digits"),
        ("? [a]\n: b", "1:3: a key must be text"),
        ("a: 1\n---\nb: 2", "2:1: a second document begins here"),
        ("a: *b", "1:4: *b repeats what no &b above it names"),
        ("a: &a [*a]", "1:8: *a stands within &a"),
    ],
)
def test_what_has_no_place_in_a_file_of_ours_is_refused_where_it_stands(text: str, problem: str) -> None:
    (found,) = problems_of(text)
    assert found.startswith("a.yaml:" + problem)
    assert found.endswith(")")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: b: c", "1:5: is not valid YAML: a ':' stands where none can"),
        ("a:\n\t- b", "2:1: is not valid YAML: a tab stands where only spaces can (indent with spaces)"),
        (
            "a: [1, 2\nb: 3",
            "2:2: is not valid YAML: the list is not closed; it belongs to what begins in line 1",
        ),
        ("a: {b: 1", "2:1: is not valid YAML: the mapping is not closed"),
        ("a: 'x\n\n", "3:1: is not valid YAML: a quote is never closed; it belongs to what begins in line 1"),
        ("a: @x", "1:4: is not valid YAML: a value cannot begin with this character"),
        ("- a\nb: c", "2:1: is not valid YAML: the line does not fit the list above it"),
        ("x: - a", "1:4: is not valid YAML: a list cannot begin here"),
        ("a: 1\nb: \x07", "2:4: is not valid YAML: a control character (U+0007) stands here"),
        ("a: \ud800", "1:4: is not valid YAML: a control character (U+D800) stands here"),
    ],
)
def test_a_syntax_error_is_told_in_plain_words_with_its_place(text: str, problem: str) -> None:
    (found,) = problems_of(text)
    assert found.startswith("a.yaml:" + problem)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "{a: " * 100_000,
        "- " * 100_000,
        "? " * 50_000,
        "".join(" " * level + "a:\n" for level in range(2_000)),
        "a0: &a0 [x]\n" + "".join(f"a{level}: &a{level} [*a{level - 1}]\n" for level in range(1, 3_000)),
    ],
    ids=["flow lists", "flow mappings", "block lists", "keys", "block mappings", "aliases"],
)
def test_a_deep_file_gives_one_problem(text: str) -> None:
    (found,) = problems_of(text)
    assert "is nested more than 100 levels deep" in found


def test_a_hundred_levels_are_read() -> None:
    assert data_of("[" * 100 + "]" * 100)
    assert problems_of("[" * 101 + "]" * 101)


def test_an_alias_bomb_is_refused_before_it_goes_off() -> None:
    (found,) = problems_of(BOMB)
    assert "its aliases written out, more than 2,000,000 values" in found


def test_a_long_text_repeated_by_alias_is_refused_too() -> None:
    (found,) = problems_of("a: &a " + "x" * 1_000_000 + "\nb: [" + "*a, " * 70 + "]")
    assert found.startswith("a.yaml:2:")
    assert "67,108,864 characters" in found


def test_the_number_of_problems_is_bounded() -> None:
    assert len(problems_of("a: 1\n" * 10_000)) == yaml_tree.PROBLEM_LIMIT


def test_without_the_c_parser_everything_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    import yaml

    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    assert data_of("a: [1, {b: 2026-01-01}]") == {"a": [1, {"b": "2026-01-01"}]}
    assert problems_of("a: 1\nb: \x07") == [
        "a.yaml:2:4: is not valid YAML: a control character (U+0007) stands here (remove it)"
    ]
    assert "nested more than 100 levels" in problems_of("[" * 10_000)[0]
