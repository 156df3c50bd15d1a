"""What a check found: an expectation that does not hold, and which one of the case's expectations it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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
