"""The project that a command of the rules is about: folders on the command line, or the rules of a project file."""

from __future__ import annotations

from typing import Any

from understudy.cli.options import RunArguments
from understudy.core.errors import InputError, Problem
from understudy.project.project import Project, load_project
from understudy.project.rules_project import ACT, project_of_rules


def rules_project(
    names: list[str], root: str, path: str | None, arguments: RunArguments, changes: dict[str, Any]
) -> Project:
    """The project; `changes` are settings on which the command line has the last word."""
    if not names:
        if root:
            raise InputError("--root says what folders on the command line may reach; name one with --dir")
        project = load_project(path, environment=arguments.environment, seed=arguments.seed, only=ACT)
        if ACT not in project.acts:
            raise InputError([Problem("has no [rules] table", project.file, hint="name a folder with --dir")])
        if changes:
            settings = project.act_settings[ACT]
            project.act_settings = {ACT: settings.model_copy(update=changes)}
        return project
    if path is not None:
        raise InputError("--project has no meaning beside folders on the command line")
    return project_of_rules(names, root, changes, arguments.seed)
