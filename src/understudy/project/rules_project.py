"""A project of rules alone, for folders or files that are named outside of any project file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from understudy.core.errors import InputError, Problem
from understudy.project.locate import place_in
from understudy.project.project import Project, load_project
from understudy.project.roots import enclosing_root
from understudy.project.single import single_act_project

ACT = "rules"


def project_of_rules(names: Sequence[str], root: str, changes: Mapping[str, Any], seed: int = 0) -> Project:
    """The rules in folders or test files. What a project file in the root says of rules holds, but for where they are.

    Without a root it is the project around the first of them.
    """
    for name in names:
        if not os.path.exists(name):
            raise InputError([Problem("no such file or folder", name, hint="check the path")])
    first = Path(names[0])
    folder = Path(root).resolve() if root else enclosing_root(first if first.is_dir() else first.parent)
    inside = [os.path.relpath(Path(name).resolve(), folder) for name in names]
    settings = {**_settings_around(folder), "dirs": inside, **changes}
    return single_act_project(ACT, settings, [], seed=seed, root=str(folder))


def _settings_around(folder: Path) -> dict[str, Any]:
    if place_in(folder) is None:
        return {}
    project = load_project(folder, only=ACT)
    if ACT not in project.acts:
        return {}
    found: dict[str, Any] = project.act_settings[ACT].model_dump(
        exclude_unset=True, exclude={"dirs", "check", "tests"}
    )
    return found
