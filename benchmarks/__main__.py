"""Runs every benchmark, or those whose names start with an argument, in order, and sums their claims up."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.claims import PREFIX

HERE = Path(__file__).resolve().parent
NOT_BENCHMARKS = {
    "__init__.py",
    "__main__.py",
    "claims.py",
    "fast_server.py",
    "items.py",
    "measuring.py",
    "rule_files.py",
    "two_processes.py",
}
NO_BENCHMARK = 5


def main(arguments: Sequence[str]) -> int:
    scripts = [file for file in sorted(HERE.glob("*.py")) if file.name not in NOT_BENCHMARKS]
    if arguments:
        scripts = [file for file in scripts if file.stem.startswith(tuple(arguments))]
    if not scripts:
        print(f"no benchmark was found for {' '.join(arguments) or 'benchmarks/*.py'}", file=sys.stderr)
        return NO_BENCHMARK
    summary: list[str] = []
    good = True
    for script in scripts:
        print(f"== {script.stem}", flush=True)
        claims, exit_code = run_script(script)
        if not claims:
            claims = [f"MISSED   {script.stem} made no claim"]
        summary += claims
        good = good and exit_code == 0 and all(claim.startswith("holds") for claim in claims)
        if exit_code != 0:
            summary.append(f"{script.stem} ended with exit code {exit_code}")
    print("\n== summary", *summary, sep="\n")
    return 0 if good else 1


def run_script(script: Path) -> tuple[list[str], int]:
    """Run one benchmark as a module, letting its output through; its claims and its exit code."""
    peers = HERE.parent / ".venv-peers" / "bin" / "python"
    process = subprocess.Popen(
        [sys.executable, "-m", f"benchmarks.{script.stem}"],
        cwd=HERE.parent,
        env={**os.environ, "UNDERSTUDY_PEERS_PYTHON": str(peers)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    claims = []
    with process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            if line.startswith(PREFIX):
                claims.append(line.removeprefix(PREFIX).rstrip())
    return claims, process.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
