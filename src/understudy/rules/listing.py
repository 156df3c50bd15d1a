"""What discovery knows of a test file, without the interpreter: it is read where no rule is ever run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class LoadError:
    """Why a file or a test could not be run, and where in the file; `trace` is how the interpreter shows it."""

    message: str
    line: int | None = None
    column: int | None = None
    trace: str = ""


@dataclass(frozen=True, slots=True)
class Listed:
    """A test file as discovery sees it: its tests with their lines, what it loads, or why it cannot be loaded."""

    file: str
    tests: Mapping[str, int] = field(default_factory=dict)
    libraries: tuple[str, ...] = ()
    error: LoadError | None = None
