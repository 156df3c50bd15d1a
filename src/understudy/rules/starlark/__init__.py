"""Test files in Starlark: loaded, listed and run.

In: the text of a test file, its folder, and an `Evaluator` that `eval(...)` asks. Out: a `TestModule` with its tests,
and for each test that is run a `Ran`: what held and failed, row by row, what was printed, and what ended it.

In pipeline order: `scanner` (the dialect, and what the interpreter would refuse), `modules` (loading, `prelude.star`
with all builtins, `checks.star`), `host` (the Python side of the builtins) with `txtar` and `failures`, `turn` (one
attempt at a test), `cases` (attempts until it is done), `errors` (the interpreter's words).
"""

from understudy.core.errors import missing_extra

try:  # before any module of ours needs it, so that a missing extra is told
    import starlark  # noqa: F401 - only asked for
except ModuleNotFoundError as error:
    if error.name != "starlark":
        raise
    raise missing_extra("rules", "starlark-pyo3") from None
