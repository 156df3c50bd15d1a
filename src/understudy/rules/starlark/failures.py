"""What a check that does not hold has to say, from what Starlark hands over of it."""

from __future__ import annotations

import json
import re
from typing import Any

from understudy.core.diff import diff
from understudy.core.outcome import Failure, Location
from understudy.rules.starlark.scanner import as_written

_FRAME = re.compile(r"^\s+\* (?P<file>.+):(?P<line>\d+), in ", re.MULTILINE)


def caller(stack: str, file: str) -> Location:
    """The innermost line of `file` in a call stack; of whatever file it is if `file` is not in it.

    >>> str(caller("Traceback:\\n  * a.star:3, in test_a\\n      f()\\n  * <understudy>:9, in __eq\\n", "a.star"))
    'a.star:3'
    """
    frames = [(found["file"], int(found["line"])) for found in _FRAME.finditer(stack)]
    own = [frame for frame in frames if frame[0] == file]
    other = [frame for frame in frames if not frame[0].startswith("<")]
    return Location(*(own or other)[-1]) if own or other else Location(file)


def failure(
    kind: str,
    shown: tuple[str, str],
    encoded: tuple[str | None, str | None],
    message: str | None,
    location: Location,
) -> Failure:
    """One failed check: what came and what was wanted, as Starlark shows them and as JSON if there is a form for it."""
    got, want = _value(encoded[0], shown[0]), _value(encoded[1], shown[1])
    words = _words(kind, as_written(shown[0]), as_written(shown[1]), message)
    if kind in ("fail", "fails"):
        return Failure(words, None, None, location=location)
    if kind == "true":
        return Failure(words, True, got, location=location)
    difference = diff(want, got) if kind == "eq" and _is_large(got, want) else ""
    return Failure(words, want, got, difference, location)


def _words(kind: str, got: str, want: str, message: str | None) -> str:
    got, want = _brief(got), _brief(want)
    if kind == "eq":
        return f"expected {want}, got {got}"
    if kind == "ne":
        return f"expected anything but {want}"
    if kind == "contains":
        return f"expected {want} in {got}"
    if kind == "lt":
        return f"expected less than {want}, got {got}"
    if kind == "true":
        return message or f"expected something true, got {got}"
    if kind == "fails":
        return "expected the call to fail, but it did not"
    if kind == "fails_otherwise":
        return f"the call failed, but not with an error that matches {want}: {got}"
    return message or "fail() was called"


def _brief(text: str) -> str:
    return text if len(text) <= 300 else f"{text[:300]}… ({len(text):,} characters)"


def _value(encoded: str | None, shown: str) -> Any:
    return shown if encoded is None else json.loads(encoded)


def _is_large(got: Any, want: Any) -> bool:
    if isinstance(got, dict | list) or isinstance(want, dict | list):
        return True
    return isinstance(got, str) and isinstance(want, str) and len(got) + len(want) > 60
