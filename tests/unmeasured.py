"""The environment of a child process that coverage is not to look into.

Coverage starts itself in every Python that inherits its variables. There it imports what no user's process has,
and opens a data file that a child which became another user may not write.
"""

from __future__ import annotations

import os


def unmeasured(**more: str) -> dict[str, str]:
    """This process's environment without the variables that start coverage, and with those that are given."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_PROCESS_")}
    return {**kept, **more}
