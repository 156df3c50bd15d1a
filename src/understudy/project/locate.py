"""Where the project file is: `understudy.toml`, or the `[tool.understudy]` table of `pyproject.toml`."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from understudy.core.errors import InputError, Problem
from understudy.core.files import read_text
from understudy.documents.toml import load_toml

PROJECT_FILE = "understudy.toml"
PYPROJECT_FILE = "pyproject.toml"
_TABLE = ("tool", "understudy")
_HEADER = re.compile(r"^[ \t]*\[+[ \t]*tool[ \t]*\.[ \t]*[\"']?understudy\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Place:
    """A project file, and the table in it that is ours."""

    file: Path
    table: tuple[str, ...] = ()

    @property
    def root(self) -> Path:
        """The folder that the project is."""
        return self.file.parent


def locate(path: str | Path | None = None) -> Place:
    """The project file of a folder, or the file itself; without a path, from here upwards."""
    if path is None:
        return _around()
    given = Path(path)
    if os.path.isdir(given):
        if (place := place_in(given)) is not None:
            return place
        raise _missing(f"no {PROJECT_FILE} in this folder", str(given))
    if not os.path.lexists(given):
        raise InputError(
            [Problem("no such file or folder", _shown(given), hint="give the folder of the project")]
        )
    if given.suffix in (".json", ".yaml", ".yml"):
        hint = "suites are run with: understudy testbed run SUITE --base-url URL"
        raise InputError([Problem("is no project file, which would be TOML", str(given), hint=hint)])
    return Place(given, _TABLE if given.name == PYPROJECT_FILE else ())


def _around() -> Place:
    try:
        here = Path.cwd()
    except OSError:
        raise InputError("the current folder does not exist any more; change to another") from None
    for folder in (here, *here.parents):
        if (place := place_in(folder)) is not None:
            return place
    raise _missing(f"no {PROJECT_FILE} here or in a folder above", str(here))


def place_in(folder: Path) -> Place | None:
    file, pyproject = folder / PROJECT_FILE, folder / PYPROJECT_FILE
    if os.path.lexists(file):
        return Place(file)
    return Place(pyproject, _TABLE) if os.path.isfile(pyproject) and _has_table(pyproject) else None


def _has_table(pyproject: Path) -> bool:
    """Whether the file of so many tools is ours too; one that is broken elsewhere is not for us to judge."""
    try:
        text = read_text(pyproject)
    except InputError:
        return False
    if "understudy" not in text:
        return False
    try:
        return load_toml(pyproject, _TABLE, text=text).data is not None
    except InputError:
        return _HEADER.search(text) is not None


def _missing(message: str, folder: str) -> InputError:
    hint = "`understudy init` makes one; or give the path of the project"
    return InputError([Problem(message, folder, hint=hint)])


def _shown(path: Path) -> str:
    """A path that may hold what cannot be printed."""
    text = str(path)
    return text if text.isprintable() else repr(text)
