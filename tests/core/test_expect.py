"""Expectations collect what does not hold, with place and diff, and report all of it as one error."""

from __future__ import annotations

import inspect
import json
import pickle
import re
from typing import Any

import pytest

from understudy.core.errors import InputError
from understudy.core.expect import Expect, ExpectationError, expect
from understudy.core.outcome import Failure, Location


def here() -> int:
    frame = inspect.currentframe()
    assert frame is not None
    assert frame.f_back is not None
    return frame.f_back.f_lineno


def only(check: Expect) -> Failure:
    (failure,) = check.failures
    json.dumps([failure.expected, failure.actual], allow_nan=False)
    return failure


def test_all_failures_of_a_block_are_raised_together_with_place_and_diff() -> None:
    with pytest.raises(ExpectationError) as caught, expect() as check:  # noqa: PT012 (the block is the subject)
        line = here() + 1
        check.eq(404, 200, label="status")
        check.eq(1, 1)
        check.eq({"a": 1, "b": [2]}, {"a": 1, "b": [3]})
    assert isinstance(caught.value, AssertionError)
    assert str(caught.value).split("\n") == [
        "2 expectations do not hold:",
        f"1) tests/core/test_expect.py:{line}: status: expected 200, got 404",
        f'2) tests/core/test_expect.py:{line + 2}: expected {{"a": 1, "b": [3]}}, got {{"a": 1, "b": [2]}}',
        "     $.b[0]: expected 3, got 2",
    ]
    assert [failure.expected for failure in caught.value.failures] == [200, {"a": 1, "b": [3]}]


def test_the_block_runs_to_its_end_and_a_block_that_holds_raises_nothing() -> None:
    reached = []
    with pytest.raises(ExpectationError, match="1 expectation does not"), expect() as check:  # noqa: PT012
        check.fail("first")
        reached.append("end")
    assert reached == ["end"]
    with expect() as check:
        assert check.true([1], "a list")


def test_an_exception_of_the_block_comes_through_with_the_failures_as_a_note() -> None:
    with pytest.raises(KeyError) as caught, expect() as check:  # noqa: PT012
        check.eq(1, 2, label="n")
        raise KeyError("x")
    (note,) = caught.value.__notes__
    assert note.startswith("Before that, 1 expectation does not hold:")
    assert "n: expected 2, got 1" in note
    with pytest.raises(KeyError) as clean, expect():
        raise KeyError("x")
    assert not hasattr(clean.value, "__notes__")


def test_without_a_block_failures_are_read_or_verified() -> None:
    check = Expect()
    check.verify()
    line = here() + 1
    assert check.eq("a", "b") is False
    assert only(check).location == Location("tests/core/test_expect.py", line)
    with pytest.raises(ExpectationError):
        check.verify()


class NoTruth:
    def __eq__(self, other: object) -> Any:
        return NoTruth()

    def __bool__(self) -> bool:
        raise ValueError("ambiguous")

    __hash__ = object.__hash__


@pytest.mark.parametrize(
    ("got", "want", "message", "diff"),
    [
        (
            "a\nb",
            "a\nc",
            'expected "a\\nc", got "a\\nb"',
            "--- expected\n+++ actual\n@@ -2 +2 @@\n a\n-c\n+b\n ^",
        ),
        (1, "1", 'expected "1" (str), got 1 (int)', ""),
        ((1,), [1], "expected [1] (list), got [1] (tuple)", ""),
        (None, 0, "expected 0 (int), got null (NoneType)", ""),
        ({"k": 1}, {}, 'expected {}, got {"k": 1}', "$.k: was not expected, got 1"),
    ],
)
def test_eq_says_what_differs(got: Any, want: Any, message: str, diff: str) -> None:
    check = Expect()
    assert check.eq(got, want) is False
    failure = only(check)
    assert (failure.message, failure.diff) == (message, diff)


def test_eq_and_ne_compare_what_has_no_truth_by_its_difference() -> None:
    check = Expect()
    same = NoTruth()
    assert check.eq(same, same)
    assert check.ne(same, 1)
    assert not check.ne(2, 2, label="port")
    assert only(check).message == "port: expected anything but 2"


def test_contains_shows_the_nearest_excerpt() -> None:
    check = Expect()
    assert check.contains("abc", "b")
    assert check.contains([1, 2], 2)
    assert check.contains({"k": 1}, "k")
    assert not check.contains('{"name": "lamp", "id": 7}', '"id":1', label="body")
    assert only(check).diff == 'nearest: …"id": 7…'
    assert only(check).message.startswith("body: ")
    assert only(check).expected == '"id":1'


def test_contains_in_what_holds_nothing_is_a_failure_not_a_traceback() -> None:
    check = Expect()
    assert not check.contains(5, 1)
    assert only(check).message == "cannot look for 1 in 5 (int)"


def test_matches_searches_and_refuses_what_is_no_expression_or_no_text() -> None:
    check = Expect()
    assert check.matches("order 17", r"\d+$")
    assert check.matches("ORDER", re.compile("order", re.IGNORECASE))
    assert not check.matches("order", r"\d")
    assert not check.matches(5, r"\d")
    assert [failure.message for failure in check.failures] == [
        "\"order\" does not match '\\\\d'",
        "expected text that matches '\\\\d', got 5 (int)",
    ]
    with pytest.raises(InputError, match=r"'\(' is no regular expression.*re\.escape"):
        check.matches("x", "(")


def test_true_and_is_type() -> None:
    check = Expect()
    assert check.true("x", "never")
    assert check.is_type(1, int)
    assert check.is_type(1, (str, int))
    assert not check.true(0, "there are orders")
    assert not check.is_type("1", (int, float), label="total")
    assert [failure.message for failure in check.failures] == [
        "there are orders",
        'total: expected int or float, got str: "1"',
    ]


def test_raises_as_a_call() -> None:
    check = Expect()
    assert check.raises(ValueError, int, "x")
    assert check.raises((KeyError, ValueError), int, "x", match="invalid")
    assert not check.raises(ValueError, int, "1")
    assert not check.raises(KeyError, int, "x", label="parse")
    assert not check.raises(ValueError, int, "x", match="empty")
    messages = [failure.message for failure in check.failures]
    assert messages[0] == "expected ValueError, but nothing was raised"
    assert messages[1].startswith("parse: expected KeyError, got ValueError: invalid literal")
    assert "does not match 'empty'" in messages[2]


def test_raises_as_a_block_keeps_the_exception_and_goes_on_after_a_wrong_one() -> None:
    check = Expect()
    with check.raises(ValueError) as right:
        int("x")
    assert right.held
    assert isinstance(right.exception, ValueError)
    line = here() + 1
    with check.raises(ValueError) as wrong:
        {}["k"]  # type: ignore[index]  # the key error is the point
    assert not wrong.held
    assert only(check).location == Location("tests/core/test_expect.py", line)


def test_raises_lets_an_interrupt_through() -> None:
    check = Expect()
    with pytest.raises(KeyboardInterrupt), check.raises(ValueError):
        raise KeyboardInterrupt
    assert not check.failures


def test_fail_keeps_what_was_found_out_elsewhere() -> None:
    check = Expect()
    assert check.fail("late", expected=1, actual={2}, diff="d") is False
    assert only(check) == Failure("late", 1, [2], "d", only(check).location)


def test_an_expectation_error_survives_pickling() -> None:
    error = ExpectationError((Failure("m", 1, 2, "d", Location("f", 3)),))
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.failures, str(copy)) == (error.failures, str(error))
