"""Where the project file is: `understudy.toml`, or the `[tool.understudy]` table of `pyproject.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from understudy.core.errors import InputError, Problem

PROJECT_FILE = "understudy.toml"


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
        here = Path.cwd()
        for folder in (here, *here.parents):
            if (place := _in_folder(folder)) is not None:
                return place
        raise InputError(
            [
                Problem(
                    f"no {PROJECT_FILE} here or in a folder above",
                    str(here),
                    hint="create one, or give its path",
                )
            ]
        )
    given = Path(path)
    if given.is_dir():
        if (place := _in_folder(given)) is not None:
            return place
        raise InputError([Problem(f"no {PROJECT_FILE} in this folder", str(given), hint="create one there")])
    if not given.exists():
        raise InputError(
            [Problem("no such file or folder", str(given), hint="give the folder of the project")]
        )
    return Place(given, ("tool", "understudy") if given.name == "pyproject.toml" else ())


def _in_folder(folder: Path) -> Place | None:
    if (file := folder / PROJECT_FILE).exists():
        return Place(file)
    pyproject = folder / "pyproject.toml"
    if not pyproject.is_file():
        return None
    try:
        tables = tomllib.loads(pyproject.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError):
        return None  # another tool's file, which is not for us to judge
    return Place(pyproject, ("tool", "understudy")) if "understudy" in tables.get("tool", {}) else None
