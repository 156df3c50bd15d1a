"""Loading test files: which tests they have, what they may load and read, and what they say when they cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.starlark.starlark_files import StarlarkFiles
from understudy.rules.starlark.cases import run_test
from understudy.rules.starlark.modules import LoadFailed


def test_tests_are_functions_without_arguments_whose_names_begin_so(files: StarlarkFiles) -> None:
    module = files.load(
        """
        def test_b(): pass
        def test_args(x): pass
        def test_defaults(x = 1): pass
        def helper(): pass
        test_data = {"a": 1}
        test_lambda = lambda: check.eq(1, 1)
        def test_a(
            # nothing
        ): pass
        def not_test_c(): pass
        if True:
            def test_hidden(): pass
        """
    )
    assert module.tests == {"test_b": 2, "test_lambda": 7, "test_a": 8}


def test_a_names_of_ours_can_be_given_another_meaning(files: StarlarkFiles) -> None:
    ran = files.run(
        """
        body = {"a": 1}
        def code(n): return n + 1
        def test_it():
            check.eq(body["a"], 1)
            check.eq(code(1), 2)
        """
    )
    assert (ran.error, ran.turn.failures) == (None, [])


def test_files_load_each_other_and_each_speaks_its_own_dialect(files: StarlarkFiles) -> None:
    files.write("lib/deep.star", 'NAME = "deep"\ndef check_it():\n    assert.eq(NAME, "deep")\n')
    files.write(
        "lib/helpers.star",
        'load("deep.star", "check_it", "NAME")\ndef helper():\n    check_it()\n    return NAME\n',
    )
    module = files.load(
        """
        load("lib/helpers.star", "helper", other = "helper")
        def test_it():
            check.eq(helper(), "deep")
            check.eq(other(), "deep")
        """
    )
    assert module.libraries == ("lib/deep.star", "lib/helpers.star")
    ran = run_test(module, "test_it", files.host)
    assert (ran.error, ran.turn.failures, ran.turn.held) == (None, [], 4)


def test_a_library_is_loaded_once_for_a_folder(files: StarlarkFiles) -> None:
    path = files.write("lib.star", "X = 1")
    files.load('load("lib.star", "X")\ndef test_it(): pass', "a.star")
    path.unlink()
    with pytest.raises(LoadFailed, match="no such file"):
        StarlarkFiles(files.root).load('load("lib.star", "X")', "b.star")
    path.write_text("X = 2")
    files.load('load("lib.star", "X")\ndef test_it(): pass', "b.star")


def test_a_checks_star_of_ones_own_goes_before_ours(files: StarlarkFiles) -> None:
    files.write("checks.star", "def violations_count(result, n): fail('mine')")
    ran = files.run('load("checks.star", "violations_count")\ndef test_it(): violations_count(1, 2)')
    assert ran.error is not None
    assert ran.error.message == "mine"


@pytest.mark.parametrize(
    ("text", "words", "line"),
    [
        ("def f(:\n", "Parse error", 1),
        ("x = 1\nfail('at load')\n", "at load", 2),
        ("def test_a():\n    nosuch()\n", "`nosuch` not found", 2),
        ('load("nope.star", "a")', "there is no such file beside a.star", 1),
        ('load("../up.star", "a")', "outside of the project", 1),
        ('load("/etc/passwd", "a")', "outside of the project", 1),
        ('load("lib.star", "nothing")', "no symbol `nothing`", 1),
        ('load("broken.star", "x")', "Parse error", 2),
        ('load("circle.star", "x")', "circle: a.star -> circle.star -> a.star", 1),
        ('x = eval(rule = "unknown", entity = {})', "rule 'unknown' not found", 1),
        ("x = [1, 2][5]\n", "out of bound", 1),
        ("def f(): return f()\nf()\n", "", 1),
    ],
)
def test_a_file_that_cannot_be_loaded_says_why_and_where(
    files: StarlarkFiles, text: str, words: str, line: int
) -> None:
    files.write("lib.star", "X = 1")
    files.write("broken.star", "x = 1\nx = = 2\n")
    files.write("circle.star", 'load("a.star", "y")')
    with pytest.raises(LoadFailed) as caught:
        files.load(text)
    error = caught.value.error
    assert words in error.message
    assert error.line == line or "broken" in text


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"caf\xe9 = 1", b"a\x00b"])
def test_a_file_that_is_no_text_is_refused(files: StarlarkFiles, content: bytes) -> None:
    path = files.root / "a.star"
    path.write_bytes(content)
    with pytest.raises(LoadFailed):
        files.modules.load(path, "a.star")


@pytest.mark.parametrize(
    "path", ["../x.txt", "/etc/passwd", "a/../../x", "", "..", "link.txt", "linked/x.txt", "a\\b"]
)
def test_read_file_stays_below_the_folder_of_the_test_file(files: StarlarkFiles, path: str) -> None:
    outside = files.root / "outside"
    outside.mkdir()
    (outside / "x.txt").write_text("secret")
    inner = files.root / "inner"
    inner.mkdir()
    (inner / "link.txt").symlink_to(outside / "x.txt")
    (inner / "linked").symlink_to(outside)
    ran = files.run(f"def test_it(): read_file({path!r})", name="inner/a.star")
    assert ran.error is not None
    assert "read_file" in ran.error.message


def test_read_file_says_what_is_wrong_with_a_file(files: StarlarkFiles, tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\0")
    (tmp_path / "sub").mkdir()
    for name, words in [("binary", "is binary"), ("nothing", "does not exist"), ("sub", "is a directory")]:
        ran = files.run(f"def test_it(): read_file({name!r})")
        assert ran.error is not None
        assert words in ran.error.message


def test_a_runaway_recursion_is_an_error_of_its_test(files: StarlarkFiles) -> None:
    ran = files.run("def f(n): return f(n + 1)\ndef test_it(): f(0)")
    assert ran.error is not None
