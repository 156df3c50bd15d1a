"""What a check found: an expectation that does not hold, and which one of the case's expectations it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from understudy.core.brief import brief, json_type, visible

Where = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """One expectation that does not hold. `where` is its place in the case, as keys of the JSON form.

    `settled` says that writing `actual` in the place of `where` would make the expectation hold; it is what
    `--update` uses.
    """

    where: Where
    message: str
    expected: Any = None
    actual: Any = None
    diff: str = ""
    settled: bool = False


def contrast(wanted: str, found: str) -> str:
    """The diff of what cannot be compared by text or by path: what was wanted in words, what came in short.

    >>> print(contrast("more than 3", "2.5"))
    --- expected
    +++ actual
    -more than 3
    +2.5
    """
    return f"--- expected\n+++ actual\n-{visible(wanted)}\n+{visible(found)}"


def typed(value: Any) -> str:
    """A value in short, with its type, where it is the type that counts.

    >>> typed("1"), typed(1)
    ('"1" (string)', '1 (number)')
    """
    return f"{brief(value)} ({json_type(value)})"
