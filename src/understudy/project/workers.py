"""The same project again in a worker process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from understudy.engine.act import Act
from understudy.engine.executors import Workshop
from understudy.engine.plan import discover
from understudy.project.project import Project, load_project


def workshop(project: Project, only: str = "") -> Workshop:
    """How a worker process gets the acts of this project."""
    arguments: dict[str, Any] = {
        "path": project.file,
        "environment": project.environment,
        "seed": project.seed,
        "only": only,
    }
    return Workshop("understudy.project.workers:load_acts", arguments)


def load_acts(path: str, environment: str, seed: int, only: str) -> Mapping[str, Act]:
    """Load the project and let its acts discover, so that they know their units by id."""
    project = load_project(path, environment=environment, seed=seed, only=only)
    discover(project.acts.values(), project)
    return project.acts
