"""The state of one rendering: what was written so far, and the bounds that nothing can pass."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from understudy.rules.templates.faults import TemplateFault

DEPTH = 100
STEPS = 1_000_000

Frame = list[Any]


class Run:
    """What the parts of a template share while it is rendered."""

    __slots__ = ("depth", "limit", "size", "steps", "templates", "written")

    def __init__(self, templates: Mapping[str, tuple[Execute, int]], limit: int) -> None:
        self.templates = templates
        self.limit = limit
        self.written: list[str] = []
        self.size = 0
        self.steps = 0
        self.depth = 0

    def write(self, text: str, offset: int) -> None:
        """Add to the output, whose size is counted in bytes as Go counts it."""
        self.size += len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        if self.size > self.limit:
            hint = f"at most {self.limit:,} bytes may come out"
            raise TemplateFault("the output: exceeded size limit", offset, hint=hint)
        self.written.append(text)

    def step(self, offset: int) -> None:
        """Count a round of a range or a call of a template."""
        self.steps += 1
        if self.steps > STEPS:
            hint = "loop less: nested ranges multiply"
            raise TemplateFault(f"the range: exceeded {STEPS:,} steps", offset, hint=hint)


Evaluate = Callable[[Run, Frame, Any], Any]
# What a node answers: nothing, or that a `break` or a `continue` is under way.
Execute = Callable[[Run, Frame, Any], str | None]
