"""What can be done to a pipeline, and how far that goes by default: what settings know without loading anything."""

from __future__ import annotations

from typing import Literal

StepKind = Literal["crash", "duplicate", "reorder"]
KINDS: tuple[StepKind, ...] = ("crash", "duplicate", "reorder")

MOST_STEPS = 4
MOST_WRITES = 10_000
SECONDS_PER_RUN = 60.0
