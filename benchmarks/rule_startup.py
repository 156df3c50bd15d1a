"""`ruletest --dir` for one rule with one test, from the shell and back, and the bare interpreter beside it."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.claims import Claim, report
from benchmarks.measuring import difference, show, timed_commands
from benchmarks.rule_files import write_rules

ROUNDS = 15

OURS = "ruletest --dir, one rule"
FLOOR = "python -c pass"


def main() -> int:
    """Measure, show, and judge the claim."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_rules(folder, 1, 1)
        commands = {
            OURS: [str(Path(sys.executable).with_name("ruletest")), "--dir", "."],
            FLOOR: [sys.executable, "-c", "pass"],
        }
        times = timed_commands(commands, folder, ROUNDS)
    show("The whole command for one rule with one test", times, "ms")
    whole = sorted(times[OURS])[len(times[OURS]) // 2]
    print(f"  of which above the bare interpreter: {difference(times, OURS, FLOOR):,.1f} ms")
    return report(Claim("ruletest --dir on one rule, from start to end", whole, at_most=300, unit="ms"))


if __name__ == "__main__":
    sys.exit(main())
