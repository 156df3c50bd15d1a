"""`tools/find_python.sh`: takes the newest Python that really runs, and says so if there is none."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "tools" / "find_python.sh"
REAL = getattr(sys, "_base_executable", sys.executable)


def command(folder: Path, name: str, script: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


def find(folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([SCRIPT], env={"PATH": str(folder), **variables}, capture_output=True, text=True)


def test_a_command_that_does_not_run_is_passed_over(tmp_path: Path) -> None:
    command(tmp_path / "bin", "python3.13", "echo 'python3.13: not selected' >&2; exit 127")
    command(tmp_path / "bin", "python3.12", "echo ''")
    command(tmp_path / "bin", "python3", f'exec {REAL} "$@"')
    assert find(tmp_path / "bin").stdout.strip() == REAL


def test_without_a_python_that_is_new_enough_it_says_what_to_install(tmp_path: Path) -> None:
    command(tmp_path / "bin", "python3", "echo ''")
    found = find(tmp_path / "bin")
    assert (found.returncode, found.stdout) == (1, "")
    assert "needs Python 3.11 or newer" in found.stderr
    assert "apt-get install python3 python3-venv" in found.stderr


def test_python_can_be_named_by_hand(tmp_path: Path) -> None:
    command(tmp_path / "bin", "python3", "exit 1")
    command(tmp_path / "elsewhere", "mine", f'exec {REAL} "$@"')
    assert find(tmp_path / "bin", PYTHON=str(tmp_path / "elsewhere" / "mine")).stdout.strip() == REAL


def test_in_an_active_virtual_environment_the_interpreter_below_it_is_taken(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    shutil.copy2(tmp_path / "venv" / "bin" / "python3", tmp_path / "python3", follow_symlinks=False)
    assert find(tmp_path / "venv" / "bin").stdout.strip() == str(Path(REAL))
