"""What our pytest plugin costs a run that has nothing to do with us.

The plugin is installed in both runs that are compared, and left out of one by `-p no:understudy`, which saves its
import as well. All other plugins are left out of both, as they take much longer to start and so hide what ours
takes. But pyreqwest, which our testbed extra brings in, has a pytest plugin of its own: its cost is told apart.
"""

from __future__ import annotations

import sys
import tempfile
from importlib.metadata import entry_points
from pathlib import Path

from benchmarks.claims import Claim, report
from benchmarks.measuring import difference, show, timed_commands

ROUNDS = 40

OURS = "understudy's plugin"
NONE = "no plugin"
PYREQWEST = "pyreqwest's plugin"


def main() -> int:
    """Measure, show, and judge the claim."""
    installed = {entry.name for entry in entry_points(group="pytest11")}
    if "understudy" not in installed:
        raise SystemExit("understudy's pytest plugin is not installed: run `make setup`")
    left_out = {OURS: installed - {"understudy"}, NONE: installed, PYREQWEST: installed - {"pyreqwest"}}
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_nothing.py"]
    commands = {
        who: [*pytest, *(f"-pno:{plugin}" for plugin in sorted(plugins))] for who, plugins in left_out.items()
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "test_nothing.py").write_text("def test_nothing() -> None: ...\n", encoding="utf-8")
        times = timed_commands(commands, folder, ROUNDS)
    show("pytest with one empty test", times, "ms")
    return report(
        Claim(
            "pytest with our plugin and nothing to do",
            difference(times, OURS, NONE),
            at_most=20,
            unit="ms more",
        ),
        Claim("pytest with pyreqwest's own plugin", difference(times, PYREQWEST, NONE), unit="ms more"),
    )


if __name__ == "__main__":
    sys.exit(main())
