"""Expectations that collect: every one that does not hold is kept, and all are reported together at the end."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any, Literal, Self, overload

from understudy.core.brief import brief, brief_pair, json_type
from understudy.core.diff import diff, nearest
from understudy.core.errors import InputError, Problem
from understudy.core.outcome import Failure, Location
from understudy.core.plain import plain

__all__ = ["Expect", "ExpectationError", "Raises", "expect", "render_failures"]


class ExpectationError(AssertionError):
    """Some expectations do not hold; `failures` are all of them."""

    def __init__(self, failures: tuple[Failure, ...]) -> None:
        self.failures = failures
        super().__init__(render_failures(failures))

    def __reduce__(self) -> tuple[type[ExpectationError], tuple[tuple[Failure, ...]]]:
        return type(self), (self.failures,)


def render_failures(failures: tuple[Failure, ...]) -> str:
    """All failures as text: how many, and of each where it is, what it says and its diff."""
    count = len(failures)
    lines = [f"{count} expectations do not hold:" if count != 1 else "1 expectation does not hold:"]
    for number, failure in enumerate(failures, 1):
        place = f"{failure.location}: " if failure.location else ""
        lines.append(f"{number}) {place}{failure.message}")
        if failure.diff:
            lines += ["     " + line for line in failure.diff.split("\n")]
    return "\n".join(lines)


def expect() -> Expect:
    """What a test checks with; at the end of the block everything that did not hold is raised as one error.

    >>> with expect() as check:
    ...     check.eq(1 + 1, 2)
    ...     check.contains("hello", "ell")
    True
    True
    """
    return Expect()


class Expect:
    """Checks that do not stop at the first failure. Each returns whether it held.

    >>> check = Expect()
    >>> check.eq("open", "closed", label="status"), check.true(True, "never shown")
    (False, True)
    >>> check.failures[0].message
    'status: expected "closed", got "open"'
    """

    def __init__(self) -> None:
        self.failures: list[Failure] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> Literal[False]:
        __tracebackhide__ = True
        if error is None:
            self.verify()
        elif self.failures:
            error.add_note("Before that, " + render_failures(tuple(self.failures)))
        return False

    def verify(self) -> None:
        """Raise one error with everything that did not hold; nothing happens if all held."""
        __tracebackhide__ = True
        if self.failures:
            raise ExpectationError(tuple(self.failures))

    def eq(self, got: Any, want: Any, label: str | None = None) -> bool:
        """`got` equals `want`."""
        if _equal(got, want):
            return True
        expected, actual = brief_pair(want, got)
        if expected == actual or json_type(want) != json_type(got):
            expected, actual = f"{expected} ({type(want).__name__})", f"{actual} ({type(got).__name__})"
        return self._failed(label, f"expected {expected}, got {actual}", want, got, _diff(want, got))

    def ne(self, got: Any, unwanted: Any, label: str | None = None) -> bool:
        """`got` is anything but `unwanted`."""
        if not _equal(got, unwanted):
            return True
        return self._failed(label, f"expected anything but {brief(unwanted)}", None, got)

    def contains(self, haystack: Any, needle: Any, label: str | None = None) -> bool:
        """`needle` is in `haystack`: a part of a text, an item of a list, a key of a mapping."""
        try:
            if needle in haystack:
                return True
        except TypeError:
            said = f"cannot look for {brief(needle)} in {brief(haystack)} ({type(haystack).__name__})"
            return self._failed(label, said, needle, haystack)
        hint = ""
        if isinstance(haystack, str) and isinstance(needle, str):
            near = nearest(needle, haystack)
            hint = f"nearest: {near}" if near else ""
        return self._failed(
            label, f"{brief(haystack)} does not contain {brief(needle)}", needle, haystack, hint
        )

    def matches(self, text: Any, regex: str | re.Pattern[str], label: str | None = None) -> bool:
        """The regular expression is found in the text (`^` and `$` bind it to its ends)."""
        try:
            pattern = re.compile(regex)
        except re.error as error:
            hint = "correct the expression, or escape it with re.escape"
            raise InputError([Problem(f"{regex!r} is no regular expression: {error}", hint=hint)]) from None
        if not isinstance(text, str):
            said = (
                f"expected text that matches {pattern.pattern!r}, got {brief(text)} ({type(text).__name__})"
            )
            return self._failed(label, said, pattern.pattern, text)
        if pattern.search(text):
            return True
        return self._failed(label, f"{brief(text)} does not match {pattern.pattern!r}", pattern.pattern, text)

    def true(self, value: object, message: str) -> bool:
        """`value` is true; the message says what it means if it is not."""
        return True if value else self._failed(None, message, True, value)

    def is_type(self, value: object, kind: type | tuple[type, ...], label: str | None = None) -> bool:
        """`value` is an instance of a type, or of one of several."""
        if isinstance(value, kind):
            return True
        kinds = " or ".join(one.__name__ for one in (kind if isinstance(kind, tuple) else (kind,)))
        said = f"expected {kinds}, got {type(value).__name__}: {brief(value)}"
        return self._failed(label, said, kinds, type(value).__name__)

    @overload
    def raises(
        self,
        kind: type[BaseException] | tuple[type[BaseException], ...],
        *,
        match: str | None = None,
        label: str | None = None,
    ) -> Raises: ...

    @overload
    def raises(
        self,
        kind: type[BaseException] | tuple[type[BaseException], ...],
        function: Callable[..., object],
        *arguments: Any,
        match: str | None = None,
        label: str | None = None,
    ) -> bool: ...

    def raises(
        self,
        kind: type[BaseException] | tuple[type[BaseException], ...],
        function: Callable[..., object] | None = None,
        *arguments: Any,
        match: str | None = None,
        label: str | None = None,
    ) -> Raises | bool:
        """Calling `function` raises `kind`, with a message that matches; without a function, a `with` block does.

        >>> check = Expect()
        >>> check.raises(ValueError, int, "x", match="invalid literal")
        True
        >>> with check.raises(ValueError):
        ...     _ = int("1")
        >>> check.failures[0].message
        'expected ValueError, but nothing was raised'
        """
        block = Raises(self, kind, match, label, _caller())
        if function is None:
            return block
        with block:
            function(*arguments)
        return block.held

    def fail(self, message: str, *, expected: Any = None, actual: Any = None, diff: str = "") -> bool:
        """Something does not hold, as was found out elsewhere; always False."""
        return self._failed(None, message, expected, actual, diff)

    def _failed(
        self,
        label: str | None,
        message: str,
        expected: Any,
        actual: Any,
        diff: str = "",
        location: Location | None = None,
    ) -> bool:
        said = f"{label}: {message}" if label else message
        self.failures.append(Failure(said, plain(expected), plain(actual), diff, location or _caller()))
        return False


class Raises:
    """A block that is expected to raise; `exception` is what it raised."""

    def __init__(
        self,
        check: Expect,
        kind: type[BaseException] | tuple[type[BaseException], ...],
        match: str | None,
        label: str | None,
        location: Location | None,
    ) -> None:
        self.exception: BaseException | None = None
        self.held = False
        self._check = check
        self._kinds = kind if isinstance(kind, tuple) else (kind,)
        self._match = match
        self._label = label
        self._location = location

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        self.exception = error
        wanted = " or ".join(one.__name__ for one in self._kinds)
        if error is None:
            self._fail(f"expected {wanted}, but nothing was raised", wanted, None)
            return False
        said = f"{type(error).__name__}: {error}"
        if isinstance(error, self._kinds):
            self.held = self._match is None or re.search(self._match, str(error)) is not None
            if not self.held:
                self._fail(f"{said!r} does not match {self._match!r}", self._match, str(error))
            return True
        if not isinstance(error, Exception):
            return False  # Ctrl-C and the like are nobody's expectation
        self._fail(f"expected {wanted}, got {said}", wanted, said)
        return True

    def _fail(self, message: str, expected: Any, actual: Any) -> None:
        self._check._failed(self._label, message, expected, actual, location=self._location)


def _equal(got: Any, want: Any) -> bool:
    try:
        return bool(got == want)
    except Exception:  # an array has no truth of its own, and a foreign __eq__ may do anything
        return not diff(want, got)


def _diff(want: Any, got: Any) -> str:
    """The diff, unless it says no more than the message does."""
    text = diff(want, got)
    return "" if text.startswith("$: ") and "\n" not in text else text


def _caller() -> Location | None:
    """The line outside this module that is being executed; its file relative to the folder if it is in there."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename == __file__ and frame.f_back is not None:
        frame = frame.f_back
    file = frame.f_code.co_filename
    inside = os.path.join(os.getcwd(), "")
    return Location(file.removeprefix(inside).replace(os.sep, "/"), frame.f_lineno)
