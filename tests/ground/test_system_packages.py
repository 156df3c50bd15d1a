"""`tools/system_packages.py`: what is missing is installed, or named with the command that brings it."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "system_packages.py"


def run(programs: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the tool where only the given programs exist: no apt-get, so nothing can be installed."""
    return subprocess.run(
        [sys.executable, TOOL], env={"PATH": str(programs), **variables}, capture_output=True, text=True
    )


def programs(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    return folder


@pytest.mark.parametrize(("variables", "exit_code"), [({}, 0), ({"CI": "true"}, 1)])
def test_missing_programs_are_named_with_the_command(
    tmp_path: Path, variables: dict[str, str], exit_code: int
) -> None:
    done = run(programs(tmp_path, "curl", "git", "postgres"), **variables)
    assert done.returncode == exit_code
    assert "not on this machine: chromium, chromium-driver." in done.stderr
    assert "sudo sh -c 'apt-get update && apt-get install -y chromium chromium-driver'" in done.stderr


def test_a_program_of_another_package_is_good_enough(tmp_path: Path) -> None:
    done = run(programs(tmp_path, "google-chrome", "chromedriver", "curl", "git", "postgres"), CI="true")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_program_away_from_the_path_is_found_at_its_place(tmp_path: Path) -> None:
    tool = runpy.run_path(str(TOOL))
    tool["PROGRAMS"]["postgresql"] = ("no-such-program", f"{tmp_path}/*/bin/postgres")
    assert tool["missing_packages"](["postgresql"]) == ["postgresql"]
    (tmp_path / "15" / "bin").mkdir(parents=True)
    programs(tmp_path / "15" / "bin", "postgres")
    assert tool["missing_packages"](["postgresql"]) == []


def test_as_root_apt_is_asked_once_without_questions(tmp_path: Path) -> None:
    apt = programs(tmp_path, "chromium", "chromedriver", "git", "postgres", "id") / "apt-get"
    apt.write_text(
        '#!/bin/sh\necho "$DEBIAN_FRONTEND $*" >>"$LOG"\n'
        '[ "$1" != install ] || { echo "#!/bin/sh" >"$BIN/curl"; /bin/chmod +x "$BIN/curl"; }\n'
    )
    apt.chmod(0o755)
    as_root = f"import os, runpy; os.geteuid = lambda: 0; runpy.run_path({str(TOOL)!r}, run_name='__main__')"
    done = subprocess.run(
        [sys.executable, "-c", as_root],
        env={"PATH": str(tmp_path), "LOG": str(tmp_path / "log"), "BIN": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "log").read_text().splitlines() == [
        "noninteractive update --quiet=2",
        "noninteractive install --quiet=2 --yes --no-install-recommends curl",
    ]
