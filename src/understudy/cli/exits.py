"""What the exit code of a command says."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """One meaning each; scripts and CI rely on them."""

    PASSED = 0
    FAILED = 1
    WRONG_INPUT = 2
    DEFECT = 3
    NO_CASE = 5
    INTERRUPTED = 130
