"""The whole command for 20 cases, from the shell and back, against Tavern's for the same 20."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from benchmarks.claims import Claim, report
from benchmarks.fast_server import fast_server
from benchmarks.items import peers_python, suite, write_tavern_file
from benchmarks.measuring import ratio, show, timed_commands

CASES = 20
ROUNDS = 10

OURS = "understudy testbed run"
PYTEST = "pytest with Tavern"
TAVERN_CI = "tavern-ci"
FLOOR = "python -c pass"


def main() -> int:
    """Measure, show, and judge the claim."""
    scripts, peer = Path(sys.executable).parent, peers_python()
    with tempfile.TemporaryDirectory() as name, fast_server() as base_url:
        folder = Path(name)
        (folder / "suite.json").write_text(json.dumps(suite(range(1, CASES + 1))), encoding="utf-8")
        tavern_file = write_tavern_file(folder, range(1, CASES + 1), base_url)
        commands = {
            OURS: [str(scripts / "understudy"), "testbed", "run", "suite.json", "--base-url", base_url],
            PYTEST: [str(peer), "-m", "pytest", "-q", "--rootdir", name, tavern_file],
            TAVERN_CI: [str(peer.parent / "tavern-ci"), tavern_file],
            FLOOR: [sys.executable, "-c", "pass"],
        }
        times = timed_commands(commands, folder, ROUNDS)
    show(f"The whole command for {CASES} cases", times, "ms")
    faster = min(ratio(times, peer_name, OURS) for peer_name in (PYTEST, TAVERN_CI))
    return report(Claim(f"whole command for {CASES} cases, times faster than Tavern's", faster, at_least=2))


if __name__ == "__main__":
    sys.exit(main())
