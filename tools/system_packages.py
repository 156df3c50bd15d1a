"""Installs the system packages that the tests use if it may (as root, through apt), or says what is missing.

Usage: system_packages.py [PACKAGE...]; without names, all that are listed below. Needs nothing but the
standard library. A program that is there is left alone, whatever package it is of.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from glob import glob

PROGRAMS = {
    "chromium": ("chromium", "chromium-browser", "google-chrome"),
    "chromium-driver": ("chromedriver",),
    "curl": ("curl",),
    "git": ("git",),
    # Debian keeps the server's programs, one folder a version, away from the PATH.
    "postgresql": ("postgres", "/usr/lib/postgresql/*/bin/postgres"),
}
"""Debian's package to the programs, by name or place, of which one must be there."""


def main(wanted: Sequence[str]) -> int:
    packages = wanted or list(PROGRAMS)
    missing = missing_packages(packages)
    if not missing:
        return 0
    if os.geteuid() == 0 and shutil.which("apt-get"):
        install(missing)
        missing = missing_packages(packages)
        if not missing:
            return 0
    print(note(missing), file=sys.stderr)
    return 1 if os.environ.get("CI") else 0


def missing_packages(packages: Sequence[str]) -> list[str]:
    """Those of the packages of which no program is there."""
    return [package for package in packages if not any(map(is_there, PROGRAMS[package]))]


def is_there(program: str) -> bool:
    """Whether a program is on the PATH, or at its place.

    >>> is_there("sh"), is_there("/no/*/such/place")
    (True, False)
    """
    return bool(glob(program) if "/" in program else shutil.which(program))


def install(packages: Sequence[str]) -> None:
    """Install with apt, asking nothing; what still fails is found out by looking for the programs again."""
    print(f"understudy: installing system packages (once): {' '.join(packages)}", flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (
        ["apt-get", "update", "--quiet=2"],
        ["apt-get", "install", "--quiet=2", "--yes", "--no-install-recommends", *packages],
    ):
        done = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
        if done.returncode != 0:
            print(f"understudy: {shlex.join(command)} failed:\n{done.stdout}", file=sys.stderr)
            return


def note(missing: Sequence[str]) -> str:
    """What is left out without these packages, and the one command that brings them.

    >>> print(note(["curl"]))
    understudy: not on this machine: curl. What needs it is left out (in CI it fails).
    understudy: install it with: sudo sh -c 'apt-get update && apt-get install -y curl'
    """
    it = "it" if len(missing) == 1 else "them"
    packages = " ".join(missing)
    return (
        f"understudy: not on this machine: {', '.join(missing)}. "
        f"What needs {it} is left out (in CI it fails).\n"
        f"understudy: install {it} with: sudo sh -c 'apt-get update && apt-get install -y {packages}'"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
