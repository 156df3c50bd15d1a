"""How far a folder's files may reach when no project file is named: the project around it."""

from __future__ import annotations

from pathlib import Path

from understudy.core.errors import InputError
from understudy.project.locate import locate


def enclosing_root(folder: Path) -> Path:
    """The folder of the project file or git repository around `folder`.

    Without either it is the current folder if that is around it, and else the folder above it, so that data that
    stands beside it can be reached.
    """
    here = folder.resolve()
    for candidate in (here, *here.parents):
        if (candidate / ".git").exists() or _is_project(candidate):
            return candidate
    current = Path.cwd()
    if here.is_relative_to(current):
        return current
    return here.parent


def _is_project(folder: Path) -> bool:
    if not (folder / "understudy.toml").is_file() and not (folder / "pyproject.toml").is_file():
        return False
    try:
        locate(folder)
    except InputError:
        return False
    return True
