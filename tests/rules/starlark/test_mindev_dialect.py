"""Files that speak mindev's dialect: `assert`, dictionaries as results, and their own keywords."""

from __future__ import annotations

import pytest

from rules.starlark.starlark_files import PASSED, StarlarkFiles
from understudy.rules.starlark.modules import LoadFailed


@pytest.mark.parametrize(
    ("line", "holds"),
    [
        ("assert.eq(1, 1)", True),
        ("assert.eq(1, 2)", False),
        ("assert.ne(1, 2)", True),
        ("assert.true(1 < 2)", True),
        ("assert.true(False, 'because')", False),
        ("assert.lt(1, 2)", True),
        ("assert.lt(2, 1)", False),
        ("assert.contains([1, 2], 1)", True),
        ("assert.contains('abc', 'd')", False),
        ("assert.fails(lambda: fail('some error'), 'some .*r')", True),
        ("assert.fails(lambda: None, 'x')", False),
        ("assert.fail('intentionally')", False),
    ],
)
def test_assertions_collect_too(files: StarlarkFiles, line: str, holds: bool) -> None:
    ran = files.run_body(line, 'print("went on")')
    assert ran.error is None
    assert (not ran.turn.failures) is holds
    assert ran.turn.printed == "went on"


def test_the_reserved_word_is_users_own_in_every_message(files: StarlarkFiles) -> None:
    ran = files.run_body('x = "assert.eq"', "assert.eq(x, 1)", "assert.nothing(1)")
    assert ran.turn.failures[0].message == 'expected 1, got "assert.eq"'
    assert ran.error is not None
    assert ran.error.column == 5
    assert "assert.nothing(1)" in ran.error.trace


def test_results_are_dictionaries_with_output_only_if_there_is_one(files: StarlarkFiles) -> None:
    files.evaluator.result = PASSED | {"status": "fail", "message": "m", "output": {"a": 1}}
    ran = files.run_body(
        'res = eval(rule = "r", entity = {"name": "n"}, mock_http = {"/x": body("{}").code(404)})',
        'assert.eq(res, {"status": "fail", "message": "m", "output": {"a": 1}})',
    )
    assert (ran.error, ran.turn.failures) == (None, [])
    assert files.evaluator.asked[0]["mocks"] == [
        ["/x", {"mock": "response", "status": 404, "body": "{}", "kind": "body"}]
    ]
    files.evaluator.result = dict(PASSED)
    ran = files.run_body('res = eval("r", mock_fs = {"a": "b"})', 'assert.true("output" not in res)')
    assert (ran.error, ran.turn.failures) == (None, [])
    assert files.evaluator.asked[1]["files"] == {"a": "b"}


@pytest.mark.parametrize(
    ("text", "words", "line"),
    [
        (
            "test_data = [1]\ndef test_a():\n    assert.eq(1, 1)\n",
            "expected test_data to be a function, got list",
            1,
        ),
        ("def test_a(x):\n    assert.eq(1, 1)\n", "expected test_a to have no parameters", 1),
    ],
)
def test_what_is_named_like_a_test_must_be_one(
    files: StarlarkFiles, text: str, words: str, line: int
) -> None:
    with pytest.raises(LoadFailed, match=words) as caught:
        files.load(text)
    assert caught.value.error.line == line
