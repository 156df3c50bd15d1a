"""JSON from outside: strict, bounded, and with positions that are looked up when asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.errors import InputError
from understudy.documents.json import load_json
from understudy.documents.positions import Path as DataPath

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=15,
)


def problems_of(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        load_json("a.json", text=text)
    return [str(problem) for problem in caught.value.problems]


def test_a_file_is_read_under_the_name_that_was_given(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"a": [1, null]}')
    document = load_json(tmp_path / "a.json")
    assert (document.file, document.data) == (str(tmp_path / "a.json"), {"a": [1, None]})
    with pytest.raises(InputError, match="is too large"):
        load_json(tmp_path / "a.json", limit=5)


def test_positions_of_keys_values_and_unknown_paths() -> None:
    text = '{"a" : [1,\n  {"b": "}", "c": {}}],\n "d\\"" :\n  2}'
    positions = load_json("a.json", text=text).positions
    assert positions.value(()) == (1, 1)
    assert positions.value(("a", 1)) == (2, 3)
    assert positions.key(("a", 1, "c")) == (2, 14)
    assert positions.value(("a", 1, "c", "x", 3)) == (2, 19)
    assert (positions.key(('d"',)), positions.value(('d"',))) == ((3, 2), (4, 3))
    assert positions.value(("absent",)) == (1, 1)


@given(VALUES, st.sampled_from([None, 0, 3]))
def test_at_the_position_of_every_value_stands_that_value(value: object, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    document = load_json("a.json", text=text)
    lines = text.split("\n")

    def check(part: object, path: DataPath) -> None:
        line, column = document.positions.value(path)
        rest = "\n".join([lines[line - 1][column - 1 :], *lines[line:]])
        assert json.JSONDecoder().raw_decode(rest)[0] == part
        children = (
            part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
        )
        for step, child in children:
            check(child, (*path, step))

    check(value, ())


def test_everything_that_the_decoder_would_let_pass_is_told_at_once() -> None:
    assert problems_of('{"a": 1, "b": {"c": 1, "\\u0063": 2},\n"a": [NaN, 1e999, -Infinity]}') == [
        "a.json:1:24: the key 'c' is given twice, first in line 1 (remove one of the two)",
        "a.json:2:1: the key 'a' is given twice, first in line 1 (remove one of the two)",
        "a.json:2:7: NaN is no JSON value (write it in quotes to mean text)",
        "a.json:2:12: the number 1e999 is too large (write it in quotes to mean text)",
        "a.json:2:19: -Infinity is no JSON value (write it in quotes to mean text)",
    ]


@pytest.mark.parametrize("text", ['[{"a": 1, "a": 1}]', "[NaN]", "[Infinity]", "[1e999]", "[-1e999]"])
def test_each_of_them_is_refused_by_itself(text: str) -> None:
    assert len(problems_of(text)) == 1


def test_equal_keys_of_different_objects_and_equal_texts_are_no_duplicates() -> None:
    text = '[{"a": "a"}, {"a": ["a", "a"]}, "a", "a"]'
    assert load_json("a.json", text=text).data == json.loads(text)


def test_a_number_of_many_thousand_digits_is_refused_where_it_stands() -> None:
    (found,) = problems_of("[1,\n " + "9" * 100_000 + "]")
    assert found.startswith("a.json:2:2: the number has more than 4,300 digits")


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
def test_a_hundred_thousand_levels_give_one_problem(opening: str) -> None:
    (found,) = problems_of(opening * 100_000)
    assert "is nested more than 100 levels deep" in found


def test_a_hundred_levels_are_read_and_one_more_is_refused() -> None:
    assert load_json("a.json", text="[" * 100 + "]" * 100).data
    assert problems_of("[" * 101 + "]" * 101) == [
        "a.json:1:101: is nested more than 100 levels deep (flatten it)"
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "1:1: is empty"),
        (" \n", "1:1: is empty"),
        ('{"a": 1,}', "is not valid JSON: a"),
        ('{"a": 1\n "b": 2}', "2:2: is not valid JSON: a ',' is missing"),
        ("{a: 1}", "1:2: is not valid JSON: a key in double quotes is missing"),
        ('{"a" 1}', "1:6: is not valid JSON: a ':' is missing after the key"),
        ('["abc', "1:2: is not valid JSON: the quote that opens here is never closed"),
        ('["a\nb"]', "1:4: is not valid JSON: a line break or control character stands in a text"),
        ('["\\q"]', "1:3: is not valid JSON: a '\\' begins no known escape"),
        ('["\\u12"]', "is not valid JSON: four hexadecimal digits must follow \\u"),
        ("[1] 2", "1:5: is not valid JSON: more text follows where the content has ended"),
        ("[1, nul]", "1:5: is not valid JSON: a value is missing"),
    ],
)
def test_a_syntax_error_is_told_in_plain_words_with_its_place(text: str, problem: str) -> None:
    (found,) = problems_of(text)
    assert found.startswith("a.json:")
    assert problem in found
    assert found.endswith(")")
