"""`check` collects: every failure of a test is reported, at its line, with what was wanted and what came."""

from __future__ import annotations

from typing import Any

import pytest

from rules.starlark.starlark_files import StarlarkFiles


def test_all_failures_of_a_test_are_collected_and_the_test_goes_on(files: StarlarkFiles) -> None:
    ran = files.run_body(
        'check.eq("fail", "pass")', "check.eq(1, 2)", 'check.contains("abc", "z")', 'print("on")'
    )
    assert [failure.message for failure in ran.turn.failures] == [
        'expected "pass", got "fail"',
        "expected 2, got 1",
        'expected "z" in "abc"',
    ]
    assert [str(failure.location) for failure in ran.turn.failures] == ["a.star:2", "a.star:3", "a.star:4"]
    assert ran.turn.printed == "on"


@pytest.mark.parametrize(
    ("line", "holds"),
    [
        ("check.eq([1, {'a': 2}], [1, {'a': 2}])", True),
        ("check.eq(1, 1.0)", True),
        ("check.eq(None, False)", False),
        ("check.eq(struct(a = 1), struct(a = 1))", True),
        ("check.ne(1, 2)", True),
        ("check.ne('a', 'a')", False),
        ("check.contains(['a', 'b'], 'a')", True),
        ("check.contains({'a': 1}, 'a')", True),
        ("check.contains('unpinned action', 'unpinned')", True),
        ("check.contains([], 'a')", False),
        ("check.true([1])", True),
        ("check.true('')", False),
        ("check.lt(1, 2)", True),
        ("check.lt(2, 2)", False),
        ("check.fail('no')", False),
        ("check.fails(lambda: fail('x'))", True),
        ("check.fails(lambda: fail('some text'), 's.me')", True),
        ("check.fails(lambda: fail('some text'), 'other')", False),
        ("check.fails(lambda: None)", False),
    ],
)
def test_what_each_check_takes_for_true(files: StarlarkFiles, line: str, holds: bool) -> None:
    ran = files.run_body(line)
    assert ran.error is None
    assert (not ran.turn.failures) is holds
    assert ran.turn.checks == 1


@pytest.mark.parametrize(
    ("line", "expected", "actual"),
    [
        ("check.eq({'a': 1}, {'a': 2})", {"a": 2}, {"a": 1}),
        ("check.eq('x', None)", None, "x"),
        ("check.eq((1, 2), [1, 2])", [1, 2], [1, 2]),
        ("check.eq([len], 1)", 1, "[len]"),
        ("check.eq({1: 2}, 0)", 0, "{1: 2}"),
        ("check.eq(struct(a = 1), 0)", 0, "struct(a=1)"),
    ],
)
def test_expected_and_actual_are_data_where_json_has_a_form(
    files: StarlarkFiles, line: str, expected: Any, actual: Any
) -> None:
    (failure,) = files.run_body(line).turn.failures
    assert (failure.expected, failure.actual) == (expected, actual)


def test_large_values_are_shown_by_their_difference(files: StarlarkFiles) -> None:
    (failure,) = files.run_body(
        "check.eq({'a': {'b': [1, 2]}, 'c': 1}, {'a': {'b': [1, 3]}, 'c': 1})"
    ).turn.failures
    assert "$.a.b[1]: expected 3, got 2" in failure.diff


def test_a_helper_that_checks_is_blamed_on_the_line_of_the_test_that_called_it(files: StarlarkFiles) -> None:
    ran = files.run(
        """
        load("checks.star", "violations_count", "violation_contains")
        def test_it():
            result = eval(rule = "x", entity = {})
            violations_count(result, 1)
            violation_contains(result, "unpinned")
        """
    )
    assert [str(failure.location) for failure in ran.turn.failures] == ["a.star:5", "a.star:6"]


def test_labelled_checks_are_rows_and_the_other_checks_are_the_tests_own(files: StarlarkFiles) -> None:
    ran = files.run(
        """
        cases = [{"name": "pinned", "want": 1}, {"name": "floating", "want": 2}, {"name": "none", "want": 3}]
        def test_it():
            for case in cases:
                check.eq(1, case["want"], label = case["name"])
            check.eq(1, 1)
            check.eq(2, 2, label = 7)
        """
    )
    rows = {
        row.label: (row.held, [failure.message for failure in row.failures]) for row in ran.turn.rows.values()
    }
    assert rows == {
        "pinned": (1, []),
        "floating": (0, ["expected 2, got 1"]),
        "none": (0, ["expected 3, got 1"]),
        "7": (1, []),
    }
    assert (ran.turn.held, ran.turn.failures) == (1, [])


def test_labelled_sub_cases_run_one_by_one_whatever_one_of_them_does(files: StarlarkFiles) -> None:
    ran = files.run(
        """
        def test_it():
            test("good", lambda: check.eq(1, 1))
            test("broken", lambda: fail("oh no"))
            test("bad", lambda: check.eq(1, 2))
            test("outer", outer)
            test("unknown rule", lambda: eval(rule = "unknown", entity = {}))
            check.eq("after", "all")
        def outer():
            test("inner broken", lambda: 1 // 0)
            test("inner bad", lambda: check.eq(3, 4))
            check.eq(5, 6)
        """
    )
    rows = {
        label: (row.error.message if row.error else None, [failure.message for failure in row.failures])
        for label, row in ran.turn.rows.items()
    }
    assert rows == {
        "good": (None, []),
        "broken": ("oh no", []),
        "bad": (None, ["expected 2, got 1"]),
        "outer": (None, ["expected 6, got 5"]),
        "outer / inner broken": ("Floor division by zero: 1 // 0", []),
        "outer / inner bad": (None, ["expected 4, got 3"]),
        "unknown rule": ("rule 'unknown' not found", []),
    }
    assert ran.error is None
    assert [failure.message for failure in ran.turn.failures] == ['expected "all", got "after"']


def test_an_error_ends_the_test_and_keeps_what_failed_before(files: StarlarkFiles) -> None:
    ran = files.run_body("check.eq(1, 2)", "x = {}", 'x["key"]', "check.eq(3, 4)")
    assert [failure.message for failure in ran.turn.failures] == ["expected 2, got 1"]
    assert ran.error is not None
    assert (ran.error.line, ran.error.column) == (4, 5)
    assert "not found" in ran.error.message
    assert 'x["key"]' in ran.error.trace


def test_what_is_printed_is_kept_up_to_a_limit(files: StarlarkFiles) -> None:
    ran = files.run_body("for i in range(100): print('x' * 10000)", "print('end')")
    assert len(ran.turn.printed) < 70_000
    assert ran.turn.printed.endswith("more characters were printed")


def test_print_shows_values_as_starlark_does(files: StarlarkFiles) -> None:
    ran = files.run_body('print("a", 1, None, [True, "b"], struct(c = 2))', 'print(1, 2, sep = "-")')
    assert ran.turn.printed == 'a 1 None [True, "b"] struct(c=2)\n1-2'
