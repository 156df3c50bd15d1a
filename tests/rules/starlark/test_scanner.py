"""What is found out of a Starlark text before it is run."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.rules.starlark.scanner import read_source


@pytest.mark.parametrize(
    ("text", "is_mindev"),
    [
        ("def test_a():\n    check.eq(1, 1)", False),
        ("assert.eq(1, 1)", True),
        ("# assert.eq(1, 1)", False),
        ("x = 'assert.eq'", False),
        ('"""\nassert.eq(1)\n"""', False),
        ("eval(rule = 'a', mock_http = {})", True),
        ("eval(rule = 'a', mock_fs={})", True),
        ("eval(rule = 'a', data_sources = [])", True),
        ("eval(rule = 'a', datasources = [], mocks = {})", False),
        ("mock_http_url = 1", False),
        ("def f(mock_http): pass", False),
        ("'it''s' # mock_http = {}", False),
    ],
)
def test_a_file_speaks_the_dialect_that_it_uses(text: str, is_mindev: bool) -> None:
    assert read_source(text).speaks_mindev is is_mindev


@pytest.mark.parametrize(
    ("text", "rewritten"),
    [
        ("assert.eq(asserted, 'assert')", "asserT.eq(asserted, 'assert')"),
        ('m = {\n    "a"\n    "b": 1,\n}', 'm = {\n    "a"\n   +"b": 1,\n}'),
        ("f('a' 'b')", "f('a'+'b')"),
        ("f('a' 'b'.upper())", "f('a' 'b'.upper())"),
        ("f('a' 'b' % 1)", "f('a' 'b' % 1)"),
        ("'doc'\n'other'", "'doc'\n'other'"),
        ('x = ["a", "b"]', 'x = ["a", "b"]'),
    ],
)
def test_what_the_interpreter_would_refuse_is_rewritten_in_place(text: str, rewritten: str) -> None:
    assert read_source(text).text == rewritten
    assert len(rewritten) == len(text)


@given(st.text(alphabet="ab'\"\\\n#()[]{}=. \tassertdefmock_http", max_size=60))
def test_any_text_can_be_read_and_keeps_its_length(text: str) -> None:
    assert len(read_source(text).text) == len(text)
