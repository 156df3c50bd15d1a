"""Which test files there are, and the units that they make: one for every test function."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from understudy.core.errors import InputError, Problem
from understudy.core.files import inside
from understudy.core.ids import Numbering, case_id
from understudy.core.nearness import closest_name
from understudy.core.outcome import Location
from understudy.engine.act import CaseRef, Unit
from understudy.rules.listing import Listed
from understudy.rules.outcomes import ACT

SUFFIX = ".star"
LOADING = "(load)"
FILE_LIMIT = 20_000
PASSED_OVER = frozenset({".git", ".venv", "node_modules", "__pycache__", ".understudy"})


def test_files(root: Path, wanted: Sequence[str]) -> list[str]:
    """Every *.star below the wanted folders (or named themselves), relative to the root, sorted, each once."""
    found: set[str] = set()
    problems: list[Problem] = []
    for name in wanted:
        try:
            place = inside(root, name)
        except InputError as error:
            problems.extend(error.problems)
            continue
        if place.is_dir():
            found.update(_below(root, place))
        elif place.is_file() and place.suffix == SUFFIX:
            found.add(place.relative_to(root.resolve()).as_posix())
        else:
            problems.append(_not_there(root, name, place))
    if problems:
        raise InputError(problems)
    return sorted(found)


test_files.__test__ = False  # type: ignore[attr-defined]  # for pytest, which takes every test_* for a test


def units_of(
    files: Iterable[str], list_file: Callable[[str], Listed]
) -> tuple[list[Unit], Mapping[str, Listed]]:
    """The units of the files, in the order of files and lines. A library, which another file loads, needs no tests."""
    listed = {file: list_file(file) for file in files}
    libraries = {name for entry in listed.values() for name in entry.libraries}
    units: list[Unit] = []
    for file, entry in listed.items():
        if entry.error is not None and file in libraries:
            continue
        if entry.error is not None or (not entry.tests and file not in libraries):
            line = entry.error.line if entry.error is not None else 1
            units.append(_unit(file, LOADING, line))
            continue
        numbering = Numbering()
        units += [_unit(file, numbering(name), line) for name, line in entry.tests.items()]
    return units, listed


def _unit(file: str, name: str, line: int | None) -> Unit:
    identifier = case_id(ACT, file, name)
    return Unit(identifier, ACT, (CaseRef(identifier, name, location=Location(file, line)),))


def _below(root: Path, folder: Path) -> Iterable[str]:
    base = root.resolve()
    count = 0
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in PASSED_OVER)
        for name in sorted(names):
            if name.endswith(SUFFIX):
                count += 1
                if count > FILE_LIMIT:
                    message = f"more than {FILE_LIMIT:,} test files are below it"
                    raise InputError([Problem(message, str(folder), hint="name a smaller folder")])
                yield Path(here, name).relative_to(base).as_posix()


def _not_there(root: Path, name: str, place: Path) -> Problem:
    if place.exists():
        return Problem("is neither a folder nor a *.star file", name, hint="name the folder of the rules")
    beside = place.parent
    near = closest_name(place.name, (path.name for path in beside.iterdir())) if beside.is_dir() else ""
    hint = f"did you mean {near!r}?" if near else f"it is looked for in {root.name or root}"
    return Problem("no such folder or file", name, hint=hint)
