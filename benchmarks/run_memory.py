"""The most memory that a run of 100,000 cases takes: the whole command, with all of its reports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.claims import Claim, report
from benchmarks.fast_server import fast_server
from benchmarks.measuring import load

CASES = 100_000
ROUTES = 100
REPORTS = ("json", "junit", "html")


def write_suite(path: Path) -> None:
    """Write the suite one case at a time: a process that has been large makes its children seem so (see below)."""
    per_route = CASES // ROUTES
    with path.open("w", encoding="utf-8") as out:
        out.write('{"schema": "anvil.testbed.v1", "http": {"routes": [')
        for route in range(ROUTES):
            head = {
                "operation": f"getItem{route}",
                "method": "GET",
                "path": f"/{route}/{{id}}",
                "params": ["id"],
            }
            out.write(("," if route else "") + json.dumps(head)[:-1] + ', "cases": [')
            for number in range(per_route):
                item = {
                    "name": f"item {number}",
                    "input": {"params": {"id": number}},
                    "expect": {"status": 200, "bodyContains": [f'"id":{number},']},
                }
                out.write((",\n" if number else "\n") + json.dumps(item))
            out.write("]}")
        out.write("]}}\n")


def main() -> int:
    """Run the command, show what it did, and judge the claim."""
    with tempfile.TemporaryDirectory() as name, fast_server() as base_url:
        folder = Path(name)
        write_suite(folder / "suite.json")
        reports = {kind: folder / f"report.{kind}" for kind in REPORTS}
        command = [str(Path(sys.executable).parent / "understudy"), "testbed", "run", "suite.json"]
        command += ["--base-url", base_url, "--concurrency", "32"]
        for kind, path in reports.items():
            command += [f"--{kind}", str(path)]
        began = time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL)
        # The peak of this one child and of those that it has waited for itself. Linux counts for it, too, what this
        # process took when it started it, which is therefore kept small.
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        took = time.perf_counter() - began
        if process.returncode:
            raise SystemExit(f"the run ended with exit code {process.returncode}")
        sizes = {kind: path.stat().st_size / 1e6 for kind, path in reports.items()}
        passed = json_summary(reports["json"])
    print(f"{CASES:,} cases in {took:.0f} s, {CASES / took:,.0f}/s ({load()})")
    print("  reports: " + ", ".join(f"{kind} {size:.0f} MB" for kind, size in sizes.items()))
    if f'"passed": {CASES}' not in passed:
        raise SystemExit(f"not all cases passed: {passed}")
    return report(Claim(f"peak memory of {CASES:,} cases", usage.ru_maxrss / 1024, at_most=300, unit="MB"))


def json_summary(path: Path) -> str:
    """The beginning of the report, where its summary stands."""
    with path.open(encoding="utf-8") as file:
        return file.read(2000)


if __name__ == "__main__":
    sys.exit(main())
