"""The selection language: words, and, or, not, parentheses; a mistake is shown where it is."""

from __future__ import annotations

import pickle

import pytest

from endless import ends
from understudy.core.errors import InputError
from understudy.core.matching import compile_expression, words_in, words_of

NAME = "testbed::shop.json::GET /items/{id}#2 first item [a-b.c] 'x'"


@pytest.mark.parametrize(
    ("expression", "matches"),
    [
        ("shop", True),
        ("SHOP", True),
        ("nothing", False),
        ("testbed::shop.json", True),
        ("/items/{id}#2", True),
        ("[a-b.c]", True),
        ("'first item'", True),
        ('"FIRST item"', True),
        ("\"'x'\"", True),
        ("not nothing", True),
        ("not not shop", True),
        ("shop and items", True),
        ("shop and nothing", False),
        ("nothing or shop", True),
        ("nothing or shop and nothing", False),
        ("shop or nothing and nothing", True),
        ("(shop or nothing) and nothing", False),
        ("not nothing and shop", True),
        ("not (nothing or shop)", False),
        ("not nothing or nothing", True),
        ("not(nothing)and(shop)", True),
        ("\tshop\n and\r items ", True),
        ("'and' or 'not'", False),
        ("android", False),
    ],
)
def test_what_an_expression_selects(expression: str, matches: bool) -> None:
    assert compile_expression(expression).matches(words_in(NAME)) is matches


def test_tags_are_matched_whole_and_without_case() -> None:
    has = words_of(["slow", "Smoke"])
    assert compile_expression("smoke and slow").matches(has)
    assert not compile_expression("smo").matches(has)


@pytest.mark.parametrize(
    ("expression", "column", "message"),
    [
        ("", 1, "the expression is empty"),
        ("   ", 1, "the expression is empty"),
        ("a b", 3, "expected 'and' or 'or' before 'b'"),
        ("a not b", 3, "expected 'and' or 'or' before 'not'"),
        ("a (b)", 3, "expected 'and' or 'or' before '('"),
        ("a'b'", 2, "expected 'and' or 'or' before 'b'"),
        ("and a", 1, "expected a word before 'and'"),
        ("a and or b", 7, "expected a word before 'or'"),
        ("a and", 6, "the expression ends where a word was expected"),
        ("not", 4, "the expression ends where a word was expected"),
        ("(a", 1, "this '(' is not closed"),
        ("a)", 2, "this ')' closes nothing"),
        ("()", 2, "expected a word before ')'"),
        ("(a and) b", 7, "expected a word before ')'"),
        ("a and 'b", 7, "the quote ' is not closed"),
        ("a or ''", 6, "there is nothing between the quotes"),
    ],
)
def test_a_mistake_is_shown_at_its_column(expression: str, column: int, message: str) -> None:
    with pytest.raises(InputError) as caught:
        compile_expression(expression)
    (problem,) = caught.value.problems
    assert problem.message.startswith(f"column {column}: {message}")
    assert problem.column == column
    _, shown, caret = problem.hint.rstrip("\n").split("\n")
    assert shown[4:] == expression
    assert caret == " " * (3 + column) + "^"


def test_the_caret_still_points_right_in_a_long_expression_with_odd_blanks() -> None:
    with pytest.raises(InputError) as caught:
        compile_expression("word\tor " * 50 + "or" + " or word" * 50)
    _, shown, caret = caught.value.problems[0].hint.rstrip("\n").split("\n")
    assert shown[caret.index("^") :].startswith("or or word")
    assert len(shown) < 80
    assert "\t" not in shown


def test_nesting_and_length_cannot_hurt() -> None:
    deep = "(" * 9_000 + "shop" + ")" * 9_000
    with ends():
        assert compile_expression(deep).matches(words_in(NAME))
        assert compile_expression("not " * 4_000 + "shop").matches(words_in(NAME))
        with pytest.raises(InputError, match="more than 20,000"):
            compile_expression("a or " * 10_000 + "a")


def test_an_expression_can_be_sent_to_a_worker() -> None:
    expression = pickle.loads(pickle.dumps(compile_expression("shop and not nothing")))
    assert expression.matches(words_in(NAME))
