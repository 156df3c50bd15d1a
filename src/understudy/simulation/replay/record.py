"""What is known of one run: what it yielded and wrote, and what it read that may be different next time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

ReadKind = Literal["clock", "id", "random", "environment", "process", "thread", "order"]


@dataclass(frozen=True, slots=True)
class Site:
    """A line of the pipeline's own code."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Read:
    """What one line read from outside of the pipeline's input: how often, and the first values that it got.

    `through` is the library in between, if the line did not read it itself.
    """

    kind: ReadKind
    name: str
    site: Site
    count: int = 1
    values: tuple[Any, ...] = ()
    through: str = ""

    def __str__(self) -> str:
        verb = "starts" if self.kind == "thread" else "depends on" if self.kind == "order" else "reads"
        times = f" ({self.count:,} times)" if self.count > 1 else ""
        through = f", through {self.through}" if self.through else ""
        return f"{self.site} {verb} {self.name}{times}{through}"


class Write(NamedTuple):
    """One side effect, as the ledger has it. Without a key, it cannot be made twice without being there twice.

    `site` is the pipeline's line that made it, if that is known. (A tuple, for runs make them by the thousands.)
    """

    step: int
    subject: str
    operation: str
    key: str
    content_hash: str
    site: str = ""
    is_once_only: bool = False

    @property
    def name(self) -> str:
        """Who did what to which object."""
        words = [word for word in (self.subject, self.operation) if word]
        return f"{'.'.join(words) or 'write'}({self.key})"

    def __str__(self) -> str:
        return f"write {self.step}, {self.name}{f' at {self.site}' if self.site else ''}"


@dataclass(frozen=True, slots=True)
class Run:
    """One run. `contents` are there only if they are to be compared; `error` says how it ended, if not well."""

    ids: tuple[str, ...] = ()
    contents: Mapping[str, bytes | str] = field(default_factory=dict)
    count: int = 0
    log: tuple[Mapping[str, Any], ...] = ()
    writes: tuple[Write, ...] = ()
    reads: tuple[Read, ...] = ()
    notes: tuple[str, ...] = ()
    error: str = ""
    error_site: Site | None = None
    is_crashed: bool = False
    context_id: str = ""

    @property
    def is_empty(self) -> bool:
        """True if there is nothing by which two runs could be compared."""
        return not self.count and not self.writes
