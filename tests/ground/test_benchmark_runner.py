"""`make bench`: every script runs, every claim is in the summary, and a missed one fails the run."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "benchmarks").mkdir()
    for name in ("__init__.py", "__main__.py", "claims.py"):
        shutil.copy(BENCHMARKS / name, tmp_path / "benchmarks")
    return tmp_path


def write(checkout: Path, name: str, claim: str) -> None:
    script = f"import sys\nfrom benchmarks.claims import Claim, report\nsys.exit(report({claim}))\n"
    (checkout / "benchmarks" / f"{name}.py").write_text(script)


def bench(checkout: Path, *arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", *arguments], cwd=checkout, capture_output=True, text=True
    )
    return done.returncode, done.stdout.partition("\n== summary\n")[2] or done.stderr


def test_kept_claims_are_summed_up_in_the_order_of_the_scripts(checkout: Path) -> None:
    write(checkout, "b_memory", 'Claim("memory", 212.4, at_most=300, unit="MB")')
    write(checkout, "a_speed", 'Claim("speed", 0.912, at_least=0.8), Claim("start", 2.5, at_least=2)')
    exit_code, summary = bench(checkout)
    assert exit_code == 0
    assert summary.splitlines() == [
        "holds    speed: 0.912 (at least 0.8)",
        "holds    start: 2.5 (at least 2)",
        "holds    memory: 212 MB (at most 300 MB)",
    ]


def test_a_missed_claim_fails_the_run_and_the_others_still_run(checkout: Path) -> None:
    write(checkout, "a_speed", 'Claim("speed", 0.7, at_least=0.8)')
    write(checkout, "b_start", 'Claim("start", 2.5, at_least=2)')
    exit_code, summary = bench(checkout)
    assert exit_code == 1
    assert summary.splitlines()[0] == "MISSED   speed: 0.7 (at least 0.8)"
    assert "holds    start: 2.5 (at least 2)" in summary


def test_a_script_that_claims_nothing_or_crashes_fails_the_run(checkout: Path) -> None:
    (checkout / "benchmarks" / "silent.py").write_text("print('all is well')\n")
    assert bench(checkout) == (1, "MISSED   silent made no claim\n")
    (checkout / "benchmarks" / "silent.py").write_text("raise SystemExit(3)\n")
    assert bench(checkout) == (1, "MISSED   silent made no claim\nsilent ended with exit code 3\n")


def test_no_benchmark_is_not_a_green_run(checkout: Path) -> None:
    assert bench(checkout) == (5, "no benchmark was found for benchmarks/*.py\n")


def test_arguments_choose_scripts_by_the_beginning_of_their_names(checkout: Path) -> None:
    write(checkout, "a_speed", 'Claim("speed", 1, at_least=0.8)')
    write(checkout, "b_start", 'Claim("start", 2.5, at_least=2)')
    assert bench(checkout, "b_") == (0, "holds    start: 2.5 (at least 2)\n")
