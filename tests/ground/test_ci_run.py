"""`.ci/run`: fails when anything failed or nothing ran, and pytest's closing line is the last line."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

RUN = Path(__file__).parents[2] / ".ci" / "run"
PASSED = "===== 12 passed in 3.21s ====="


def ci(root: Path, lint: str, test: str) -> tuple[int, list[str]]:
    (root / ".ci").mkdir()
    shutil.copy(RUN, root / ".ci")
    (root / "Makefile").write_text(f"lint:\n\t@{lint}\ntest:\n\t@{test}\n")
    done = subprocess.run([root / ".ci" / "run"], cwd="/", capture_output=True, text=True)
    return done.returncode, done.stdout.splitlines()


def test_all_well(tmp_path: Path) -> None:
    exit_code, lines = ci(tmp_path, "true", f'echo "{PASSED}"')
    assert (exit_code, lines[-1]) == (0, PASSED)


def test_a_lint_failure_fails_the_run_and_the_tests_still_run(tmp_path: Path) -> None:
    exit_code, lines = ci(tmp_path, "false", f'echo "{PASSED}"')
    assert (exit_code, lines[-2:]) == (1, ["make lint failed, see above", PASSED])


@pytest.mark.parametrize(
    "closing",
    [
        "===== 1 failed, 11 passed in 3.21s =====",
        "===== no tests ran in 0.01s =====",
        "===== 2 skipped in 0.01s =====",
        "1 error in 0.50s",
    ],
)
def test_failing_tests_fail_the_run_and_their_closing_line_is_last(tmp_path: Path, closing: str) -> None:
    exit_code, lines = ci(tmp_path, "true", f'echo "{closing}"; exit 1')
    assert (exit_code, lines[-1]) == (1, closing)


def test_a_run_in_which_nothing_passed_is_a_failure_whatever_make_says(tmp_path: Path) -> None:
    exit_code, _ = ci(tmp_path, "true", 'echo "===== 2 skipped in 0.01s ====="')
    assert exit_code == 1


def test_a_run_that_never_came_to_its_end_is_a_failure(tmp_path: Path) -> None:
    exit_code, lines = ci(tmp_path, "true", "echo collecting")
    assert (exit_code, lines[-1]) == (1, "pytest did not come to its end")
