"""The same project again in a worker process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from understudy.engine.act import Act
from understudy.engine.executors import Workshop
from understudy.engine.plan import discover
from understudy.project.project import Project, load_project
from understudy.project.single import single_act_project


def workshop(project: Project, only: str = "") -> Workshop:
    """How a worker process gets the acts of this project."""
    if project.single:
        return Workshop("understudy.project.workers:load_single", {"arguments": dict(project.single)})
    arguments: dict[str, Any] = {
        "path": project.file,
        "environment": project.environment,
        "seed": project.seed,
        "only": only,
    }
    return Workshop("understudy.project.workers:load_acts", arguments)


def load_acts(path: str, environment: str, seed: int, only: str) -> Mapping[str, Act]:
    """Load the project and let its acts discover, so that they know their units by id."""
    return _discovered(load_project(path, environment=environment, seed=seed, only=only))


def load_single(arguments: Mapping[str, Any]) -> Mapping[str, Act]:
    """The same for a project that was made from the command line."""
    return _discovered(single_act_project(**arguments))


def _discovered(project: Project) -> Mapping[str, Act]:
    discover(project.acts.values(), project)
    return project.acts
