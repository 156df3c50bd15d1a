"""Checks that every changelog fragment is named as towncrier wants it and says something."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Collection
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAME = re.compile(r"\+(?P<topic>[a-z0-9]+(-[a-z0-9]+)*)\.(?P<kind>[a-z]+)\.md")
KEPT = {".gitignore", "template.md.jinja"}


def main() -> int:
    config = tomllib.loads((ROOT / "towncrier.toml").read_text())["tool"]["towncrier"]
    folder = ROOT / config["directory"]
    problems = fragment_problems(folder, [kind["directory"] for kind in config["type"]])
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def fragment_problems(folder: Path, kinds: Collection[str]) -> list[str]:
    """What is wrong with the fragments of a folder, in the order of their names."""
    problems = []
    for file in sorted(folder.iterdir()):
        if file.name in KEPT:
            continue
        place = f"{folder.name}/{file.name}"
        match = NAME.fullmatch(file.name)
        if match is None:
            problems.append(f"{place}: its name must be +<topic>.<kind>.md, the topic in lower case")
        elif match["kind"] not in kinds:
            problems.append(f"{place}: there is no kind {match['kind']!r}; the kinds are {', '.join(kinds)}")
        elif not file.read_text(encoding="utf-8").strip():
            problems.append(f"{place}: the fragment is empty; say in a sentence what changes for a user")
    return problems


if __name__ == "__main__":
    sys.exit(main())
