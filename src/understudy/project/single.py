"""A project of one act, made from the command line instead of a project file."""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from understudy.core.errors import InputError, Problem
from understudy.documents.positions import Document, Mark, Positions
from understudy.documents.validate import validate
from understudy.project.acts import installed_acts, load_act
from understudy.project.project import Project
from understudy.project.settings import ProjectSettings


def single_act_project(
    act: str,
    settings: Mapping[str, Any],
    files: Sequence[str],
    base_url: str = "",
    seed: int = 0,
    root: str = "",
) -> Project:
    """The project whose folder is `root`, or the nearest that holds all files; names in settings are taken as given."""
    for file in files:
        if not os.path.exists(file):
            shown = file if file.isprintable() else repr(file)
            raise InputError([Problem("no such file", shown, hint="check the path")])
    here = [str(Path(file).resolve()) for file in files]
    folder = Path(root or os.path.commonpath([str(Path(file).parent) for file in here] or [os.getcwd()]))
    # A name is no pattern here, whatever is in it.
    names = dict(zip(files, (glob.escape(os.path.relpath(file, folder)) for file in here), strict=True))
    table = {
        key: [names.get(item, item) if isinstance(item, str) else item for item in value]
        if isinstance(value, list)
        else value
        for key, value in settings.items()
    }
    document = Document("command line", {act: table}, Positions(Mark((1, 1))))
    loaded = load_act(installed_acts()[act])
    model = getattr(loaded, "settings", None)
    config = ProjectSettings()
    checked = validate(model, document, (act,)) if model else table
    arguments = {
        "act": act,
        "settings": settings,
        "files": files,
        "base_url": base_url,
        "seed": seed,
        "root": root,
    }
    return Project(
        folder,
        "",
        config,
        {act: loaded},
        {act: checked},
        document,
        seed=seed,
        base_url=base_url,
        single=arguments,
    )
