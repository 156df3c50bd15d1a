"""TOML from outside, with the place of every key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from understudy.core.errors import InputError
from understudy.documents import toml
from understudy.documents.positions import Path as DataPath
from understudy.documents.positions import Positions
from understudy.documents.toml import load_toml

TRICKY = '''# [comment]
title = "a # [b] = 1" # key = 1
"quoted.key" . 'lit' = 1
block = """
[not.a.table]
key = 1
\\""" still """""
raw = \'\'\'
[nor.this]
key = "
\'\'\'
list = [ 1, # ] here
  "x]", [2,
  3], {a = 1, "b" = [1]}, ]
after = 2026-01-01 10:00:00

[a.b]
c.d = 1
[[p]]
n = 1
[[p.q]]
z = 1
[[p.q]]
z = 2
[[p]]
[[p.q]]
z = 3
[p.r]
k = 1
[a]
"e\\u0041\\U0001F600" = 9
'''


def problems_of(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        load_toml("a.toml", text=text)
    return [str(problem) for problem in caught.value.problems]


def places(text: str) -> dict[DataPath, tuple[str, str]]:
    """For every path, the text that stands at the places of its key and its value."""
    document = load_toml("a.toml", text=text)
    lines = text.split("\n")
    found: dict[DataPath, tuple[str, str]] = {}

    def visit(value: Any, path: DataPath) -> None:
        key, here = document.positions.key(path), document.positions.value(path)
        found[path] = (lines[key[0] - 1][key[1] - 1 :], lines[here[0] - 1][here[1] - 1 :])
        entries = (
            value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        )
        for step, child in entries:
            visit(child, (*path, step))

    visit(document.data, ())
    return found


def test_nothing_in_texts_and_comments_passes_for_a_table_or_a_key() -> None:
    found = places(TRICKY)
    assert found["quoted.key", "lit"] == ("'lit' = 1", "1")
    assert found["block",][1] == '"""'
    assert found["raw",][0] == "raw = '''"
    assert found["after",] == ("after = 2026-01-01 10:00:00", "2026-01-01 10:00:00")
    assert ("key",) not in found


def test_lists_and_inline_tables_have_places_inside_too() -> None:
    found = places(TRICKY)
    assert found["list", 1][1] == '"x]", [2,'
    assert found["list", 2, 1][1].startswith("3]")
    assert found["list", 3, "b"] == ('"b" = [1]}, ]', "[1]}, ]")


def test_tables_dotted_keys_and_arrays_of_tables_are_followed() -> None:
    found = places(TRICKY)
    assert found["a", "b", "c", "d"] == ("d = 1", "1")
    assert found["a", "b"][0] == "a.b]"
    assert found["a",][0] == "a]"
    assert found["p", 0, "q", 1, "z"][1] == "2"
    assert found["p", 1, "q", 0, "z"][1] == "3"
    assert found["p", 1, "r", "k"] == ("k = 1", "1")
    assert found["a", "eA😀"][1] == "9"


def test_windows_line_ends_do_not_move_lines() -> None:
    document = load_toml("a.toml", text='a = """\r\nx\r\n"""\r\nb = 1\r\n')
    assert document.positions.key(("b",)) == (4, 1)
    assert document.data == {"a": "x\n", "b": 1}


def test_one_table_is_read_with_the_places_it_has_in_the_whole_file(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n[tool.understudy]\nseed = 7\n")
    document = load_toml(tmp_path / "pyproject.toml", ("tool", "understudy"))
    assert document.data == {"seed": 7}
    assert document.positions.key(("seed",)) == (4, 1)
    assert document.positions.value(()) == (3, 2)


def test_a_table_that_is_not_there_has_no_data_and_one_that_is_no_table_is_a_problem() -> None:
    assert load_toml("a.toml", ("tool", "understudy"), text="[tool.other]").data is None
    with pytest.raises(InputError, match=r"a\.toml:1:1: 'tool' must be a table \(write \[tool.understudy\]"):
        load_toml("a.toml", ("tool", "understudy"), text="tool = 3")


def test_dates_and_times_become_iso_text() -> None:
    text = "a = 2026-01-01\nb = 2026-01-01T10:00:00Z\nc = [10:30:00]"
    assert load_toml("a.toml", text=text).data == {
        "a": "2026-01-01",
        "b": "2026-01-01T10:00:00+00:00",
        "c": ["10:30:00"],
    }


def test_numbers_that_json_does_not_know_are_refused_where_they_stand() -> None:
    assert problems_of("a = nan\n[t]\nb = [1, -inf]\nc = 0x" + "f" * 2000) == [
        "a.toml:1:5: infinity and NaN have no form in JSON (write it in quotes to mean text)",
        "a.toml:3:9: infinity and NaN have no form in JSON (write it in quotes to mean text)",
        "a.toml:4:5: the number is too large (write it in quotes to mean text)",
    ]
    assert "too many digits" in problems_of("a = " + "9" * 5000)[0]


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * 5_000,
        "a = " + "[" * 101 + "]" * 101,
        "a." * 500_000 + "a = 1",
        "[" + "'a'. " * 500 + "a]",
    ],
    ids=["lists", "closed lists", "a long key", "a long header"],
)
def test_a_deep_file_gives_one_problem(text: str) -> None:
    (found,) = problems_of(text)
    assert "is nested more than 100 levels deep" in found


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a = 1\nb = \nc = 2", "2:5: is not valid TOML: invalid value"),
        ("a = 1\na = 2", "2:6: is not valid TOML: cannot overwrite a value"),
        ("a = 1\n[b", "2:3: is not valid TOML: expected ']' at the end of a table declaration"),
    ],
)
def test_a_syntax_error_is_told_with_its_place(text: str, problem: str) -> None:
    (found,) = problems_of(text)
    assert found.startswith("a.toml:" + problem)


def test_a_form_that_our_scanner_does_not_know_costs_only_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    def newer(text: str) -> Positions:
        raise ValueError(text)

    monkeypatch.setattr(toml, "toml_marks", newer)
    document = load_toml("a.toml", text="\na = 1")
    assert (document.data, document.positions.key(("a",))) == ({"a": 1}, (1, 1))
