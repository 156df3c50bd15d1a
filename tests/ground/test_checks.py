"""The checks of `make lint` that are ours: changelog fragments, and addresses and paths of one machine."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(checkout: Path, tool: str) -> tuple[int, list[str]]:
    done = subprocess.run([sys.executable, checkout / "tools" / tool], capture_output=True, text=True)
    return done.returncode, done.stderr.splitlines()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "tools").mkdir()
    for tool in ("check_fragments.py", "check_addresses.py"):
        shutil.copy(ROOT / "tools" / tool, tmp_path / "tools")
    shutil.copy(ROOT / "towncrier.toml", tmp_path)
    (tmp_path / "changelog.d").mkdir()
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    return tmp_path


def test_well_named_fragments_pass(checkout: Path) -> None:
    (checkout / "changelog.d" / "+redirect-loops.fixed.md").write_text("A loop ends after ten hops.\n")
    assert run(checkout, "check_fragments.py") == (0, [])


def test_every_badly_named_or_empty_fragment_is_listed(checkout: Path) -> None:
    for name in ("123.fixed.md", "+Loud.fixed.md", "+loops.fixd.md", "+loops.fixed.txt"):
        (checkout / "changelog.d" / name).write_text("Something.\n")
    (checkout / "changelog.d" / "+quiet.added.md").write_text("\n")
    exit_code, problems = run(checkout, "check_fragments.py")
    assert exit_code == 1
    assert [problem.partition(":")[0] for problem in problems] == [
        "changelog.d/+Loud.fixed.md",
        "changelog.d/+loops.fixd.md",
        "changelog.d/+loops.fixed.txt",
        "changelog.d/+quiet.added.md",
        "changelog.d/123.fixed.md",
    ]
    assert "the kinds are added, changed, removed, fixed, security" in problems[1]


def test_a_machine_path_and_a_registry_are_found_in_files_that_git_does_not_know_yet(checkout: Path) -> None:
    (checkout / "notes.md").write_text(
        "fine: ~/work/x, src/work/y, /usr/bin/env, GET /home\n"
        + "see /{}/someone/notes\n".format("home")
        + "from https://{}.org/simple\n".format("pypi")
    )
    assert run(checkout, "check_addresses.py") == (
        1,
        [
            "notes.md:2: holds an absolute path of one machine; make it relative",
            "notes.md:3: names a package registry; that is a setting of the machine",
        ],
    )


def test_ignored_files_are_not_looked_at(checkout: Path) -> None:
    (checkout / ".gitignore").write_text("/.venv/\n")
    (checkout / ".venv").mkdir()
    (checkout / ".venv" / "config").write_text("home = /{}/bin\n".format("opt"))
    assert run(checkout, "check_addresses.py") == (0, [])
