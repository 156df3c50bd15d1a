"""Checks that no file of the repository holds the address of a package registry or a path of one machine."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SIZE_LIMIT = 5_000_000

# The patterns are put together from pieces, because this file is checked as well.
REGISTRIES = (r"pypi\.(?:org|python)", "python" + "hosted", "registry." + "npmjs", "deb." + "debian")
MACHINE_FOLDERS = ("opt", "work", "root", "home", "Users")
REGISTRY = re.compile("|".join(REGISTRIES))
MACHINE_PATH = re.compile(rf"(?<![\w.$}}~/*-])/(?:{'|'.join(MACHINE_FOLDERS)})/[\w.]")


def main() -> int:
    if shutil.which("git") is None:
        print("addresses were not checked: git, which knows the files, is not installed", file=sys.stderr)
        return 1
    problems = [problem for file in repository_files(ROOT) for problem in file_problems(ROOT, file)]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def repository_files(root: Path) -> list[str]:
    """The files that git keeps or would take, in order."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode()
    return sorted({name for name in listing.split("\0") if name and (root / name).is_file()})


def file_problems(root: Path, file: str) -> Iterator[str]:
    """The lines of a text file that tie it to a registry or to a machine."""
    path = root / file
    if path.stat().st_size > SIZE_LIMIT:
        yield f"{file}: is larger than {SIZE_LIMIT} bytes; large files do not belong in the repository"
        return
    for number, line in enumerate(path.read_bytes().decode("utf-8", "replace").splitlines(), start=1):
        if REGISTRY.search(line):
            yield f"{file}:{number}: names a package registry; that is a setting of the machine"
        if MACHINE_PATH.search(line):
            yield f"{file}:{number}: holds an absolute path of one machine; make it relative"


if __name__ == "__main__":
    sys.exit(main())
