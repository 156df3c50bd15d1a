"""jq filters, compiled once: every value that a filter gives, bounded, with plain paths looked up without jq."""

from __future__ import annotations

import json
import re
from functools import cached_property, lru_cache
from typing import Any

from understudy.core.errors import missing_extra

FILTER_LIMIT = 64 << 10
VALUES_LIMIT = 10_000

# Minder's filters see no environment variables, which here would differ from machine to machine. Definitions in
# front of the filter also keep it from importing files. On a line of their own they leave its columns right.
_BEFORE = "def env: {}; {} as $ENV |\n"
_PLAIN_PATH = re.compile(r"\s*(?:\.[A-Za-z_]\w*)+\s*", re.ASCII)
_PLACE = re.compile(r" at <top-level>, line (\d+), column (\d+):")
_ABSENT: Any = object()


class JqSyntax(Exception):
    """A filter that does not compile: what is wrong with it, and where in its text."""

    def __init__(self, message: str, line: int = 1, column: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column


class JqFailure(Exception):
    """A filter that fails while it runs, or gives no value or too many."""


class JqInput:
    """Data that filters look at, turned into JSON at most once."""

    def __init__(self, data: Any) -> None:
        self.data = data

    @cached_property
    def text(self) -> str:
        """The data as JSON."""
        return json.dumps(self.data, ensure_ascii=False, separators=(",", ":"))


class JqProgram:
    """A compiled filter.

    >>> JqProgram(".a[]").value(JqInput({"a": [1, 2]})), JqProgram(".b").value(JqInput({"a": 1}))
    ([1, 2], None)
    """

    __slots__ = ("_compiled", "_steps", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._compiled = _compile(text)
        self._steps = tuple(text.strip().split(".")[1:]) if _PLAIN_PATH.fullmatch(text) else ()

    def value(self, document: JqInput) -> Any:
        """What the filter gives: its one value, or the list of its values if there are several, as in Minder.

        Raises JqFailure if it fails, gives nothing at all, or more than 10,000 values.
        """
        if self._steps:
            found = self._looked_up(document.data)
            if found is not _ABSENT:
                return found
        values: list[Any] = []
        try:
            for value in self._compiled.input_text(document.text):
                values.append(value)
                if len(values) > VALUES_LIMIT:
                    raise JqFailure(f"the filter gives more than {VALUES_LIMIT:,} values")
        except ValueError as error:
            raise JqFailure(str(error).strip() or "the filter fails without a message") from None
        if not values:
            raise JqFailure("no values found: the filter gives none at all, not even null")
        return values[0] if len(values) == 1 else values

    def _looked_up(self, value: Any) -> Any:
        """The value at a plain path; what is not there for a reason that jq knows better is left to jq."""
        for step in self._steps:
            if type(value) is dict:
                value = value.get(step)
            elif value is not None:
                return _ABSENT
        return value


@lru_cache(maxsize=1024)
def _compile(text: str) -> Any:
    try:
        import jq  # type: ignore[import-not-found]  # a module of C without hints
    except ImportError:
        raise missing_extra("rules", "jq") from None
    if not text.strip():
        raise JqSyntax("is empty")
    if len(text) > FILTER_LIMIT or "\0" in text:
        raise JqSyntax(f"is longer than {FILTER_LIMIT:,} characters, or holds a NUL character")
    try:
        return jq.compile(_BEFORE + text)
    except ValueError as error:
        raise _syntax(str(error), text) from None


def _syntax(said: str, text: str) -> JqSyntax:
    first = said.strip().partition("\n")[0].removeprefix("jq: error: ")
    found = _PLACE.search(first)
    if found is None:
        return JqSyntax(first)
    line, column = int(found[1]) - 1, int(found[2])
    if line < 1:  # the text ends before anything stands in it: a comment, say
        line, column = 1, 1
    return JqSyntax(first[: found.start()], min(line, text.count("\n") + 1), column)
