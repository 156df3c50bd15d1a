"""A template from outside ends in bounded time, with bounded output, whatever is written in it."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.errors import InputError
from understudy.rules.templates import compile_template

HOSTILE: list[tuple[str, Any, str]] = [
    ('{{define "t"}}{{template "t" .}}{{end}}{{template "t" .}}', None, "maximum template depth"),
    ("{{range 1000000000}}{{end}}", None, "exceeded 1,000,000 steps"),
    ("{{range 2000}}{{range 2000}}{{end}}{{end}}", None, "exceeded 1,000,000 steps"),
    ("{{range 300000}}12345678{{end}}", None, "exceeded size limit"),
    ('{{$x := "12345678"}}{{range 60}}{{$x = print $x $x}}{{end}}', None, "exceeded size limit"),
    ('{{printf "%999999d%999999d" 1 2}}', None, "exceeded size limit"),
    (
        '{{$x := "&&&&&&&&"}}{{range 60}}{{$x = printf "%s%s" (html $x) $x}}{{end}}',
        None,
        "exceeded size limit",
    ),
    ("{{" + "(" * 10_000 + "1" + ")" * 10_000 + "}}", None, "nested deeper than 100 levels"),
    ("{{if 1}}" * 10_000, None, "nested deeper than 100 levels"),
    ("x" * 2_000_000, None, "too large"),
]


@pytest.mark.parametrize(("template", "data", "message"), HOSTILE, ids=[row[2] for row in HOSTILE])
def test_a_hostile_template_is_stopped(template: str, data: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        compile_template(template).render(data)


def test_the_limit_of_the_output_counts_bytes_and_is_the_callers() -> None:
    template = compile_template("{{.}}")
    assert template.render("é" * 5, limit=10) == "é" * 5
    with pytest.raises(InputError, match=r"exceeded size limit.*at most 9 bytes"):
        template.render("é" * 5, limit=9)


def test_a_width_beyond_gos_is_refused_in_gos_words() -> None:
    assert compile_template('{{printf "%99999999d" 1}}').render(None) == "%!(BADWIDTH)1"


def test_deep_data_are_printed_to_a_depth() -> None:
    data: Any = 1
    for _ in range(500):
        data = [data]
    assert compile_template("{{.}}").render(data).startswith("[" * 100)


def test_an_integer_of_thousands_of_digits_is_an_error_of_the_input() -> None:
    digits = sys.get_int_max_str_digits()
    with pytest.raises(InputError, match="overflows int"):
        compile_template("{{" + "9" * (digits + 1) + "}}")


@given(st.text(alphabet="{}.$|()\"'`-/* \nabx01=:,", max_size=40))
def test_any_text_compiles_or_is_an_input_error(text: str) -> None:
    with suppress(InputError):
        compile_template("{{" + text).render({"a": 1})


@given(st.text(max_size=200).filter(lambda text: "{{" not in text))
def test_text_without_actions_is_left_as_it_is(text: str) -> None:
    assert compile_template(text).render(None) == text


@given(st.text(max_size=50))
def test_a_quoted_value_is_read_back_by_go_as_it_was(text: str) -> None:
    quoted = compile_template('{{printf "%q" .}}').render(text)
    if text.isprintable():
        assert compile_template("{{" + quoted + "}}").render(None) == text
