"""What `import understudy` adds to the start of a bare Python."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.claims import Claim, report
from benchmarks.measuring import difference, show, timed_commands

ROUNDS = 60
OURS = "import understudy"
FLOOR = "bare python"


def main() -> int:
    """Measure, show, and judge the claim."""
    commands = {OURS: [sys.executable, "-c", "import understudy"], FLOOR: [sys.executable, "-c", "pass"]}
    times = timed_commands(commands, Path.cwd(), ROUNDS)
    show("The start of Python", times, "ms")
    return report(
        Claim("import understudy, over bare python", difference(times, OURS, FLOOR), at_most=60, unit="ms")
    )


if __name__ == "__main__":
    sys.exit(main())
