"""The Python side of the prelude: the functions that it calls, for whichever test is running."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from understudy.core.errors import InputError
from understudy.core.files import inside, read_text
from understudy.rules.starlark.errors import Misuse
from understudy.rules.starlark.failures import caller, failure
from understudy.rules.starlark.turn import Turn
from understudy.rules.starlark.txtar import ArchiveError, parse_txtar

FIXTURE_LIMIT = 16 << 20


class Evaluator(Protocol):
    """Whoever evaluates rules for tests."""

    def evaluate(
        self, given: dict[str, Any], mocks: str, folder: Path, turn: Turn, *, mindev: bool
    ) -> dict[str, Any]:
        """The result of `eval(...)`, as plain data; raises Misuse if the call makes no sense. `mocks` is JSON."""
        ...


class Host:
    """What Starlark code can reach. `file` and `folder` are those of the test file that is running."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._regular_expressions: dict[str, re.Pattern[str]] = {}
        self.turn = Turn({})
        self.file = ""
        self.folder = Path()
        self.raised: Exception | None = None

    def callables(self) -> dict[str, Callable[..., Any]]:
        """What the prelude finds under which name."""
        return {
            "__enter": self._guarded(lambda kind, label: self.turn.enter(kind, label or "")),
            "__leave": self._guarded(lambda: self.turn.leave()),
            "__held": self._guarded(lambda label: self.turn.hold(label)),
            "__failed": self._guarded(self._failed),
            "__print": self._guarded(lambda text: self.turn.print(text)),
            "__error_of_last": self._guarded(
                lambda: self.turn.last_error.message if self.turn.last_error else ""
            ),
            "__matches": self._guarded(self._matches),
            "__evaluate": self._guarded(lambda text, mocks: self._evaluate(text, mocks, mindev=False)),
            "__evaluate_mindev": self._guarded(lambda text, mocks: self._evaluate(text, mocks, mindev=True)),
            "read_file": self._guarded(self._read_file),
            "txtar": self._guarded(self._txtar),
        }

    def _guarded(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Keep the error itself, since the interpreter hands on no more than its text."""

        def call(*arguments: Any, **named: Any) -> Any:
            try:
                return function(*arguments, **named)
            except Exception as error:
                self.raised = error
                raise

        return call

    def _failed(
        self,
        kind: str,
        got: str,
        want: str,
        got_json: str | None,
        want_json: str | None,
        label: str | None,
        message: str | None,
        stack: str,
    ) -> None:
        place = caller(stack, self.file)
        self.turn.fail(failure(kind, (got, want), (got_json, want_json), message, place), label)

    def _matches(self, pattern: str, text: str) -> bool:
        compiled = self._regular_expressions.get(pattern)
        if compiled is None:
            try:
                compiled = self._regular_expressions[pattern] = re.compile(pattern)
            except re.error as error:
                raise Misuse(f"{pattern!r} is no regular expression: {error}") from None
        return compiled.search(text) is not None

    def _evaluate(self, text: str, mocks: str, *, mindev: bool) -> str:
        try:
            result = self._evaluator.evaluate(json.loads(text), mocks, self.folder, self.turn, mindev=mindev)
        except ValueError as error:
            if "integer string conversion" not in str(error):
                raise
            digits = f"{sys.get_int_max_str_digits():,}"
            raise Misuse(f"eval: an argument holds a number of more than {digits} digits") from None
        return json.dumps(result)

    def _read_file(self, path: Any) -> str:
        if not isinstance(path, str):
            raise Misuse(f"read_file: the path must be a string, not {path!r}")
        parts = path.split("/")
        if not path or path.startswith("/") or "\\" in path or "\0" in path or ".." in parts:
            raise Misuse(
                f"read_file: open {path}: invalid argument: give a path below the folder of the test file, "
                "without '..'"
            )
        try:
            return read_text(inside(self.folder, path), limit=FIXTURE_LIMIT)
        except InputError as error:
            problem = error.problems[0]
            hint = f" ({problem.hint})" if problem.hint else ""
            raise Misuse(f"read_file: open {path}: {problem.message}{hint}") from None

    def _txtar(self, content: Any) -> dict[str, str]:
        if not isinstance(content, str):
            raise Misuse(f"txtar: the archive must be a string, not {content!r:.200}")
        try:
            return parse_txtar(content)
        except ArchiveError as error:
            raise Misuse(str(error)) from None
